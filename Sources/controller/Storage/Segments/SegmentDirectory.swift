import ControllerCore
import FleetProtocol
import Foundation
import Glibc
import ProcessSupport

/// The file of a segment, whatever its format.
protocol StoredSegment: AnyObject, Sendable {
    var path: String { get }

    /// Stores an epoch as the only one that may append.
    ///
    /// - Throws: `fenced` if the file has a higher one.
    func claim(for epoch: Epoch) throws(StorageError)

    /// The first batch; nil in an empty segment.
    func first() throws(StorageError) -> ArraySlice<UInt8>?

    /// The last batch; nil in an empty segment.
    func last() throws(StorageError) -> ArraySlice<UInt8>?

    /// Reads every batch, in the order of writing.
    func read(_ body: (ArraySlice<UInt8>) throws(StorageError) -> Void) throws(StorageError)

    /// Writes everything to the disk, and closes the file.
    func close() throws(StorageError)
}

/// The directory of the journal's segments: `000001.journal`, `000002.journal`, and so on.
///
/// Earlier versions wrote segments as SQLite databases: `000001.sqlite`, with a log `000001.sqlite-wal`. A
/// segment that has both is of the present version, whose process died before it removed the other.
struct SegmentDirectory: Sendable {
    let path: String

    /// The directory at a path.
    init(_ path: String) { self.path = path }

    /// Creates the directory if it is missing.
    func create() throws(StorageError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .failed(path: path, what: error.localizedDescription)
        }
        try StorageError.checkOwner(of: path, isDirectory: true)
    }

    /// Returns the path of a segment's file; of an earlier version if only such a file exists.
    func file(of segment: Int) -> String {
        let (file, database) = (path(of: segment, "journal"), path(of: segment, "sqlite"))
        return access(file, F_OK) != 0 && access(database, F_OK) == 0 ? database : file
    }

    /// Returns the path of the file that the present version makes for a segment.
    func newFile(of segment: Int) -> String { path(of: segment, "journal") }

    private func path(of segment: Int, _ suffix: String) -> String {
        let digits = String(segment)
        return "\(path)/\(String(repeating: "0", count: max(0, 6 - digits.count)))\(digits).\(suffix)"
    }

    /// Returns the number of the segment that a file is a part of; nil for any other name.
    private static func segment(of name: String) -> Int? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, ["journal", "sqlite", "sqlite-wal"].contains(parts[1]) else { return nil }
        return Int(parts[0])
    }

    /// Returns the names of the segments' files, ascending by segment; a log follows its database.
    func files() throws(StorageError) -> [String] {
        try names().compactMap { name in Self.segment(of: name).map { (segment: $0, name: name) } }
            .sorted { ($0.segment, $0.name) < ($1.segment, $1.name) }.map(\.name)
    }

    private func names() throws(StorageError) -> [String] {
        try StorageError.checkOwner(of: path, isDirectory: true)
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .failed(path: path, what: error.localizedDescription)
        }
    }

    /// Returns the numbers of the segments, ascending.
    func segments() throws(StorageError) -> [Int] {
        Set(try files().filter { !$0.hasSuffix("-wal") }.compactMap(Self.segment)).sorted()
    }

    /// Opens the file of a segment.
    ///
    /// - Parameters: As for ``SegmentFile``.
    /// - Throws: `inUse` if another process has it open for appending, `newer`, `damaged` or `failed`.
    func open(
        _ segment: Int, toAppendWith durability: Durability? = nil, mayBeTorn: Bool = true
    ) throws(StorageError) -> any StoredSegment {
        let file = file(of: segment)
        return file.hasSuffix(".sqlite")
            ? try DatabaseSegment(opening: file)
            : try SegmentFile(opening: file, toAppendWith: durability, mayBeTorn: mayBeTorn)
    }

    /// Deletes files whose creation was not finished.
    func removeUnfinished() throws(StorageError) {
        for name in try names() where name.contains(".making") { try remove("\(path)/\(name)") }
    }

    /// Deletes the files of a segment.
    func remove(_ segment: Int) throws(StorageError) {
        try removeDatabase(segment)
        try remove(newFile(of: segment))
    }

    /// Deletes the files of an earlier version of a segment.
    func removeDatabase(_ segment: Int) throws(StorageError) {
        for suffix in ["sqlite-wal", "sqlite-shm", "sqlite"] { try remove(path(of: segment, suffix)) }
    }

    /// Deletes a file if it exists.
    func remove(_ file: String) throws(StorageError) {
        guard unlink(file) == 0 || errno == ENOENT else {
            throw .failed(path: file, what: String(cString: strerror(errno)))
        }
    }
}
