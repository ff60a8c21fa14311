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
    /// A reader of a whole message.
    ///
    /// - Throws: `tooLong` if there are more bytes than the limit.
    init(
        message bytes: [UInt8], in range: Range<Int>, limit: Int = Limits.messageBytes
    ) throws(WireError) {
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
}

extension FieldWriter {
    /// Returns the bytes of a message without a version, which is part of another message.
    static func content(_ fields: (inout FieldWriter) -> Void) -> [UInt8] {
        var writer = FieldWriter()
        fields(&writer)
        return writer.finish()
    }
}

extension WireError {
    /// Refuses a message of another version than ours.
    static func check(version: UInt32) throws(WireError) {
        guard version == Limits.protocolVersion else { throw WireError(problem: .version(version)) }
    }
}
