import Foundation
import Glibc
import Runtime
import Stepping
import Wording

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

    /// Checks and copies each file of the backup, and moves them to the target.
    ///
    /// - Parameter replaces: Whether a run directory that is there is moved away; otherwise it is refused.
    /// - Throws: `CommandFailure` that names the file which is missing or damaged, or says why the target
    ///   cannot be; `RuntimeError` where a file cannot be copied. Then nothing has changed.
    func restore(replacing replaces: Bool) throws -> Restored {
        let manifest = try readManifest()
        try checkTarget(replaces)
        let draft = RunDirectory(path: "\(target).restoring")
        do {
            try removeDraft(draft)
            try copy(manifest, to: draft)
            surroundings.showProgress(nil)
            let former = try moveFormerAway()
            guard rename(draft.path, target.path) == 0 else {
                throw RuntimeError.system(operation: "make", path: target.path, errno: errno)
            }
            return Restored(manifest: manifest, former: former)
        } catch {
            surroundings.showProgress(nil)
            do {
                try removeDraft(draft)
            } catch {
                surroundings.say("fleet: \(draft) is incomplete, and cannot be removed: remove it yourself")
            }
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

    /// Refuses a run directory that is in use, or has files that must not be replaced.
    private func checkTarget(_ replaces: Bool) throws {
        guard access(target.path, F_OK) == 0 else { return }
        try target.check()
        let entries = try FileManager.default.contentsOfDirectory(atPath: target.path)
        for entry in entries where entry.hasSuffix(".lock") {
            // Held by a process of a fleet that runs.
            try FileLock(path: "\(target)/\(entry)").close()
        }
        guard entries.isEmpty || replaces else {
            throw CommandFailure(
                .refused, "\(target) has a fleet's files in it",
                advice: "name another with --run-dir, or move these away with --replace")
        }
    }

    private func copy(_ manifest: BackupManifest, to draft: RunDirectory) throws {
        try draft.makePrivate()
        for (count, file) in manifest.files.enumerated() {
            surroundings.showProgress("restoring \(file.name), \(count + 1) of \(manifest.files.count)")
            if let end = file.name.lastIndex(of: "/") {
                try FileManager.default.createDirectory(
                    atPath: "\(draft)/\(file.name[..<end])", withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            let path = "\(source)/\(file.name)"
            let copy = try FileCopy.make(of: path, at: "\(draft)/\(file.name)")
            guard let copy else { throw damage(of: path, "it is missing") }
            guard copy.bytes == file.bytes, copy.digest == file.sha256 else {
                throw damage(of: path, "its bytes have changed since the backup")
            }
        }
    }

    private func damage(of path: String, _ what: String) -> CommandFailure {
        CommandFailure(
            .refused, "\(path) is damaged: \(what)", advice: "restore another backup; nothing was changed")
    }

    /// Moves a run directory that is there to another name.
    private func moveFormerAway() throws -> String? {
        guard access(target.path, F_OK) == 0 else { return nil }
        if rmdir(target.path) == 0 { return nil }
        let former = "\(target).before-\(surroundings.now().wall.unixMilliseconds)"
        guard rename(target.path, former) == 0 else {
            throw RuntimeError.system(operation: "rename", path: target.path, errno: errno)
        }
        return former
    }

    /// Removes the files of a restore that was interrupted.
    private func removeDraft(_ draft: RunDirectory) throws {
        guard access(draft.path, F_OK) == 0 else { return }
        try draft.check()
        try FileManager.default.removeItem(atPath: draft.path)
    }
}
