import ControllerCore
import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport

/// The directory of the journal's segments: `000001.journal`, `000002.journal`, and so on.
struct SegmentDirectory: Sendable {
    let path: String

    init(_ path: String) { self.path = path }

    func create() throws(StorageError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .failed(path: path, what: Self.reason(of: error))
        }
        try StorageError.checkOwner(of: path, isDirectory: true)
    }

    private static func reason(of error: any Error) -> String {
        let cause = (error as? CocoaError)?.underlying as? POSIXError
        return cause.flatMap { strerror($0.code.rawValue) }.map { String(cString: $0) } ?? "\(error)"
    }

    func file(of segment: Int) -> String {
        let digits = String(segment)
        return "\(path)/\(String(repeating: "0", count: max(0, 6 - digits.count)))\(digits).journal"
    }

    private static func segment(of name: String) -> Int? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[1] == "journal" ? Int(parts[0]) : nil
    }

    /// Returns the names of the segments' files, ascending by segment. It fails with `older` for a segment
    /// that an earlier version wrote as a database.
    func files() throws(StorageError) -> [String] {
        let names = try names()
        if let database = names.sorted().first(where: { $0.hasSuffix(".sqlite") }) {
            throw .older(path: "\(path)/\(database)")
        }
        return names.compactMap { name in Self.segment(of: name).map { (segment: $0, name: name) } }
            .sorted { $0.segment < $1.segment }.map(\.name)
    }

    private func names() throws(StorageError) -> [String] {
        try StorageError.checkOwner(of: path, isDirectory: true)
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .failed(path: path, what: Self.reason(of: error))
        }
    }

    /// Returns the numbers of the segments, ascending.
    func segments() throws(StorageError) -> [Int] { try files().compactMap(Self.segment) }

    /// Opens the file of a segment, as ``SegmentFile`` does; `inUse` if another process has it open for
    /// appending.
    func open(
        _ segment: Int, toAppendWith durability: Durability? = nil, mayBeTorn: Bool = true
    ) throws(StorageError) -> SegmentFile {
        try SegmentFile(opening: file(of: segment), toAppendWith: durability, mayBeTorn: mayBeTorn)
    }

    /// Deletes files whose creation was not finished.
    func removeUnfinished() throws(StorageError) {
        for name in try names() where name.contains(".making") { try remove("\(path)/\(name)") }
    }

    func remove(_ segment: Int) throws(StorageError) { try remove(file(of: segment)) }

    func remove(_ file: String) throws(StorageError) {
        guard unlink(file) == 0 || errno == ENOENT else {
            throw .failed(path: file, what: String(cString: strerror(errno)))
        }
    }
}
