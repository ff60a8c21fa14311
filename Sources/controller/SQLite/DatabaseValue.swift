/// A value of a column or a parameter, in one of SQLite's five storage classes.
enum DatabaseValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    /// Text, which may contain NUL. Invalid UTF-8 in a file is repaired when it is read.
    case text(String)
    /// Bytes; an empty blob is not `null`.
    case blob([UInt8])

    var storageClass: String {
        switch self {
        case .null: "NULL"
        case .integer: "INTEGER"
        case .real: "REAL"
        case .text: "TEXT"
        case .blob: "BLOB"
        }
    }
}

/// A type whose values are bound to parameters and read from columns.
protocol DatabaseValueConvertible: Sendable {
    var databaseValue: DatabaseValue { get }

    /// Converts a stored value; nil for another storage class, and for a number that is out of range.
    init?(databaseValue: DatabaseValue)
}

extension DatabaseValue: DatabaseValueConvertible {
    var databaseValue: DatabaseValue { self }

    init?(databaseValue: DatabaseValue) { self = databaseValue }
}

extension Int64: DatabaseValueConvertible {}
extension Int32: DatabaseValueConvertible {}
extension Int: DatabaseValueConvertible {}

extension DatabaseValueConvertible where Self: FixedWidthInteger & SignedInteger {
    var databaseValue: DatabaseValue { .integer(Int64(self)) }

    init?(databaseValue value: DatabaseValue) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }
}

/// Stored as the integers 0 and 1; every other integer is read as true.
extension Bool: DatabaseValueConvertible {
    var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }

    init?(databaseValue value: DatabaseValue) {
        guard case .integer(let number) = value else { return nil }
        self = number != 0
    }
}

extension String: DatabaseValueConvertible {
    var databaseValue: DatabaseValue { .text(self) }

    init?(databaseValue value: DatabaseValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension [UInt8]: DatabaseValueConvertible {
    var databaseValue: DatabaseValue { .blob(self) }

    init?(databaseValue value: DatabaseValue) {
        guard case .blob(let bytes) = value else { return nil }
        self = bytes
    }
}

/// Stored as NULL without a value.
extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

    init?(databaseValue value: DatabaseValue) {
        switch value {
        case .null: self = .none
        default:
            guard let wrapped = Wrapped(databaseValue: value) else { return nil }
            self = .some(wrapped)
        }
    }
}
