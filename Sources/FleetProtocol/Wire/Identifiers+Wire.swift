import Stepping

extension DeviceID {
    /// The id that those bytes of text spell; nil when they are not eight letters or digits.
    init?(wire characters: ArraySlice<UInt8>) {
        guard characters.count == Self.length else { return nil }
        self.init(bits: characters.reduce(0) { $0 << 8 | UInt64($1) })
    }
}

extension WireError {
    /// A text that is no device's id, or none where there must be one.
    static func malformedDevice(_ field: String = "device") -> WireError {
        .malformed(field, "8 letters or digits")
    }
}

extension AccountID {
    init(wire text: String) throws(WireError) {
        guard let account = AccountID(text) else {
            throw .malformed("account", "1 to 32 characters of [a-z0-9-]")
        }
        self = account
    }
}

extension NodeName {
    init(wire text: String) throws(WireError) {
        guard let name = NodeName(text) else {
            throw .malformed("node", "1 to 32 characters of [A-Za-z0-9._-]")
        }
        self = name
    }
}

extension Email {
    init(wire text: String, field: String = "email") throws(WireError) {
        guard let email = Email(text) else { throw .malformed(field, "an email address") }
        self = email
    }
}

extension RequestID: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (high, low) = (UInt64(0), UInt64(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &high)
            case 2: try fields.read(fixed: &low)
            default: break
            }
        }
        self.init(high: high, low: low)
    }

    /// The id that must be there.
    init(wire message: FieldReader?, field: String = "request_id") throws(WireError) {
        guard let message else { throw .missing(field) }
        try self.init(wire: message)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fixed: high)
        fields.put(2, fixed: low)
    }
}

extension Expectation: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (incarnation, version) = (UInt64(0), UInt64(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &incarnation)
            case 2: try fields.read(&version)
            default: break
            }
        }
        self.init(
            incarnation: Incarnation(bits: incarnation),
            version: try Version(wire: version, field: "expected.version"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fixed: incarnation.bits)
        fields.put(2, version.value)
    }
}

extension String {
    /// This text, if it is no longer than allowed.
    func checked(bytes limit: Int, field: String) throws(WireError) -> String {
        guard utf8.count <= limit else { throw .malformed(field, "at most \(limit) bytes") }
        return self
    }

    /// As much of this text as fits, cut between characters.
    func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: self) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension Ordinal {
    /// The ordinal of that number, if there is room to count on from it.
    init(wire value: UInt64, field: String) throws(WireError) {
        guard value <= Limits.largestOrdinal else {
            throw .malformed(field, "at most \(Limits.largestOrdinal)")
        }
        self.init(value)
    }
}

extension WallTime {
    /// The moment of that many milliseconds, cut at what no clock shows anyway.
    init(wireMilliseconds milliseconds: Int64) {
        self.init(unixMilliseconds: max(-1_000_000_000_000_000, min(milliseconds, 1_000_000_000_000_000)))
    }
}

extension Duration {
    /// The duration of that many milliseconds, cut at what no rule allows anyway.
    init(wireMilliseconds milliseconds: Int64) {
        self = .milliseconds(max(-1_000_000_000_000, min(milliseconds, 1_000_000_000_000)))
    }
}
