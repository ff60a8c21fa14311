// Types that are encoded as a text or as bytes in one field; see ValueTypes.swift.

extension DeviceID {
    init(wire text: String, field: String) throws(WireError) {
        let bytes = text.utf8Span.span
        guard bytes.count == Self.length, let device = DeviceID(bits: bytes.fixed64(at: 0).byteSwapped) else {
            throw .malformedDevice(field)
        }
        self = device
    }
}

extension DeviceID? {
    /// Returns the device; throws `malformed` if it is absent.
    func required(_ field: String) throws(WireError) -> DeviceID {
        guard let self else { throw .malformedDevice(field) }
        return self
    }
}

extension WireError {
    /// The error for a missing or malformed device ID.
    static func malformedDevice(_ field: String = "device") -> WireError {
        .malformed(field, "8 letters or digits")
    }
}

extension ScheduleID {
    init(wire text: String, field: String) throws(WireError) {
        guard let id = ScheduleID(text) else {
            throw .malformed(field, "\(DeviceID.length) letters or digits")
        }
        self = id
    }

    /// The characters, which are written as a device ID is, without creating a text.
    var wire: DeviceID { characters }
}

extension CountryCode {
    init(wire text: String, field: String) throws(WireError) {
        guard let code = CountryCode(text), code.letters == text else {
            throw .malformed(field, "two capital letters (ISO 3166-1 alpha-2)")
        }
        self = code
    }

    var wire: String { letters }
}

extension [UInt8] {
    init(wire text: String, field: String) throws(WireError) { self.init(text.utf8) }

    var wire: String { String(decoding: self, as: UTF8.self) }
}

extension String {
    /// Returns this text; throws `malformed` if it is longer than allowed.
    func checked(bytes limit: Int, field: String) throws(WireError) -> String {
        guard utf8.count <= limit else { throw .malformed(field, "at most \(limit) bytes") }
        return self
    }

    /// Returns this text, truncated between characters to a number of bytes.
    func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: self) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
