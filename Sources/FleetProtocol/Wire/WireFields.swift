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
    func required(_ field: String) throws(WireError) -> FieldReader {
        guard let self else { throw .missing(field) }
        return self
    }
}

extension Choice? {
    /// Returns the choice; throws `missing` if it is absent.
    func required(_ field: String) throws(WireError) -> Choice {
        guard let self else { throw .missing(field) }
        return self
    }
}

/// The content of a `oneof` of messages.
struct Choice {
    /// The number of the field.
    let number: Int
    /// The message in the field.
    var message: FieldReader
}
