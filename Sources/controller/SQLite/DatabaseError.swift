import CSQLite

struct DatabaseError: Error, Equatable, CustomStringConvertible {
    /// The kinds of errors that callers distinguish, by primary result code.
    enum Kind {
        /// The file is damaged, or is not a database (`SQLITE_CORRUPT`, `SQLITE_NOTADB`).
        case damaged
        /// The disk is full (`SQLITE_FULL`).
        case full
        /// Another connection has a lock, and the busy timeout is over (`SQLITE_BUSY`).
        case busy
        case other
    }

    /// The extended result code (https://www.sqlite.org/rescode.html).
    let code: Int32
    /// SQLite's description in English; it names tables and columns, and never has values of rows.
    let message: String

    var kind: Kind {
        switch code & 0xff {
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
        case SQLITE_FULL: .full
        case SQLITE_BUSY: .busy
        default: .other
        }
    }

    var description: String { "\(message) (SQLite error \(code))" }

    init(_ code: Int32) { (self.code, message) = (code, String(cString: sqlite3_errstr(code))) }

    /// An error with the message that a connection has of its last call.
    init(_ code: Int32, of connection: OpaquePointer?) {
        (self.code, message) = (code, String(cString: sqlite3_errmsg(connection)))
    }
}

/// A column that a query does not have, or whose value has another type than the caller expects.
struct ColumnError: Error, Equatable, CustomStringConvertible {
    let column: String
    let expected: String
    /// The type of the value, without the value; nil for a missing column.
    let found: String?

    var description: String {
        found.map { "column \(column) has \($0), not \(expected)" } ?? "column \(column) is missing"
    }
}
