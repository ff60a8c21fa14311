import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport
import Subprocess
import SystemPackage
import UserText

/// Copies all stored state of a fleet into a directory, also while the fleet runs.
///
/// It copies the controller's store and journal first, and the memory of devices after them. So each request
/// that has ended in the journal is also in the memory of its device. A device may have more requests than
/// the journal; a controller that starts with the copies does not execute requests of that time again.
struct BackupWriter: Sendable {
    let source: RunDirectory
    /// The directory for the copies: a new or an empty one.
    let target: RunDirectory
    let surroundings: Surroundings

    /// Writes the backup, and syncs all its files to the disk; after an error the copies are removed.
    func make() async throws -> BackupManifest {
        try makeTarget()
        do {
            let manifest = try await copyAll()
            try manifest.syncNames(in: target)
            try GrowingFile.put(manifest.content, at: "\(target)/\(BackupManifest.fileName)")
            try DirectoryNames.sync(nameOf: target.path)
            return manifest
        } catch {
            surroundings.showProgress(nil)
            surroundings.removeIncomplete(target)
            throw error
        }
    }

    private func makeTarget() throws {
        try target.makePrivate()
        guard try names(in: target.path).isEmpty else {
            throw CommandFailure(
                .refused, "\(target) is not empty", advice: "name a directory that does not exist yet")
        }
    }

    private func copyAll() async throws -> BackupManifest {
        let madeAt = TimeText.iso8601(surroundings.now().wall)
        surroundings.showProgress("copying store and journal")
        try await copyStorage()
        var files: [BackupManifest.File] = []
        for name in try storageNames() {
            guard let copy = try FileCopy.described("\(target)/\(name)") else { continue }
            files.append(.init(name: name, bytes: copy.bytes, sha256: copy.digest))
        }
        let memories = try memoryNames()
        let others = try otherNames()
        for (count, name) in (memories + others).enumerated() {
            try Task.checkCancellation()
            surroundings.showProgress("copying \(name), \(count + 1) of \(memories.count + others.count)")
            let (path, place) = ("\(source)/\(name)", "\(target)/\(name)")
            let copies: [(suffix: String, copy: FileCopy)] =
                count < memories.count
                ? try MemoryCopy(path: path).make(at: place)
                : try FileCopy.make(of: path, at: place).map { [("", $0)] } ?? []
            for (suffix, copy) in copies {
                files.append(.init(name: name + suffix, bytes: copy.bytes, sha256: copy.digest))
            }
        }
        surroundings.showProgress(nil)
        return BackupManifest(madeAt: madeAt, files: files)
    }

    /// Runs the controller's program, which copies store and journal.
    private func copyStorage() async throws {
        let program = "\(surroundings.executableDirectory)/controller"
        try Executable.check(program)
        let result = try await Subprocess.run(
            .path(FilePath(program)),
            arguments: ["back-up", "--run-dir", source.path, "--to", target.path],
            platformOptions: .stopping(within: .seconds(1)), input: .none, output: .discarded,
            error: .string(limit: 1 << 16))
        guard !result.terminationStatus.isSuccess else { return }
        let text = result.standardError.split(whereSeparator: \.isNewline).joined(separator: " ")
        let end =
            switch result.terminationStatus {
            case .exited(let status): "\(program) exited with status \(status)"
            case .signaled(let signal): "\(program) was ended by signal \(signal)"
            }
        throw CommandFailure(
            .refused, "store and journal were not copied: \(SafeText.of(text.isEmpty ? end : text))",
            advice: "nothing was left in \(target)")
    }

    /// The controller's copies, as paths relative to the target.
    private func storageNames() throws -> [String] {
        let journal = "\(target.journalDirectory.dropFirst(target.path.count + 1))"
        let top = try names(in: target.path).filter { $0 != journal }
        return try top + names(in: target.journalDirectory).map { "\(journal)/\($0)" }
    }

    /// The files of devices' memory, as paths relative to the source.
    private func memoryNames() throws -> [String] {
        let names = try names(in: source.memoryDirectory).filter { $0.hasSuffix(".entries") }
        guard !names.isEmpty else { return [] }
        try target.createMemoryDirectory()
        return names.map { "\(source.memoryDirectory.dropFirst(source.path.count + 1))/\($0)" }
    }

    /// The other files that a fleet needs, as paths relative to the source.
    private func otherNames() throws -> [String] {
        try OwnFile.check("\(source)/network", isDirectory: true)
        let names = RunFile.allCases.filter(\.isBackedUp).map(\.rawValue)
            .filter { !$0.hasPrefix("network/") || access("\(source)/\($0)", F_OK) == 0 }
        if names.contains(where: { $0.hasPrefix("network/") }) { _ = try PeerFiles(of: target) }
        return names
    }

    private func names(in directory: String) throws -> [String] {
        guard access(directory, F_OK) == 0 else { return [] }
        try OwnFile.check(directory, isDirectory: true)
        return try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }
}

/// A copy of a node's memory, of the length in the memory's witness at least, and of the witness. The mark of
/// the witness is read first, so the copy of a growing memory reaches it. A memory that has lost its end is
/// refused here.
struct MemoryCopy {
    /// The maximum number of attempts to read a witness that is being written.
    private static let tries = 5

    private static let advice = "start the fleet: the node's log says what can be done"
    private static let suffix = ".witness"

    let path: String

    /// Writes the copies; none if the memory is missing, and a failure if its end is.
    func make(at copy: String) throws -> [(suffix: String, copy: FileCopy)] {
        var recorded = try recorded()
        while true {
            guard let made = try FileCopy.make(of: path, at: copy) else { return [] }
            guard let mark = recorded else { return [("", made)] }
            guard !mark.isLossPossible, made.bytes < mark.number else {
                try SlotFile.make([WitnessMark.slot(mark)], at: "\(copy)\(Self.suffix)")
                guard let witness = try FileCopy.described("\(copy)\(Self.suffix)") else {
                    return [("", made)]
                }
                return [("", made), (Self.suffix, witness)]
            }
            // A node that rewrites its memory replaces a longer file by a shorter one.
            recorded = try self.recorded()
            guard recorded != mark else {
                throw CommandFailure(
                    .refused, "\(path) is damaged: it has \(made.bytes) of \(mark.number) bytes",
                    advice: Self.advice)
            }
        }
    }

    /// The witness's last mark; nil before the first, and without a witness.
    private func recorded() throws -> WitnessMark? {
        let witness = path + Self.suffix
        var attempts = 0
        while true {
            do {
                attempts += 1
                return try mark(in: witness)
            } catch let error as RuntimeError {
                throw error
            } catch {
                // A slot that is being written does not match its checksum.
                guard attempts == Self.tries else { continue }
                throw CommandFailure(.refused, "\(witness) is damaged: \(error)", advice: Self.advice)
            }
        }
    }

    private func mark(in witness: String) throws -> WitnessMark? {
        var bytes: [UInt8] = []
        guard try GrowingFile.read(witness, { bytes += $0 }) else { return nil }
        return try WitnessMark.mark(in: bytes.prefix(SlotFile.slotBytes))
    }
}

/// The list of a backup's files: the file `backup.json`, which is written last.
struct BackupManifest: Codable, Equatable, Sendable {
    struct File: Codable, Equatable, Sendable {
        /// The path relative to the directory of the backup, and to the run directory.
        let name: String
        let bytes: Int
        /// The SHA-256 digest, as 64 hexadecimal digits.
        let sha256: String
    }

    /// The format of backups that this program writes, and the newest that it reads.
    static let format = 1
    static let fileName = "backup.json"

    let format: Int
    /// The time when the backup began, in UTC.
    let madeAt: String
    /// The files, in the order in which they were copied.
    let files: [File]

    var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

    /// The directories of the files below the directory of the backup, each once.
    var directories: [String] {
        let names = files.compactMap { file in
            file.name.lastIndex(of: "/").map { String(file.name[..<$0]) }
        }
        return Set(names).sorted()
    }

    var content: [UInt8] { jsonLines(.withoutEscapingSlashes) }

    init(madeAt: String, files: [File]) { (format, self.madeAt, self.files) = (Self.format, madeAt, files) }

    /// Parses the text of a manifest file; throws if it has a newer format, or names files outside the
    /// backup.
    init(_ text: [UInt8], at path: String) throws(CommandFailure) {
        do {
            self = try JSONDecoder().decode(BackupManifest.self, from: Data(text))
        } catch {
            throw CommandFailure(
                .refused, "\(path) is damaged: it does not list a backup's files",
                advice: "restore another backup; nothing was changed")
        }
        guard (1...Self.format).contains(format) else {
            throw CommandFailure(
                .refused, "\(path) has format \(format), and this program reads \(Self.format)",
                advice: "restore it with the version of Sensibus that wrote it; nothing was changed")
        }
        for file in files where !Self.isBelow(file.name) || file.bytes < 0 {
            throw CommandFailure(
                .refused, "\(path) is damaged: it names \(SafeText.of(file.name))",
                advice: "restore another backup; nothing was changed")
        }
    }

    /// Syncs the directory entries of all files to the disk.
    func syncNames(in directory: RunDirectory) throws(RuntimeError) {
        for name in directories { try DirectoryNames.sync("\(directory)/\(name)") }
        try DirectoryNames.sync(directory.path)
    }

    private static func isBelow(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }
}
