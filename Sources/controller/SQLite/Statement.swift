import CSQLite

/// A prepared statement. Like its database, it is not thread-safe. Each method binds its arguments in the
/// order of the parameters: one for each. It resets the statement before it returns, so no statement holds a
/// lock between two calls.
final class Statement {
    private let handle: OpaquePointer
    /// The database of the connection; nil in its cache.
    private let database: Database?

    /// Prepares one statement; one of the database's cache has none.
    init(_ sql: String, of connection: OpaquePointer, keeping database: Database?) throws(DatabaseError) {
        var handle: OpaquePointer?
        let flags = database == nil ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let code = sqlite3_prepare_v3(connection, sql, -1, flags, &handle, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code, of: connection) }
        guard let handle else { preconditionFailure("no statement in: \(sql)") }
        (self.handle, self.database) = (handle, database)
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs the statement to its end, and ignores its rows.
    func execute(_ arguments: [any DatabaseValueConvertible] = []) throws(DatabaseError) {
        defer { reset() }
        try bind(arguments)
        while try step() {}
    }

    func rows(_ arguments: [any DatabaseValueConvertible] = []) throws(DatabaseError) -> [Row] {
        defer { reset() }
        try bind(arguments)
        var rows: [Row] = []
        while try step() {
            let places = 0..<sqlite3_column_count(handle)
            rows.append(Row(columns: rows.first?.columns ?? places.map(column), values: places.map(value)))
        }
        return rows
    }

    /// Calls a closure with the first column of each row; none after it has thrown.
    func forEach<Value: DatabaseValueConvertible>(
        _ type: Value.Type, _ arguments: [any DatabaseValueConvertible] = [], _ body: (Value) throws -> Void
    ) throws {
        defer { reset() }
        try bind(arguments)
        while try step() { try body(try Row.convert(value(at: 0), of: column(at: 0))) }
    }

    /// Returns the first column of all rows.
    func values<Value: DatabaseValueConvertible>(
        _ type: Value.Type, _ arguments: [any DatabaseValueConvertible] = []
    ) throws -> [Value] {
        var values: [Value] = []
        try forEach(type, arguments) { values.append($0) }
        return values
    }

    /// Returns the first column of the first row; nil for NULL and without a row.
    func value<Value: DatabaseValueConvertible>(
        _ type: Value.Type, _ arguments: [any DatabaseValueConvertible] = []
    ) throws -> Value? {
        try values(Value?.self, arguments).first ?? nil
    }

    // MARK: The calls of SQLite

    private func bind(_ arguments: [any DatabaseValueConvertible]) throws(DatabaseError) {
        precondition(sqlite3_stmt_busy(handle) == 0, "a statement is not reentrant")
        precondition(Int(sqlite3_bind_parameter_count(handle)) == arguments.count, "an argument is missing")
        for (index, argument) in arguments.enumerated() {
            let place = Int32(index + 1)
            let code =
                switch argument.databaseValue {
                case .null: sqlite3_bind_null(handle, place)
                case .integer(let number): sqlite3_bind_int64(handle, place, number)
                case .real(let number): sqlite3_bind_double(handle, place, number)
                case .text(let text): sensibus_bind_text(handle, place, text, UInt64(text.utf8.count))
                case .blob(let bytes): sensibus_bind_blob(handle, place, bytes, UInt64(bytes.count))
                }
            guard code == SQLITE_OK else { throw error(code) }
        }
    }

    private func step() throws(DatabaseError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw error(code)
        }
    }

    private func reset() {
        // The result is that of the last step, which has been reported.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private func error(_ code: Int32) -> DatabaseError { DatabaseError(code, of: sqlite3_db_handle(handle)) }

    private func column(at place: Int32) -> String { String(cString: sqlite3_column_name(handle, place)) }

    private func value(at place: Int32) -> DatabaseValue {
        DatabaseValue(sqlite3_column_value(handle, place))
    }
}

extension DatabaseValue {
    /// Copies a value of SQLite's.
    ///
    /// Safe: SQLite owns the bytes until the next step, or the end of the call of a function, and they are
    /// copied here. A value of a column is not protected by a mutex of SQLite's, and need not be: only one
    /// thread uses the connection. The bytes are read before their number, as SQLite requires.
    init(_ value: OpaquePointer?) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            let start = sqlite3_value_text(value)
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
            self = .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_value_blob(value)
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
            self = .blob([UInt8](bytes))
        default: self = .null
        }
    }
}

/// A row of a query, as a copy.
struct Row: Sendable {
    let columns: [String]
    let values: [DatabaseValue]

    /// The value of the first column with a name; an optional type accepts NULL.
    subscript<Value: DatabaseValueConvertible>(_ column: String) -> Value {
        get throws(ColumnError) {
            guard let place = columns.firstIndex(of: column) else {
                throw ColumnError(column: column, expected: "\(Value.self)", found: nil)
            }
            return try Self.convert(values[place], of: column)
        }
    }

    static func convert<Value: DatabaseValueConvertible>(
        _ value: DatabaseValue, of column: @autoclosure () -> String
    ) throws(ColumnError) -> Value {
        guard let converted = Value(databaseValue: value) else {
            throw ColumnError(column: column(), expected: "\(Value.self)", found: value.storageClass)
        }
        return converted
    }
}
