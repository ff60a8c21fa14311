/// A value that is kept on disk as a fixed order of fields.
///
/// Writing what was read gives the same bytes again. A form that was released never changes: a new one gets
/// another number in the file that it is part of.
public protocol Recordable: Sendable {
    /// Appends the fields.
    func write(to writer: inout RecordWriter)

    /// Takes the fields in the same order.
    ///
    /// - Throws: What is not as it was written: the end came too early, or a field has a value that it cannot
    ///   have.
    init(from reader: inout RecordReader) throws(RecordError)
}

/// Why bytes are no record.
public enum RecordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end before the record does.
    case truncated
    /// A field has a value that it cannot have.
    case malformed(field: String)
    /// Bytes are left behind the record.
    case trailing(bytes: Int)

    /// What is wrong.
    public var description: String {
        switch self {
        case .truncated: "it ends too early"
        case .malformed(let field): "its \(field) has a value that it cannot have"
        case .trailing(let bytes): "\(bytes) bytes too many"
        }
    }
}
