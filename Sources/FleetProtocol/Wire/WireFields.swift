/// A value that is encoded as the fields of a protobuf message within another message.
protocol WireFields {
    /// Decodes the value from its fields.
    ///
    /// - Throws: `WireError` if a field is missing, not decodable, or not allowed.
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

    /// Returns the value that a closure reads from the message; nil if it is absent.
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

/// The content of a `oneof` of messages, not copyable for the same reason as ``FieldReader``.
struct Choice: ~Copyable {
    let number: Int
    /// The bytes that contain the message.
    let bytes: [UInt8]
    /// The message's place in the bytes.
    let range: Range<Int>

    var message: FieldReader { FieldReader(bytes, range) }

    /// Returns a reader of the message, which then is the only owner of the bytes if the choice was.
    consuming func takeMessage() -> FieldReader { FieldReader(bytes, range) }
}
