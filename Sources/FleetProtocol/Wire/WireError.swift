/// The error for bytes that are not a message of this contract.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of problems.
    public enum Problem: Hashable, Sendable {
        /// More bytes than allowed.
        case tooLong(bytes: Int, limit: Int)
        /// Not a protobuf message of the expected shape.
        case notDecodable
        /// Another major version of the contract.
        case version(UInt32)
        /// A required field is missing.
        case missing(field: String)
        /// A field's value is not allowed; the allowed values, as text.
        case malformed(field: String, expected: String)
    }

    /// The problem.
    public let problem: Problem
    /// The message's correlation, so that it can be answered; 0 if it could not be read.
    public internal(set) var correlation: UInt64 = 0

    /// The problem as text.
    ///
    /// It never contains payloads.
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

    static func missing(_ field: String) -> WireError { WireError(problem: .missing(field: field)) }

    /// A field with a value that is not allowed, and the allowed values, as text.
    package static func malformed(_ field: String, _ expected: String) -> WireError {
        WireError(problem: .malformed(field: field, expected: expected))
    }

    func answering(_ correlation: UInt64) -> WireError {
        WireError(problem: problem, correlation: correlation)
    }
}
