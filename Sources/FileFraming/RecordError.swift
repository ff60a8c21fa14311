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
