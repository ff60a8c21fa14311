import ControllerCore
import FleetProtocol
import Foundation
import GRDB
import Runtime
import Synchronization

/// One segment of the journal: an SQLite file with the epoch that it belongs to, and batches.
///
/// Whoever has it open has it alone: a commit then asks nobody whether the file may be written, which would
/// be six system calls more.
final class SegmentFile: Sendable {
    /// The form of the file, in its `user_version`; 0 is a file that was not finished.
    ///
    /// In the first form no segment says what is known of those before it, before the third no state has more
    /// than four settings, before the fourth nothing is corrected, and before the fifth no account has a
    /// horizon of its own; all are read.
    private static let format = 5

    private let database: DatabaseQueue
    /// Nil until something is appended, and once the file is closed.
    private let insert = Mutex<BatchInsert?>(nil)
    let path: String

    /// Where the file of a segment is.
    static func path(of segment: Int, in directory: String) -> String {
        let digits = String(segment)
        return "\(directory)/\(String(repeating: "0", count: max(0, 6 - digits.count)))\(digits).sqlite"
    }

    /// Opens a segment.
    ///
    /// - Throws: `newer`, `damaged` or `failed`.
    init(opening path: String, _ durability: Durability) throws(StorageError) {
        self.path = path
        do {
            database = try Self.database(at: path, durability)
            let format = try database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } ?? 0
            guard format <= Self.format else { throw StorageError.newer(path: path) }
            guard format > 0 else {
                throw StorageError.damaged(path: path, what: "no segment of a journal")
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Makes a segment with nothing in it; nothing may be at the path.
    static func create(at path: String, for epoch: Epoch, _ durability: Durability) throws(StorageError) {
        do {
            let database = try database(at: path, durability)
            try database.writeWithoutTransaction { db in
                try db.inTransaction(.exclusive) {
                    try db.execute(
                        sql: """
                            CREATE TABLE owner (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL);
                            CREATE TABLE batches (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
                            """)
                    try db.execute(sql: "INSERT INTO owner VALUES (1, ?)", arguments: [Int64(epoch.value)])
                    try db.execute(sql: "PRAGMA user_version = \(format)")
                    return .commit
                }
                try db.checkpoint(.truncate)
            }
            try database.close()
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// A file of write-ahead logging, whose log is written back by nobody but us.
    private static func database(at path: String, _ durability: Durability) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(2)
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try db.writeAhead(synchronous: durability.synchronous, path: path)
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        return database
    }

    /// Makes an epoch the only one that may append.
    ///
    /// - Throws: `fenced` when a higher one is there.
    func take(for epoch: Epoch) throws(StorageError) {
        do {
            try database.writeWithoutTransaction { db in
                try db.inTransaction(.exclusive) {
                    let owner = try Self.owner(db)
                    guard owner <= epoch else { throw StorageError.fenced(by: owner) }
                    try db.execute(sql: "UPDATE owner SET epoch = ?", arguments: [Int64(epoch.value)])
                    return .commit
                }
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Keeps a batch, whole or not at all, if the segment is still that epoch's.
    ///
    /// - Throws: `fenced` when it is another's, `full`, or `failed`.
    func append(_ batch: [UInt8], as epoch: Epoch) throws(StorageError) {
        do {
            let isKept = try insert.withLock { insert in
                if insert == nil { try database.writeWithoutTransaction { insert = try BatchInsert(in: $0) } }
                return try insert?.run(batch, as: epoch)
            }
            guard isKept == true else { throw StorageError.fenced(by: try database.read(Self.owner)) }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    private static func owner(_ db: Database) throws -> Epoch {
        guard let value = try Int64.fetchOne(db, sql: "SELECT epoch FROM owner"), value >= 0 else {
            throw Damage.row(table: "owner")
        }
        return Epoch(UInt64(value))
    }

    /// The first batch; nil when there is none.
    func first() throws(StorageError) -> ArraySlice<UInt8>? {
        do {
            return try database.read { db in
                try Data.fetchOne(db, sql: "SELECT bytes FROM batches ORDER BY number LIMIT 1")
            }.map { ArraySlice($0) }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Every batch, in the order in which they were kept.
    func read(_ body: (ArraySlice<UInt8>) throws(StorageError) -> Void) throws(StorageError) {
        do {
            try database.read { db in
                let batches = try Data.fetchCursor(db, sql: "SELECT bytes FROM batches ORDER BY number")
                while let batch = try batches.next() { try body(ArraySlice(batch)) }
            }
        } catch StorageError.damaged(_, let what) {
            throw .damaged(path: path, what: what)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Writes the log back into the file, and lets go of it.
    func close() throws(StorageError) {
        insert.withLock { $0 = nil }
        do {
            try database.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
            try database.close()
        } catch {
            throw StorageError(error, path: path)
        }
    }
}
