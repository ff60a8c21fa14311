import CSQLite

/// A function of SQL that is written in Swift, as SQLite owns it.
final class SQLFunction: Sendable {
    private let body: @Sendable ([DatabaseValue]) -> Int64

    init(_ body: @escaping @Sendable ([DatabaseValue]) -> Int64) { self.body = body }

    /// Adds the function to a connection.
    ///
    /// - Returns: The result code.
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
