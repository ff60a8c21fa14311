import ControllerCore
import FileFraming
import FleetProtocol
import Foundation
import GRDB
import GRDBSQLite
import ProcessSupport
import Synchronization

/// One segment of the journal: an SQLite file with the epoch that owns it, and batches.
///
/// An open segment is locked exclusively (`locking_mode = EXCLUSIVE`): a commit then takes no file locks,
/// which saves six system calls.
final class SegmentFile: Sendable {
    /// The format of the file, in its `user_version`; 0 means that the file was not finished.
    ///
    /// All formats are readable. Format 2 added the state carried over from earlier segments, 3 more than
    /// four settings in a state, 4 corrections, 5 a horizon for each account. Format 6 added the links
    /// between batches and the owner's checksum.
    private static let format = 6

    private let database: DatabaseQueue
    /// Whether the owner's epoch has a checksum.
    private let isOwnerSummed: Bool
    /// The insert statement; nil before the first append, and after the close.
    private let insert = Mutex<BatchInsert?>(nil)
    let path: String

    /// Returns the path of a segment's file.
    static func path(of segment: Int, in directory: String) -> String {
        let digits = String(segment)
        return "\(directory)/\(String(repeating: "0", count: max(0, 6 - digits.count)))\(digits).sqlite"
    }

    /// Returns the number of the segment with that file name; nil for any other name.
    static func number(of name: String) -> Int? { name.hasSuffix(".sqlite") ? Int(name.dropLast(7)) : nil }

    /// Opens a segment.
    ///
    /// - Throws: `newer`, `damaged` or `failed`.
    init(opening path: String, _ durability: Durability) throws(StorageError) {
        self.path = path
        do {
            database = try Self.database(at: path, durability)
            let format = try database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } ?? 0
            guard format <= Self.format else { throw StorageError.newer(path: path) }
            guard format > 0 else { throw StorageError.damaged(path: path, what: "not a journal segment") }
            isOwnerSummed = format > 5
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Creates an empty segment at a path without a file.
    static func create(at path: String, for epoch: Epoch, _ durability: Durability) throws(StorageError) {
        do {
            let database = try database(at: path, durability)
            try database.writeWithoutTransaction { db in
                try db.inTransaction(.exclusive) {
                    try db.execute(
                        sql: """
                            CREATE TABLE owner (
                                id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL,
                                checksum INTEGER NOT NULL);
                            CREATE TABLE batches (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
                            """)
                    try db.execute(
                        sql: "INSERT INTO owner VALUES (1, ?, ?)",
                        arguments: [Int64(epoch.value), checksum(of: epoch)])
                    try db.execute(sql: "PRAGMA user_version = \(format)")
                    return .commit
                }
                try db.checkpoint(.truncate)
            }
            try database.writeBackOnClose(true)
            try database.close()
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Opens a database in WAL mode that SQLite never checkpoints on its own, not even at its close.
    private static func database(at path: String, _ durability: Durability) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(2)
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.writeBackOnClose(false)
        try database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            try db.writeAhead(synchronous: durability.synchronous, path: path)
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        return database
    }

    /// Stores an epoch as the only one that may append.
    ///
    /// - Throws: `fenced` if the file has a higher one.
    func claim(for epoch: Epoch) throws(StorageError) {
        do {
            try database.writeWithoutTransaction { db in
                try db.inTransaction(.exclusive) {
                    let owner = try owner(db)
                    guard owner <= epoch else { throw StorageError.fenced(by: owner) }
                    try db.execute(sql: "UPDATE owner SET epoch = ?", arguments: [Int64(epoch.value)])
                    if isOwnerSummed {
                        try db.execute(
                            sql: "UPDATE owner SET checksum = ?", arguments: [Self.checksum(of: epoch)])
                    }
                    return .commit
                }
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Writes a batch atomically, if the segment still has the epoch.
    ///
    /// - Throws: `fenced` if it has another epoch, `full`, or `failed`.
    func append(_ batch: [UInt8], as epoch: Epoch) throws(StorageError) {
        do {
            let isWritten = try insert.withLock { insert in
                if insert == nil { try database.writeWithoutTransaction { insert = try BatchInsert(in: $0) } }
                return try insert?.run(batch, as: epoch)
            }
            guard isWritten == true else { throw StorageError.fenced(by: try database.read(owner)) }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Checks that the owner's epoch matches its checksum.
    func checkOwner() throws(StorageError) {
        do {
            _ = try database.read(owner)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    private func owner(_ db: Database) throws -> Epoch {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM owner"),
            let value = UInt64(exactly: try row.decode(Int64.self, forColumn: "epoch"))
        else { throw Damage.row(table: "owner") }
        if isOwnerSummed, try row.decode(Int64.self, forColumn: "checksum") != Self.checksum(of: Epoch(value))
        {
            throw Damage.row(table: "owner")
        }
        return Epoch(value)
    }

    private static func checksum(of epoch: Epoch) -> Int64 {
        var writer = RecordWriter()
        writer.put(epoch.value)
        return Int64(Checksum.of(writer.bytes))
    }

    /// The first batch; nil in an empty segment.
    func first() throws(StorageError) -> ArraySlice<UInt8>? { try batch("ASC") }

    /// The last batch; nil in an empty segment.
    func last() throws(StorageError) -> ArraySlice<UInt8>? { try batch("DESC") }

    private func batch(_ order: String) throws(StorageError) -> ArraySlice<UInt8>? {
        do {
            return try database.read { db in
                try Data.fetchOne(db, sql: "SELECT bytes FROM batches ORDER BY number \(order) LIMIT 1")
            }.map { ArraySlice($0) }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Reads every batch, in the order of writing.
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

    /// Checkpoints the log into the file, and closes it.
    func close() throws(StorageError) {
        insert.withLock { $0 = nil }
        do {
            try database.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
            try database.writeBackOnClose(true)
            try database.close()
        } catch {
            throw StorageError(error, path: path)
        }
    }
}

/// The prepared insert that every toggle waits for twice, run in SQLite without GRDB's layers.
///
/// Those layers serve transaction observers, which a segment does not have. They cost a single toggle more
/// than SQLite itself does: a dozen microseconds each time, because the processor's caches have lost them.
struct BatchInsert: ~Copyable {
    private let connection: OpaquePointer
    private let statement: OpaquePointer

    /// Prepares the statement.
    ///
    /// - Parameter database: It must stay open longer than the statement, and be used by one thread at a
    ///   time.
    init(in database: Database) throws {
        guard let connection = database.sqliteConnection else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE)
        }
        // GRDB's hooks notify its observers, and treat a commit that GRDB did not begin as an error.
        sqlite3_commit_hook(connection, nil, nil)
        sqlite3_rollback_hook(connection, nil, nil)
        var statement: OpaquePointer?
        let text = "INSERT INTO batches (bytes) SELECT ? FROM owner WHERE epoch = ?"
        let code = sqlite3_prepare_v3(
            connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw Self.error(code, of: connection) }
        (self.connection, self.statement) = (connection, statement)
    }

    deinit { sqlite3_finalize(statement) }

    /// Inserts a batch in a separate transaction.
    ///
    /// - Returns: Whether it was inserted; false while the file belongs to another epoch.
    /// - Throws: `DatabaseError`; then nothing was inserted, and the statement can be run again.
    borrowing func run(_ batch: [UInt8], as epoch: Epoch) throws -> Bool {
        try batch.withUnsafeBytes { bytes in
            defer { sqlite3_clear_bindings(statement) }
            sqlite3_bind_blob64(statement, 1, bytes.baseAddress, UInt64(bytes.count), nil)
            sqlite3_bind_int64(statement, 2, Int64(epoch.value))
            let code = sqlite3_step(statement)
            let error = code == SQLITE_DONE ? nil : Self.error(code, of: connection)
            sqlite3_reset(statement)
            if let error { throw error }
            return sqlite3_changes(connection) == 1
        }
    }

    private static func error(_ code: CInt, of connection: OpaquePointer) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(connection)))
    }
}

extension Database {
    /// Sets WAL mode and the `synchronous` level, and reads both back.
    ///
    /// - Throws: `failed` when SQLite did not apply both.
    func writeAhead(synchronous wanted: (word: String, number: Int), path: String) throws {
        let mode = try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL")
        try execute(sql: "PRAGMA synchronous = \(wanted.word)")
        let synchronous = try Int.fetchOne(self, sql: "PRAGMA synchronous")
        guard mode == "wal", synchronous == wanted.number else {
            throw StorageError.failed(
                path: path, what: "write-ahead logging, synchronous \(wanted.word), is not available")
        }
    }
}

extension Durability {
    /// The `synchronous` level for a durability, by its name and by the number that SQLite reads back.
    var synchronous: (word: String, number: Int) {
        switch self {
        case .none, .process: ("NORMAL", 1)
        case .power: ("FULL", 2)
        }
    }
}
