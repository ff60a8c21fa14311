/// A value that travels within messages, as the fields of a protobuf message of its own.
protocol WireFields {
    /// The value of those fields.
    ///
    /// - Throws: `WireError` when a field is missing, not decodable, or not allowed.
    init(wire fields: consuming FieldReader) throws(WireError)

    /// Writes the value's fields, the lowest number first.
    func write(to fields: inout FieldWriter)
}

/// An enum whose cases have the numbers from 1 on the wire; 0 says nothing.
protocol WireEnum: RawRepresentable where RawValue == UInt8 {}

extension WireEnum {
    /// The case of that number.
    ///
    /// - Throws: `malformed` when there is none.
    init(wire number: UInt32, field: String, expected: String) throws(WireError) {
        guard number > 0, let raw = UInt8(exactly: number - 1), let value = Self(rawValue: raw) else {
            throw .malformed(field, expected)
        }
        self = value
    }

    /// The case's number.
    var wire: UInt32 { UInt32(rawValue) + 1 }
}

/// An enum of `proto3` whose first case is what an air conditioner is built with, and is not written.
protocol DefaultedWireEnum: RawRepresentable where RawValue == UInt8 {}

extension DefaultedWireEnum {
    /// The case of that number.
    ///
    /// - Throws: `malformed` when there is none.
    init(wire number: UInt32, field: String, expected: String) throws(WireError) {
        guard let raw = UInt8(exactly: number), let value = Self(rawValue: raw) else {
            throw .malformed(field, expected)
        }
        self = value
    }

    /// The case's number.
    var wire: UInt32 { UInt32(rawValue) }
}
