/// A row of a query, as a copy.
struct Row: Sendable {
    /// The names of the columns, in the order of the query.
    let columns: [String]
    let values: [DatabaseValue]

    /// The value of the first column with a name; an optional type accepts NULL.
    ///
    /// - Throws: ``ColumnError`` without such a column, or for a value of another type.
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
