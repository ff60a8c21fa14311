import ControllerCore
import FileFraming
import FleetProtocol
import ProcessSupport
import SQLite

/// A segment of an earlier version: an SQLite database with the epoch that owns it, and a batch in each row.
///
/// It is read, claimed and closed; nothing is appended to it.
///
/// Its format is in its `user_version`; 0 means that the file was not finished. Format 2 added the state
/// carried over from earlier segments, 3 more than four settings in a state, 4 corrections, 5 a horizon for
/// each account. Format 6 added the links between batches and the owner's checksum.
///
/// An open database is locked exclusively (`locking_mode = EXCLUSIVE`).
final class DatabaseSegment: StoredSegment {
    private static let format = 6

    private let database: SerializedDatabase
    /// Whether the owner's epoch has a checksum.
    private let isOwnerSummed: Bool
    let path: String

    /// Opens a segment.
    ///
    /// - Throws: `inUse`, `newer`, `damaged` or `failed`.
    init(opening path: String) throws(StorageError) {
        self.path = path
        try StorageError.checkOwner(ofDatabase: path)
        do {
            let database = try SerializedDatabase(path: path, busyTimeout: .seconds(2))
            let format = try database.withLock { db in
                // SQLite never checkpoints on its own: a refused file does not change.
                try db.writeBackOnClose(false)
                try db.execute("PRAGMA locking_mode = EXCLUSIVE")
                try db.writeAhead(synchronous: Durability.process.synchronous, path: path)
                try db.execute("PRAGMA wal_autocheckpoint = 0")
                return try db.prepare("PRAGMA user_version").value(Int.self) ?? 0
            }
            guard format <= Self.format else { throw StorageError.newer(path: path) }
            guard format > 0 else { throw StorageError.damaged(path: path, what: "not a journal segment") }
            (self.database, isOwnerSummed) = (database, format > 5)
            _ = try database.withLock(owner)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    func claim(for epoch: Epoch) throws(StorageError) {
        try run { db in
            try db.inTransaction(.exclusive) {
                let owner = try owner(db)
                guard owner <= epoch else { throw StorageError.fenced(by: owner) }
                try db.prepare("UPDATE owner SET epoch = ?").execute([Int64(epoch.value)])
                if isOwnerSummed {
                    try db.prepare("UPDATE owner SET checksum = ?").execute([Self.checksum(of: epoch)])
                }
            }
        }
    }

    private func owner(_ db: Database) throws -> Epoch {
        guard let row = try db.prepare("SELECT * FROM owner").rows().first,
            let value = UInt64(exactly: try row["epoch"] as Int64),
            try !isOwnerSummed || row["checksum"] == Self.checksum(of: Epoch(value))
        else { throw Damage.row(table: "owner") }
        return Epoch(value)
    }

    private static func checksum(of epoch: Epoch) -> Int64 {
        var writer = RecordWriter()
        writer.put(epoch.value)
        return Int64(Checksum.of(writer.bytes))
    }

    func first() throws(StorageError) -> ArraySlice<UInt8>? { try batch("ASC") }

    func last() throws(StorageError) -> ArraySlice<UInt8>? { try batch("DESC") }

    private func batch(_ order: String) throws(StorageError) -> ArraySlice<UInt8>? {
        let sql = "SELECT bytes FROM batches ORDER BY number \(order) LIMIT 1"
        return try run { db in try db.prepare(sql).value([UInt8].self) }.map { ArraySlice($0) }
    }

    func read(_ body: (ArraySlice<UInt8>) throws(StorageError) -> Void) throws(StorageError) {
        try run { db in
            try db.prepare("SELECT bytes FROM batches ORDER BY number")
                .forEach([UInt8].self) { try body(ArraySlice($0)) }
        }
    }

    func close() throws(StorageError) {
        try run { db in
            try db.checkpoint()
            try db.writeBackOnClose(true)
            try db.close()
        }
    }

    private func run<Result: Sendable>(_ body: (Database) throws -> Result) throws(StorageError) -> Result {
        do {
            return try database.withLock(body)
        } catch StorageError.damaged(_, let what) {
            throw .damaged(path: path, what: what)
        } catch {
            throw StorageError(error, path: path)
        }
    }
}
