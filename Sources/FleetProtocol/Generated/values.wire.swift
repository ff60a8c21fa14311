// Made by protoc-gen-fleetwire from proto/mapping: `make proto` makes it again.
// swift-format-ignore-file

extension Incarnation {
    init(wire: UInt64, field: String) throws(WireError) {
        self.init(bits: wire)
    }

    var wire: UInt64 { bits }
}

extension BootID {
    init(wire: UInt64, field: String) throws(WireError) {
        self.init(bits: wire)
    }

    var wire: UInt64 { bits }
}

extension OrderID {
    init(wire: UInt64, field: String) throws(WireError) {
        self.init(bits: wire)
    }

    var wire: UInt64 { bits }
}

extension AccountID {
    init(wire: String, field: String) throws(WireError) {
        guard let value = Self(wire) else {
            throw .malformed(field, "1 to 32 characters of [a-z0-9-]")
        }
        self = value
    }

    var wire: String { name }
}

extension NodeName {
    init(wire: String, field: String) throws(WireError) {
        guard let value = Self(wire) else {
            throw .malformed(field, "1 to 32 characters of [A-Za-z0-9._-]")
        }
        self = value
    }

    var wire: String { text }
}

extension Email {
    init(wire: String, field: String) throws(WireError) {
        guard let value = Self(wire) else {
            throw .malformed(field, "an email address")
        }
        self = value
    }

    var wire: String { address }
}

extension Password {
    init(wire: String, field: String) throws(WireError) {
        guard let value = Self(wire) else {
            throw .malformed(field, "1 to \(Limits.passwordBytes) bytes")
        }
        self = value
    }

    var wire: String { text }
}

extension LoginSource {
    init(wire: String, field: String) throws(WireError) {
        guard let value = Self(wire) else {
            throw .malformed(field, "at most \(Limits.loginSourceBytes) bytes of printable ASCII")
        }
        self = value
    }

    var wire: String { text }
}

extension APIKey.Name {
    init(wire: String, field: String) throws(WireError) {
        guard let value = Self(wire) else {
            throw .malformed(field, "1 to 32 of [A-Za-z0-9._-]")
        }
        self = value
    }

    var wire: String { text }
}

extension CellName {
    init(wire: String, field: String) throws(WireError) {
        guard let value = Self(wire) else {
            throw .malformed(field, "1 to \(Limits.cellNameBytes) characters of [a-z0-9-]")
        }
        self = value
    }

    var wire: String { text }
}

extension ServiceName {
    init(wire: String, field: String) throws(WireError) {
        guard let value = Self(wire) else {
            throw .malformed(field, "1 to 32 of [a-z_]")
        }
        self = value
    }

    var wire: String { text }
}

extension SiteID {
    init(wire: String, field: String) throws(WireError) {
        guard let value = Self(wire) else {
            throw .malformed(field, "\(Self.length) letters or digits")
        }
        self = value
    }

    var wire: String { description }
}

extension TimeZoneName {
    init(wire: String, field: String, expected: @autoclosure () -> String) throws(WireError) {
        guard let value = Self(wire) else {
            throw .malformed(field, "\(expected())")
        }
        self = value
    }

    var wire: String { text }
}

extension Token {
    init(wire: [UInt8], field: String) throws(WireError) {
        guard let value = Self(wire) else {
            throw .malformed(field, "\(Token.length) bytes")
        }
        self = value
    }

    var wire: [UInt8] { bytes }
}

extension TokenDigest {
    init(wire: [UInt8], field: String) throws(WireError) {
        guard let value = Self(wire) else {
            throw .malformed(field, "32 bytes")
        }
        self = value
    }

    var wire: [UInt8] { bytes }
}

extension LocalTime {
    init(wire: UInt32, field: String) throws(WireError) {
        guard let value = Self(minuteOfDay: wire) else {
            throw .malformed(field, "0 to \(Self.minutesOfDay.upperBound)")
        }
        self = value
    }

    var wire: UInt32 { UInt32(minuteOfDay) }
}

extension Label {
    init(wire: String, field: String) throws(WireError) {
        guard let value = Self(wire) else {
            throw .malformed(field, "1 to \(Limits.labelBytes) of [a-z0-9._-]")
        }
        self = value
    }

    var wire: String { text }
}
