/// A value that is stored on disk as a fixed sequence of fields.
///
/// A value that was read writes the same bytes again. A released format never changes: a new format gets
/// another number in the file that contains it.
public protocol Recordable: Sendable {
    func write(to writer: inout RecordWriter)

    /// Reads the fields in the same order.
    ///
    /// - Throws: `RecordError` if the bytes end too early, or a field has an invalid value.
    init(from reader: inout RecordReader) throws(RecordError)
}

/// The error for bytes that are not a record.
public enum RecordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end before the record does.
    case truncated
    /// A field has an invalid value.
    case malformed(field: String)
    /// Bytes are left after the record.
    case trailing(bytes: Int)

    /// The problem as text.
    public var description: String {
        switch self {
        case .truncated: "it ends too early"
        case .malformed(let field): "its \(field) has an invalid value"
        case .trailing(let bytes): "\(bytes) bytes too many"
        }
    }
}
