/// A value that is encoded as one protobuf message.
public protocol WireMessage: Sendable {
    /// Decodes a message that is a part of the bytes, such as an element of a batch.
    ///
    /// - Throws: `WireError` if it is too long, is not such a message, or has a value that is not allowed.
    init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError)

    /// The bytes of the message.
    var wireBytes: [UInt8] { get }
}

extension WireMessage {
    /// Decodes a message that is all of the bytes.
    ///
    /// - Throws: As ``init(wireBytes:in:)``.
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        try self.init(wireBytes: bytes, in: 0..<bytes.count)
    }
}

extension FieldReader {
    /// A reader of a whole message; throws `tooLong` if there are more bytes than the limit.
    init(message bytes: [UInt8], in range: Range<Int>, limit: Int = Limits.messageBytes) throws(WireError) {
        guard range.count <= limit else {
            throw WireError(problem: .tooLong(bytes: range.count, limit: limit))
        }
        self.init(bytes, range)
    }
}

extension FieldWriter {
    /// Returns the bytes of a message with our version and the given fields.
    static func message(_ fields: (inout FieldWriter) -> Void) -> [UInt8] {
        var writer = FieldWriter()
        writer.put(1, Limits.protocolVersion)
        fields(&writer)
        return writer.finish()
    }

    /// Returns the bytes of a message without a version, which is part of another message.
    static func content(_ fields: (inout FieldWriter) -> Void) -> [UInt8] {
        var writer = FieldWriter()
        fields(&writer)
        return writer.finish()
    }
}

extension WireError {
    static func check(version: UInt32) throws(WireError) {
        guard version == Limits.protocolVersion else { throw WireError(problem: .version(version)) }
    }
}

/// A value that is encoded as the fields of a protobuf message within another message.
protocol WireFields {
    init(wire fields: consuming FieldReader) throws(WireError)

    /// Writes the value's fields, the lowest number first.
    func write(to fields: inout FieldWriter)
}

extension FieldReader? {
    /// Returns the message; throws `missing` if it is absent.
    consuming func required(_ field: String) throws(WireError) -> FieldReader {
        guard let message = self else { throw .missing(field) }
        return message
    }

    consuming func map<Value>(
        _ read: (consuming FieldReader) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        guard let message = self else { return nil }
        return try read(message)
    }
}

extension Choice? {
    /// Returns the choice; throws `missing` if it is absent.
    consuming func required(_ field: String) throws(WireError) -> Choice {
        guard let choice = self else { throw .missing(field) }
        return choice
    }
}

// Speed: see performance.md, "references".
/// The content of a `oneof` of messages.
struct Choice: ~Copyable {
    let number: Int
    let bytes: [UInt8]
    let range: Range<Int>

    var message: FieldReader { FieldReader(bytes, range) }

    /// Returns a reader of the message, which then is the only owner of the bytes if the choice was.
    consuming func takeMessage() -> FieldReader { FieldReader(bytes, range) }
}

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
