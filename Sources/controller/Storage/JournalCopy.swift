import ControllerCore
import FoundationEssentials
import Glibc
import ProcessSupport

/// A copy of a journal's segments at some moment, while a controller may append to them.
///
/// Only the newest segment with entries grows, so a prefix of its file is an earlier state. The files are
/// copied from the newest to the oldest: once a segment has entries, the earlier ones do not change. No
/// process is asked, and the controller never waits for the copy.
struct JournalCopy {
    private static let tries = 100

    private let source: SegmentDirectory
    private let target: SegmentDirectory
    /// The length of each file that was copied, by its name.
    private var copied: [String: Int] = [:]

    init(of source: String, in target: String) {
        (self.source, self.target) = (SegmentDirectory(source), SegmentDirectory(target))
    }

    /// Makes the copy, and returns when it is synced to the disk. It fails with `inUse` if segments are
    /// deleted faster than they can be copied.
    mutating func make() throws(StorageError) {
        guard access(source.path, F_OK) == 0 else { return }
        try target.create()
        for _ in 0..<Self.tries where try copyFiles() { return }
        throw .inUse(path: source.path)
    }

    /// Copies the files that have changed since they were copied. Returns false if one was deleted in the
    /// meantime. Later segments record that, and have the entries carried over from it, but the copies that
    /// were made before may lack them.
    mutating func copyFiles() throws(StorageError) -> Bool {
        let present = try source.files()
        for name in copied.keys where !present.contains(name) {
            try target.remove("\(target.path)/\(name)")
            copied[name] = nil
        }
        for name in present.reversed() where try !copy(name) { return false }
        return true
    }

    /// Copies a file; returns false for a missing one.
    private mutating func copy(_ name: String) throws(StorageError) -> Bool {
        let (path, copy) = ("\(source.path)/\(name)", "\(target.path)/\(name)")
        guard let status = FileStatus(following: path) else { return false }
        if copied[name] == status.bytes { return true }
        do {
            copied[name] = try FileCopy.make(of: path, at: copy)?.bytes
        } catch RuntimeError.system(_, _, errno: ENOSPC) {
            throw .full(path: copy)
        } catch {
            throw .failed(path: copy, what: "\(error)")
        }
        return copied[name] != nil
    }
}
