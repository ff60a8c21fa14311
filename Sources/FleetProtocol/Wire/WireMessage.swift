/// A value that travels as one protobuf message.
public protocol WireMessage: Sendable {
    /// The message in these bytes.
    ///
    /// - Throws: `WireError` when they are too many, are no such message, or hold a value that is not
    ///   allowed.
    init(wireBytes bytes: [UInt8]) throws(WireError)

    /// The bytes of this message.
    var wireBytes: [UInt8] { get }
}

extension FieldReader {
    /// A reader of a whole message.
    ///
    /// - Throws: `tooLong` when there are more bytes than the limit.
    init(message bytes: [UInt8], limit: Int = Limits.messageBytes) throws(WireError) {
        guard bytes.count <= limit else {
            throw WireError(problem: .tooLong(bytes: bytes.count, limit: limit))
        }
        self.init(bytes)
    }
}

extension FieldWriter {
    /// The bytes of a message of our version and those fields.
    static func message(_ fields: (inout FieldWriter) -> Void) -> [UInt8] {
        var writer = FieldWriter()
        writer.put(1, Limits.protocolVersion)
        fields(&writer)
        return writer.bytes
    }
}

extension FieldWriter {
    /// The bytes of a message without a version, which travels inside another.
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
