// Types that are encoded in one field: generated code calls `init(wire:field:)` to read a field, and writes
// `wire`. `proto/mapping` declares those that need only one initializer.

extension Ordinal {
    /// The ordinal with that number, if it can still be incremented.
    @inline(__always)
    init(wire value: some FixedWidthInteger & UnsignedInteger, field: String) throws(WireError) {
        guard UInt64(value) <= Limits.largestOrdinal else {
            throw .malformed(field, "at most \(Limits.largestOrdinal)")
        }
        self.init(UInt64(value))
    }

    var wire: UInt64 { value }
}

extension GroupNumber {
    init(wire number: UInt32, field: String) throws(WireError) {
        guard number <= Limits.accountGroups else {
            throw .malformed(field, "at most \(Limits.accountGroups)")
        }
        self.init(UInt16(number))
    }

    var wire: UInt32 { UInt32(value) }
}

extension FixedWidthInteger where Self: SignedInteger {
    /// Narrows a number to this type; throws `malformed` if it does not fit.
    @inline(__always)
    init(
        wire number: Int32, field: String, expected: @autoclosure () -> String = "\(Self.min) to \(Self.max)"
    ) throws(WireError) {
        guard let value = Self(exactly: number) else { throw .malformed(field, expected()) }
        self = value
    }
}

extension UInt8 {
    init(wire number: UInt32, field: String, expected: @autoclosure () -> String) throws(WireError) {
        guard let value = UInt8(exactly: number) else { throw .malformed(field, expected()) }
        self = value
    }
}

extension Int {
    init(wire number: UInt32, field: String) throws(WireError) { self.init(number) }

    var wire: UInt32 { UInt32(clamping: self) }
}

extension WallTime {
    /// The time from its milliseconds, clamped to the range that clocks can show.
    init(wire milliseconds: Int64, field: String) throws(WireError) {
        let range = Limits.wallMilliseconds
        self.init(unixMilliseconds: max(range.lowerBound, min(milliseconds, range.upperBound)))
    }

    var wire: Int64 { unixMilliseconds }
}

extension Duration {
    /// The duration from its milliseconds, clamped to the range that rules can allow.
    init(wire milliseconds: Int64, field: String) throws(WireError) {
        self = .milliseconds(max(-1_000_000_000_000, min(milliseconds, 1_000_000_000_000)))
    }

    init(wire milliseconds: UInt64, field: String) throws(WireError) {
        self = .milliseconds(Int64(clamping: milliseconds))
    }

    init(wire milliseconds: UInt32, field: String) throws(WireError) {
        self = .milliseconds(Int64(milliseconds))
    }
}

extension Weekdays {
    init(wire days: UInt32, field: String) throws(WireError) {
        guard let days = UInt8(exactly: days), (1...Self.all.rawValue).contains(days) else {
            throw .malformed(field, "1 to \(Self.all.rawValue), a bit for each day")
        }
        self.init(rawValue: days)
    }

    var wire: UInt32 { UInt32(rawValue) }
}

extension PureBoost.Integrations {
    init(wire number: UInt32, field: String) throws(WireError) {
        guard let bits = UInt8(exactly: number), bits < 16 else {
            throw .malformed(field, "0 to 15, a bit for each")
        }
        self.init(rawValue: bits)
    }

    var wire: UInt32 { UInt32(rawValue) }
}

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
    package func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: self) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
