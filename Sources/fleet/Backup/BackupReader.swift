import FleetTime
import Foundation
import Glibc
import ProcessSupport

/// Puts a backup in the place of a run directory: whole, or not at all.
struct BackupReader: Sendable {
    /// Where the backup is.
    let source: RunDirectory
    /// The run directory to be; no fleet may run there.
    let target: RunDirectory
    /// The world.
    let surroundings: Surroundings

    /// The result of a restore.
    struct Restored: Equatable, Sendable {
        /// The manifest of the backup.
        let manifest: BackupManifest
        /// The new path of the former run directory; nil if the target was missing or empty.
        let former: String?
    }

    /// Checks and copies each file of the backup, and puts them in the target's place.
    ///
    /// Until it is done no fleet can start in the target, and another restore to the same place is refused.
    ///
    /// - Parameter replaces: Whether a run directory that is there is moved away; otherwise it is refused.
    /// - Throws: `CommandFailure` that names the file which is missing or damaged, or says why the target
    ///   cannot be; `RuntimeError` where a process holds the target, or a file cannot be copied. Then nothing
    ///   has changed, but for lock files in a target that has files.
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
            removeDraft(draft)
            throw error
        }
    }

    private func readManifest() throws -> BackupManifest {
        let path = "\(source)/\(BackupManifest.fileName)"
        var text: [UInt8] = []
        guard try GrowingFile.read(path, { text += $0 }) else {
            throw CommandFailure(
                .refused, "\(source) is not a complete backup: \(path) is missing",
                advice: "name a directory that `fleet backup` has made")
        }
        return try BackupManifest(text, at: path)
    }

    /// Whether a run directory with files is in the target's place, and may be replaced.
    private func hasFormer(replacing replaces: Bool) throws -> Bool {
        guard access(target.path, F_OK) == 0 else { return false }
        try target.check()
        guard try !FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty else { return false }
        guard replaces else { throw isInPlace }
        return true
    }

    private var isInPlace: CommandFailure {
        CommandFailure(
            .refused, "\(target) has a fleet's files in it",
            advice: "name another with --run-dir, or move these away with --replace")
    }

    /// Takes what each process of a fleet in the target would hold.
    private func lockFormer() throws -> [FileLock] {
        let present = try FileManager.default.contentsOfDirectory(atPath: target.path)
            .filter { $0.hasSuffix(".lock") }.map { "\(target)/\($0)" }
        let first = ["supervisor", "controller"].map(target.lockFile)
        return try Set(present + first).sorted().map { try FileLock(path: $0) }
    }

    /// Makes an empty draft, and keeps other restores from it.
    ///
    /// - Returns: The lock of a supervisor: the draft will be a run directory.
    private func begin(_ draft: RunDirectory) throws -> FileLock {
        try draft.makePrivate()
        let lock = try FileLock(path: draft.lockFile(for: "supervisor"))
        // Files of a restore that was interrupted.
        for name in try FileManager.default.contentsOfDirectory(atPath: draft.path)
        where "\(draft)/\(name)" != lock.path {
            try FileManager.default.removeItem(atPath: "\(draft)/\(name)")
        }
        return lock
    }

    private func copy(_ manifest: BackupManifest, to draft: RunDirectory) throws {
        for name in manifest.directories {
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
                throw damage(of: path, "its bytes have changed since the backup")
            }
        }
        try manifest.syncNames(in: draft)
    }

    private func damage(of path: String, _ what: String) -> CommandFailure {
        CommandFailure(
            .refused, "\(path) is damaged: \(what)", advice: "restore another backup; nothing was changed")
    }

    /// Puts the draft where nothing is, or an empty directory.
    private func put(_ draft: RunDirectory) throws -> String? {
        do {
            try DirectoryNames.rename(draft.path, to: target.path)
            return nil
        } catch .system(_, _, errno: ENOTEMPTY), .system(_, _, errno: EEXIST) {
            // A fleet was started there since.
            throw isInPlace
        }
    }

    /// Puts the draft in the place of the run directory that is there.
    ///
    /// - Returns: The other name of that one.
    private func exchange(_ draft: RunDirectory) throws -> String {
        let former = "\(target).before-\(surroundings.now().wall.unixMilliseconds)"
        // With that name first: a restore that was killed must not leave the former run directory under the
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

    /// Does that on a file system that cannot exchange directories.
    private func replaceInTwoSteps(_ draft: RunDirectory, _ former: String) throws {
        try DirectoryNames.rename(target.path, to: former)
        do {
            try DirectoryNames.rename(draft.path, to: target.path)
        } catch {
            try DirectoryNames.rename(former, to: target.path)
            throw error
        }
    }

    private func removeDraft(_ draft: RunDirectory) {
        guard access(draft.path, F_OK) == 0 else { return }
        do {
            try FileManager.default.removeItem(atPath: draft.path)
        } catch {
            surroundings.say("fleet: \(draft) is incomplete, and cannot be removed: remove it yourself")
        }
    }
}
