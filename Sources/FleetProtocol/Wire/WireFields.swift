/// A value that travels within messages, as the fields of a protobuf message of its own.
protocol WireFields {
    /// The value of those fields.
    ///
    /// - Throws: `WireError` when a field is missing, not decodable, or not allowed.
    init(wire fields: consuming FieldReader) throws(WireError)

    /// Writes the value's fields, the lowest number first.
    func write(to fields: inout FieldWriter)
}

extension FieldReader? {
    /// The message; `missing` when it is absent.
    func required(_ field: String) throws(WireError) -> FieldReader {
        guard let self else { throw .missing(field) }
        return self
    }
}

extension Choice? {
    /// The choice; `missing` when it is absent.
    func required(_ field: String) throws(WireError) -> Choice {
        guard let self else { throw .missing(field) }
        return self
    }
}

/// What a `oneof` of messages holds.
struct Choice {
    /// The number of the field that it is.
    let number: Int
    /// What that field holds.
    var message: FieldReader
}
