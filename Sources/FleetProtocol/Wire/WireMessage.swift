/// A value that is encoded as one protobuf message.
public protocol WireMessage: Sendable {
    /// Decodes a message.
    ///
    /// - Throws: `WireError` if it is too long, is not such a message, or has a value that is not allowed.
    init(wireBytes bytes: [UInt8]) throws(WireError)

    /// The bytes of the message.
    var wireBytes: [UInt8] { get }
}

extension FieldReader {
    /// A reader of a whole message.
    ///
    /// - Throws: `tooLong` if there are more bytes than the limit.
    init(message bytes: [UInt8], limit: Int = Limits.messageBytes) throws(WireError) {
        guard bytes.count <= limit else {
            throw WireError(problem: .tooLong(bytes: bytes.count, limit: limit))
        }
        self.init(bytes)
    }
}

extension FieldWriter {
    /// Returns the bytes of a message with our version and the given fields.
    static func message(_ fields: (inout FieldWriter) -> Void) -> [UInt8] {
        var writer = FieldWriter()
        writer.put(1, Limits.protocolVersion)
        fields(&writer)
        return writer.bytes
    }
}

extension FieldWriter {
    /// Returns the bytes of a message without a version, which is part of another message.
    static func content(_ fields: (inout FieldWriter) -> Void) -> [UInt8] {
        var writer = FieldWriter()
        fields(&writer)
        return writer.bytes
    }
}

extension WireError {
    /// Refuses a message of another version than ours.
    static func check(version: UInt32) throws(WireError) {
        guard version == Limits.protocolVersion else { throw WireError(problem: .version(version)) }
    }
}
