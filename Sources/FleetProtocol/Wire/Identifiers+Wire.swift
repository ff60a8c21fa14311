import Stepping
import SwiftProtobuf

extension DeviceID {
    init(wire text: String, field: String = "device") throws(WireError) {
        guard let device = DeviceID(text) else { throw .malformed(field, "8 letters or digits") }
        self = device
    }
}

extension AccountID {
    init(wire text: String, field: String = "account") throws(WireError) {
        guard let account = AccountID(text) else {
            throw .malformed(field, "1 to 32 characters of [a-z0-9-]")
        }
        self = account
    }
}

extension NodeName {
    init(wire text: String, field: String = "node") throws(WireError) {
        guard let name = NodeName(text) else {
            throw .malformed(field, "1 to 32 characters of [A-Za-z0-9._-]")
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

extension RequestID {
    init(wire: Sensibus_V1_RequestID) {
        self.init(high: wire.high, low: wire.low)
    }

    var wire: Sensibus_V1_RequestID {
        .with {
            $0.high = high
            $0.low = low
        }
    }
}

extension Expectation {
    init(wire: Sensibus_V1_Expectation) throws(WireError) {
        self.init(
            incarnation: Incarnation(bits: wire.incarnation),
            version: try Version(wire: wire.version, field: "expected.version"))
    }

    var wire: Sensibus_V1_Expectation {
        .with {
            $0.incarnation = incarnation.bits
            $0.version = version.value
        }
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
