/// Bytes that are no message of this contract.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with them.
    public enum Problem: Hashable, Sendable {
        /// More bytes than allowed.
        case tooLong(bytes: Int, limit: Int)
        /// Not a protobuf message of the expected shape.
        case notDecodable
        /// Another major version of the contract.
        case version(UInt32)
        /// A field that must be there is not.
        case missing(field: String)
        /// A field's value is not allowed; what is, in words.
        case malformed(field: String, expected: String)
    }

    /// What is wrong.
    public let problem: Problem
    /// The message's correlation, so that it can be answered; 0 where it could not be read.
    public internal(set) var correlation: UInt64 = 0

    /// What is wrong, in words.
    ///
    /// Payloads never appear in it.
    public var description: String {
        switch problem {
        case .tooLong(let bytes, let limit): "message of \(bytes) bytes: at most \(limit) are allowed"
        case .notDecodable: "not a protobuf message of package sensibus.v1"
        case .version(let version):
            "protocol version \(version): this is version \(Limits.protocolVersion); use a client of that version"
        case .missing(let field): "\(field): missing"
        case .malformed(let field, let expected): "\(field): expected \(expected)"
        }
    }

    static var notDecodable: WireError { WireError(problem: .notDecodable) }

    static func missing(_ field: String) -> WireError {
        WireError(problem: .missing(field: field))
    }

    /// A field whose value is not allowed, and what is, in words.
    package static func malformed(_ field: String, _ expected: String) -> WireError {
        WireError(problem: .malformed(field: field, expected: expected))
    }

    func answering(_ correlation: UInt64) -> WireError {
        WireError(problem: problem, correlation: correlation)
    }
}
