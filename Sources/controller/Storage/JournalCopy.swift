import ControllerCore
import Foundation
import Glibc
import ProcessSupport

/// A copy of a journal's segments at some moment, while a controller may append to them.
///
/// The newest segment with entries grows only in its write-ahead log, so a prefix of that log is an earlier
/// state of the segment. A later, prepared segment may have a log, too, which does not grow. When a segment
/// is closed, its file changes and its log is deleted: it is then copied again. No file is opened as a
/// database, and the controller never waits for the copy.
struct JournalCopy {
    /// The state of a segment's files; while it is unchanged, their bytes are unchanged.
    private struct Sighting: Equatable {
        let inode: UInt
        let bytes: Int
        let changedAt: [Int]
        let logBytes: Int

        /// Whether the later state differs at most by appended bytes.
        func isBeginning(of later: Sighting) -> Bool {
            inode == later.inode && bytes == later.bytes && changedAt == later.changedAt
                && logBytes <= later.logBytes
        }
    }

    /// The maximum number of rounds of copying changed segments.
    private static let tries = 100

    private let source: String
    private let target: String
    /// The state of each segment when it was copied.
    private var copied: [Int: Sighting] = [:]

    /// A copy of a journal's directory in another directory.
    init(of source: String, in target: String) { (self.source, self.target) = (source, target) }

    /// Makes the copy, and returns when it is synced to the disk.
    ///
    /// - Throws: `inUse` if segments change faster than they can be copied, `full` or `failed`.
    mutating func make() throws(StorageError) {
        guard access(source, F_OK) == 0 else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .failed(path: target, what: error.localizedDescription)
        }
        for _ in 0..<Self.tries where try copyChanges() { return }
        throw .inUse(path: source)
    }

    /// Copies the changes since the last call.
    ///
    /// - Returns: Whether there were none, so that all copies are consistent.
    mutating func copyChanges() throws(StorageError) -> Bool {
        // A segment that was just deleted is missing in the next round.
        guard let present = try sightings() else { return false }
        let removed = copied.keys.filter { present[$0] == nil }
        for number in removed {
            try remove(number)
            copied[number] = nil
        }
        // Later segments record that a segment is obsolete, and the entries carried over from it. The
        // prefixes that were copied before its deletion may lack them.
        let stale = staleSegments(of: present, acceptsBeginning: removed.isEmpty)
        for number in stale {
            try copy(number)
            copied[number] = present[number]
        }
        return stale.isEmpty
    }

    /// Returns the segments that must be copied again, ascending.
    ///
    /// - Parameter acceptsBeginning: Whether a prefix of the newest changed segment is sufficient.
    private func staleSegments(of present: [Int: Sighting], acceptsBeginning: Bool) -> [Int] {
        let changed = present.keys.filter { copied[$0] != present[$0] }.sorted()
        guard acceptsBeginning, let newest = changed.last, let sighting = present[newest],
            copied[newest]?.isBeginning(of: sighting) == true
        else { return changed }
        return changed.dropLast()
    }

    private func copy(_ number: Int) throws(StorageError) {
        try remove(number)
        let path = SegmentFile.path(of: number, in: target)
        for suffix in ["", "-wal"] {
            do {
                _ = try FileCopy.make(
                    of: SegmentFile.path(of: number, in: source) + suffix, at: path + suffix)
            } catch RuntimeError.system(_, _, errno: ENOSPC) {
                throw .full(path: path + suffix)
            } catch {
                throw .failed(path: path + suffix, what: "\(error)")
            }
        }
    }

    private func remove(_ number: Int) throws(StorageError) {
        let path = SegmentFile.path(of: number, in: target)
        for suffix in ["-wal", ""] where unlink(path + suffix) != 0 && errno != ENOENT {
            throw .failed(path: path + suffix, what: String(cString: strerror(errno)))
        }
    }

    /// Returns the state of each segment's files; nil if one was deleted in the meantime.
    ///
    /// The newest is read first, so a segment before one that has entries is read in its final state.
    private func sightings() throws(StorageError) -> [Int: Sighting]? {
        var sightings: [Int: Sighting] = [:]
        for number in try Self.segments(in: source).reversed() {
            guard let sighting = sighting(of: number) else { return nil }
            sightings[number] = sighting
        }
        return sightings
    }

    /// Returns the numbers of the segments in a directory, ascending.
    static func segments(in directory: String) throws(StorageError) -> [Int] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
                .compactMap(SegmentFile.number).sorted()
        } catch {
            throw .failed(path: directory, what: error.localizedDescription)
        }
    }

    /// Returns the state of a segment's files; nil for a deleted segment.
    private func sighting(of number: Int) -> Sighting? {
        let path = SegmentFile.path(of: number, in: source)
        var (file, log) = (stat(), stat())
        guard stat(path, &file) == 0 else { return nil }
        let logBytes = stat("\(path)-wal", &log) == 0 ? Int(log.st_size) : 0
        return Sighting(
            inode: file.st_ino, bytes: Int(file.st_size),
            changedAt: [file.st_mtim.tv_sec, file.st_mtim.tv_nsec], logBytes: logBytes)
    }
}
