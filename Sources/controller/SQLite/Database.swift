import CSQLite
import Synchronization

/// A connection to a database file. It is not thread-safe; ``SerializedDatabase`` is. Foreign keys are
/// enforced. Text in double quotes is a name, and never a string. All methods throw ``DatabaseError``, also
/// after ``close()`` (`SQLITE_MISUSE`).
final class Database {
    enum TransactionKind: String {
        /// With its first read and its first write.
        case deferred
        /// At once: no other connection can write.
        case immediate
        /// At once: no other connection can write, nor read unless the file has a write-ahead log.
        case exclusive
    }

    enum Completion: String { case commit, rollback }

    /// The version of the library, such as `3.40.1`.
    static var version: String { String(cString: sqlite3_libversion()) }

    /// Nil after the connection was closed.
    private var connection: OpaquePointer?
    private var statements: [String: Statement] = [:]

    /// Opens a file, which is created if it is missing, and reads its header. The path `:memory:` is of a
    /// database in memory. Each call waits for the locks of others for the timeout, to the millisecond. The
    /// error is of kind `damaged` for a file that is not a database.
    init(path: String, busyTimeout: Duration = .zero) throws(DatabaseError) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &connection, flags, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code) }
        let connection = try open()
        sqlite3_extended_result_codes(connection, 1)
        sqlite3_busy_timeout(connection, Int32(busyTimeout / .milliseconds(1)))
        try check(sensibus_forbid_quoted_strings(connection))
        try execute("PRAGMA foreign_keys = ON; SELECT 1 FROM sqlite_schema LIMIT 1")
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(connection)
    }

    /// Closes the connection; without effect on a closed one. It fails with `SQLITE_BUSY`, and stays open,
    /// while a statement from ``prepare(_:)`` exists.
    func close() throws(DatabaseError) {
        statements = [:]
        try check(sqlite3_close(connection))
        connection = nil
    }

    // MARK: Statements

    /// Runs statements without parameters, up to the first that fails.
    func execute(_ script: String) throws(DatabaseError) {
        try check(sqlite3_exec(try open(), script, nil, nil, nil))
    }

    /// Prepares one statement, which is finalized with its last reference. A statement keeps its database:
    /// the connection of both is closed with the last reference to either.
    func prepare(_ sql: String) throws(DatabaseError) -> Statement {
        try Statement(sql, of: try open(), keeping: self)
    }

    /// Returns a statement of the source code, which stays prepared until the connection is closed.
    /// Statements that are made at run time are not cached, so the number of cached ones is bounded.
    func cached(_ sql: StaticString) throws(DatabaseError) -> Statement {
        try cached(sql.description)
    }

    private func cached(_ sql: String) throws(DatabaseError) -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try Statement(sql, of: try open(), keeping: nil)
        statements[sql] = statement
        return statement
    }

    func hasTable(_ name: String) throws(DatabaseError) -> Bool {
        let query = "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?"
        return try !prepare(query).rows([name]).isEmpty
    }

    // MARK: Transactions

    /// Runs work in a transaction, which is rolled back if the work or the commit fails; it cannot be nested.
    func inTransaction<Result>(
        _ kind: TransactionKind, then end: Completion = .commit, _ body: () throws -> Result
    ) throws -> Result {
        try cached("BEGIN \(kind.rawValue)").execute()
        do {
            let result = try body()
            try cached(end.rawValue).execute()
            return result
        } catch {
            // After some errors, such as that of a full disk, SQLite has rolled back already. An error of the
            // rollback leaves the transaction open, so the next one fails to begin.
            if sqlite3_get_autocommit(connection) == 0 { try? cached(Completion.rollback.rawValue).execute() }
            throw error
        }
    }

    // MARK: Files

    /// Writes the write-ahead log back into the file and truncates it; without effect on a file without one.
    /// It fails with `busy` while another connection reads or writes.
    func checkpoint() throws(DatabaseError) {
        try check(sqlite3_wal_checkpoint_v2(try open(), "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
    }

    /// Sets whether the last connection to be closed writes the log back and removes it, as it does at first.
    func writeBackOnClose(_ writesBack: Bool) throws(DatabaseError) {
        try check(sensibus_write_back_on_close(try open(), writesBack ? 1 : 0))
    }

    /// Copies the content of this database into another one, which it replaces (online backup). Other
    /// connections may write during the copy, which has the content of one moment.
    func backUp(to target: Database) throws(DatabaseError) {
        guard let backup = sqlite3_backup_init(try target.open(), "main", try open(), "main") else {
            throw DatabaseError(sqlite3_extended_errcode(target.connection), of: target.connection)
        }
        let code = sqlite3_backup_step(backup, -1)
        let finished = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw DatabaseError(code) }
        try target.check(finished)
    }

    // MARK: Functions

    /// Adds a function of any number of arguments to SQL, which depends on these only.
    func addFunction(
        _ name: String, _ body: @escaping @Sendable ([DatabaseValue]) -> Int64
    ) throws(DatabaseError) {
        try check(SQLFunction(body).add(name, to: try open()))
    }

    private func open() throws(DatabaseError) -> OpaquePointer {
        guard let connection else { throw DatabaseError(SQLITE_MISUSE) }
        return connection
    }

    private func check(_ code: Int32) throws(DatabaseError) {
        guard code == SQLITE_OK else { throw DatabaseError(code, of: connection) }
    }
}

/// A connection to a database file for several threads, which use it one after another.
///
/// `@unchecked Sendable` is safe: the connection is private, and only ``withLock(_:)`` lends it, while it
/// holds the lock. Neither ``Database`` nor ``Statement`` is `Sendable`, so they cannot be the result of a
/// closure. A closure must not store them elsewhere.
final class SerializedDatabase: @unchecked Sendable {
    private let database: Database
    private let lock = Mutex(())

    /// Opens a file as ``Database/init(path:busyTimeout:)`` does.
    init(path: String, busyTimeout: Duration = .zero) throws(DatabaseError) {
        database = try Database(path: path, busyTimeout: busyTimeout)
    }

    /// Runs work with the connection, while other threads wait for it. Their wait is as long as the work
    /// takes. The work must not call this method of the same database.
    func withLock<Result: Sendable, Failure: Error>(
        _ body: (Database) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { (_) throws(Failure) in try body(database) }
    }
}

/// A function of SQL that is written in Swift, as SQLite owns it.
final class SQLFunction: Sendable {
    private let body: @Sendable ([DatabaseValue]) -> Int64

    init(_ body: @escaping @Sendable ([DatabaseValue]) -> Int64) { self.body = body }

    /// Adds the function to a connection, and returns the result code.
    func add(_ name: String, to connection: OpaquePointer) -> Int32 {
        // Safe: SQLite releases the reference when the connection is closed, also if the function cannot be
        // added. Until then every call has it as its user data.
        sqlite3_create_function_v2(
            connection, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            Unmanaged.passRetained(self).toOpaque(),
            { context, count, values in
                let function = Unmanaged<SQLFunction>.fromOpaque(sqlite3_user_data(context))
                let arguments = UnsafeBufferPointer(start: values, count: Int(count)).map {
                    DatabaseValue($0)
                }
                sqlite3_result_int64(context, function.takeUnretainedValue().body(arguments))
            },
            nil, nil, { function in function.map { Unmanaged<SQLFunction>.fromOpaque($0).release() } })
    }
}
