import ControllerCore
import FleetProtocol
import GRDB
import GRDBSQLite

/// The statement that every toggle waits for twice, given to SQLite without GRDB's layers in between.
///
/// These are for observers of transactions, of which there are none here, and cost a toggle on its own more
/// than SQLite itself: a dozen microseconds each time, for they are not in the processor's caches by then.
struct BatchInsert: ~Copyable {
    private let connection: OpaquePointer
    private let statement: OpaquePointer

    /// Prepares the statement.
    ///
    /// - Parameter database: Must stay open for longer than this, and be used by one thread at a time.
    init(in database: Database) throws {
        guard let connection = database.sqliteConnection else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE)
        }
        // GRDB hears of commits to tell its observers, and takes those that it has not begun for a mistake.
        sqlite3_commit_hook(connection, nil, nil)
        sqlite3_rollback_hook(connection, nil, nil)
        var statement: OpaquePointer?
        let text = "INSERT INTO batches (bytes) SELECT ? FROM owner WHERE epoch = ?"
        let code = sqlite3_prepare_v3(
            connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw Self.error(code, of: connection) }
        self.connection = connection
        self.statement = statement
    }

    deinit {
        sqlite3_finalize(statement)
    }

    /// Keeps a batch in a transaction of its own.
    ///
    /// - Returns: Whether it was kept: nothing is while the file belongs to another epoch.
    /// - Throws: `DatabaseError`; then nothing was kept, and the statement can be run again.
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
