import ControllerCore
import Foundation
import Glibc
import ProcessSupport

/// A copy of a journal's segments, up to some moment, while a controller may append to them.
///
/// The newest segment that has begun grows in its write-ahead log and nowhere else, so the beginning of that
/// log is an earlier moment of the segment. A later segment that was prepared may have a log, too, and does
/// not grow. When a segment is closed its file changes and its log goes away: then it is copied again.
/// Nothing of the journal is opened as a database, and nothing waits for the copy.
struct JournalCopy {
    /// The state of a segment's files: while it is the same, their bytes are the same.
    private struct Sighting: Equatable {
        let inode: UInt
        let bytes: Int
        let changedAt: [Int]
        let logBytes: Int

        /// Whether the segment has only grown since, or not even that.
        func isBeginning(of later: Sighting) -> Bool {
            inode == later.inode && bytes == later.bytes && changedAt == later.changedAt
                && logBytes <= later.logBytes
        }
    }

    /// The most rounds of copying segments that have changed.
    private static let tries = 100

    private let source: String
    private let target: String
    /// Each segment's state when it was copied.
    private var copied: [Int: Sighting] = [:]

    /// The copy of a journal's directory in another.
    init(of source: String, in target: String) { (self.source, self.target) = (source, target) }

    /// Makes the copy, and returns when it is on the disk.
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

    /// Copies what has changed since the last call.
    ///
    /// - Returns: Whether nothing had to be copied: all copies belong together.
    mutating func copyChanges() throws(StorageError) -> Bool {
        // A segment that was deleted just now is missing in the next round.
        guard let present = try sightings() else { return false }
        let gone = copied.keys.filter { present[$0] == nil }
        for number in gone {
            try remove(number)
            copied[number] = nil
        }
        // The entry that a segment is not needed, and what was carried over from it, are in later segments:
        // the beginnings that were copied before it went may lack them.
        let stale = staleSegments(of: present, acceptsBeginning: gone.isEmpty)
        for number in stale {
            try copy(number)
            copied[number] = present[number]
        }
        return stale.isEmpty
    }

    /// The segments whose copies have to be made again, ascending.
    ///
    /// - Parameter acceptsBeginning: Whether the beginning of the newest segment that has changed will do.
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

    /// The present state of each segment's files; nil where one was deleted while they were looked at.
    ///
    /// The newest is looked at first. So where a segment is seen to have begun the one before it is seen as
    /// it ended.
    private func sightings() throws(StorageError) -> [Int: Sighting]? {
        var sightings: [Int: Sighting] = [:]
        for number in try Self.segments(in: source).reversed() {
            guard let sighting = sighting(of: number) else { return nil }
            sightings[number] = sighting
        }
        return sightings
    }

    /// The numbers of the segments in a directory, ascending.
    static func segments(in directory: String) throws(StorageError) -> [Int] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
                .compactMap(SegmentFile.number).sorted()
        } catch {
            throw .failed(path: directory, what: error.localizedDescription)
        }
    }

    /// The present state of a segment's files; nil for a deleted segment.
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
