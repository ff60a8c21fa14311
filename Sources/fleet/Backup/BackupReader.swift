import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport

/// Replaces a run directory by a backup, completely or not at all.
struct BackupReader: Sendable {
    let source: RunDirectory
    /// The run directory to create; no fleet may run there.
    let target: RunDirectory
    let surroundings: Surroundings

    struct Restored: Equatable, Sendable {
        let manifest: BackupManifest
        /// The new path of the former run directory; nil if the target was missing or empty.
        let former: String?
    }

    /// Checks and copies each file of the backup, and puts the copies in the target's place. Until it is
    /// done, no fleet can start in the target, and another restore to the same path is refused. After an
    /// error nothing has changed, except for lock files in a target that has files.
    func restore(replacing replaces: Bool) throws -> Restored {
        let manifest = try readManifest()
        let formerLocks = try hasFormer(replacing: replaces) ? lockFormer() : []
        defer { for lock in formerLocks { lock.close() } }
        let draft = RunDirectory(path: "\(target).restoring")
        let lock = try begin(draft)
        defer { lock.close() }
        do {
            try copy(manifest, to: draft)
            surroundings.showProgress(nil)
            let former = formerLocks.isEmpty ? try put(draft) : try exchange(draft)
            try DirectoryNames.sync(nameOf: target.path)
            return Restored(manifest: manifest, former: former)
        } catch {
            surroundings.showProgress(nil)
            surroundings.removeIncomplete(draft)
            throw error
        }
    }

    private func readManifest() throws -> BackupManifest {
        let path = "\(source)/\(BackupManifest.fileName)"
        var text: [UInt8] = []
        guard try GrowingFile.read(path, { text += $0 }) else {
            throw CommandFailure(
                .refused, "\(source) is not a complete backup: \(path) is missing",
                advice: "name a directory that `fleet backup` wrote")
        }
        return try BackupManifest(text, at: path)
    }

    private func hasFormer(replacing replaces: Bool) throws -> Bool {
        guard access(target.path, F_OK) == 0 else { return false }
        try target.check()
        guard try !FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty else { return false }
        guard replaces else { throw isInPlace }
        return true
    }

    private var isInPlace: CommandFailure {
        CommandFailure(
            .refused, "\(target) already has a fleet's files",
            advice: "name another directory with --run-dir, or move it away with --replace")
    }

    /// Takes the locks of all processes that a fleet in the target would hold.
    private func lockFormer() throws -> [FileLock] {
        let present = try FileManager.default.contentsOfDirectory(atPath: target.path)
            .filter { $0.hasSuffix(".lock") }.map { "\(target)/\($0)" }
        let first = ["supervisor", "controller"].map(target.lockFile)
        return try Set(present + first).sorted().map { try FileLock(path: $0) }
    }

    /// Creates an empty draft directory, and takes the lock of a supervisor, since it becomes a run
    /// directory.
    private func begin(_ draft: RunDirectory) throws -> FileLock {
        try draft.makePrivate()
        let lock = try FileLock(path: draft.lockFile(for: "supervisor"))
        // Remove the files of an interrupted restore.
        for name in try FileManager.default.contentsOfDirectory(atPath: draft.path)
        where "\(draft)/\(name)" != lock.path {
            try FileManager.default.removeItem(atPath: "\(draft)/\(name)")
        }
        return lock
    }

    private func copy(_ manifest: BackupManifest, to draft: RunDirectory) throws {
        for name in manifest.directories {
            try OwnFile.check("\(source)/\(name)", isDirectory: true)
            try FileManager.default.createDirectory(
                atPath: "\(draft)/\(name)", withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        for (count, file) in manifest.files.enumerated() {
            surroundings.showProgress("restoring \(file.name), \(count + 1) of \(manifest.files.count)")
            let path = "\(source)/\(file.name)"
            let copy = try FileCopy.make(of: path, at: "\(draft)/\(file.name)")
            guard let copy else { throw damage(of: path, "it is missing") }
            guard copy.bytes == file.bytes, copy.digest == file.sha256 else {
                throw damage(of: path, "its content has changed since the backup")
            }
        }
        try manifest.syncNames(in: draft)
    }

    private func damage(of path: String, _ what: String) -> CommandFailure {
        CommandFailure(
            .refused, "\(path) is damaged: \(what)", advice: "restore another backup; nothing was changed")
    }

    /// Renames the draft to the target, which must be missing or empty.
    private func put(_ draft: RunDirectory) throws -> String? {
        do {
            try DirectoryNames.rename(draft.path, to: target.path)
            return nil
        } catch .system(_, _, errno: ENOTEMPTY), .system(_, _, errno: EEXIST) {
            // Another process has started a fleet there in the meantime.
            throw isInPlace
        }
    }

    /// Exchanges the draft and the existing run directory; returns the new path of the former one.
    private func exchange(_ draft: RunDirectory) throws -> String {
        let former = "\(target).before-\(surroundings.now().wall.unixMilliseconds)"
        // First rename the draft: a killed restore must not leave the former run directory under the
        // name of a draft, which the next restore empties.
        try DirectoryNames.rename(draft.path, to: former)
        do {
            if try DirectoryNames.exchange(former, with: target.path) { return former }
        } catch {
            try DirectoryNames.rename(former, to: draft.path)
            throw error
        }
        try DirectoryNames.rename(former, to: draft.path)
        try replaceInTwoSteps(draft, former)
        return former
    }

    /// Does the same on a file system that cannot exchange directories.
    private func replaceInTwoSteps(_ draft: RunDirectory, _ former: String) throws {
        try DirectoryNames.rename(target.path, to: former)
        do {
            try DirectoryNames.rename(draft.path, to: target.path)
        } catch {
            try DirectoryNames.rename(former, to: target.path)
            throw error
        }
    }
}
