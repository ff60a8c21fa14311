import FoundationEssentials
import ProcessSupport
import UserText

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
