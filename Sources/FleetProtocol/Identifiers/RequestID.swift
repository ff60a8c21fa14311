/// The idempotency key of a request: 128 bits that the client generates before it first sends the request.
///
/// The key is a UUID of version 7 (RFC 9562, section 5.7), which includes its creation time.
public struct RequestID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first eight bytes, most significant first.
    public let high: UInt64
    /// The last eight bytes, most significant first.
    public let low: UInt64

    /// The ID with those halves, of any version.
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Creates a new ID at a time.
    public init(at time: WallTime, using generator: inout some RandomNumberGenerator) {
        let milliseconds = UInt64(max(0, time.unixMilliseconds)) & 0xffff_ffff_ffff
        high = milliseconds << 16 | 0x7000 | generator.next() & 0x0fff
        low = 0x8000_0000_0000_0000 | generator.next() >> 2
    }

    /// Parses an ID such as `0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07`; nil for any other text.
    public init?(_ text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
            let bytes = [UInt8](hexadecimal: groups.joined())
        else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether version and variant are those of UUID version 7.
    public var isVersion7: Bool { high >> 12 & 0xf == 7 && low >> 62 == 0b10 }

    /// The time at which the ID was created, by its client's clock.
    public var time: WallTime { WallTime(unixMilliseconds: Int64(high >> 16)) }

    /// The 36 characters of a UUID, in lower case.
    public var description: String {
        let first = Array(high.hexadecimal)
        let last = Array(low.hexadecimal)
        let groups = [first[0..<8], first[8..<12], first[12..<16], last[0..<4], last[4..<16]]
        return groups.map { String($0) }.joined(separator: "-")
    }

    /// Compares IDs by creation time.
    public static func < (left: RequestID, right: RequestID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

/// The secret that a client sends with every request of a session: 32 random bytes.
///
/// Its description never shows them.
public struct Token: Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes in a token.
    public static let length = 32

    /// The bytes.
    public let bytes: [UInt8]

    /// The token with those bytes; nil unless there are 32.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Parses a token of 64 hexadecimal digits; nil for any other text.
    package init?(hexadecimal text: String) {
        guard text.utf8.count == Self.length * 2, let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.init(bytes)
    }

    /// A constant in place of the secret.
    public var description: String { "token" }
}

/// The SHA-256 digest of a token, which the controller stores instead of the token.
public struct TokenDigest: Hashable, Sendable {
    /// The 32 bytes, eight at a time, the first most significant.
    public let words: [4 of UInt64]

    /// The digest with those bytes; nil unless there are 32.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        var words: [4 of UInt64] = [0, 0, 0, 0]
        for index in 0..<32 { words[index / 8] = words[index / 8] << 8 | UInt64(bytes[index]) }
        self.words = words
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - 8 * ($0 % 8))) }
    }

    /// Returns whether all 32 bytes are equal.
    ///
    /// The comparison need not take constant time, because digests are not secret.
    public static func == (left: TokenDigest, right: TokenDigest) -> Bool {
        (0..<4).allSatisfy { left.words[$0] == right.words[$0] }
    }

    /// Feeds the first eight bytes: SHA-256 has already mixed them.
    public func hash(into hasher: inout Hasher) { hasher.combine(words[0]) }
}

/// A number whose only meaning is its order.
public protocol Ordinal: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number; 0 comes before the first.
    var value: UInt64 { get }
    init(_ value: UInt64)
}

extension Ordinal {
    /// The value before the first.
    public static var zero: Self { Self(0) }

    /// The next value.
    public var next: Self { Self(value + 1) }

    /// Whether the first comes earlier.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    /// The number in digits.
    public var description: String { String(value) }
}

/// The number of real changes of a device's state within one incarnation.
public struct Version: Ordinal {
    /// The count of changes.
    public let value: UInt64
    /// A version with a count.
    public init(_ value: UInt64) { self.value = value }
}

/// The number of a command to one device, within one incarnation.
public struct CommandNumber: Ordinal {
    /// The number.
    public let value: UInt64
    /// The command number with that value.
    public init(_ value: UInt64) { self.value = value }
}

/// A controller's start number: devices refuse commands of a lower one.
public struct Epoch: Ordinal {
    /// The number.
    public let value: UInt64
    /// An epoch with a number.
    public init(_ value: UInt64) { self.value = value }

    /// Whether a controller can have started with this number: epochs are seconds since 1970, or one more
    /// than an earlier epoch.
    ///
    /// - Parameters:
    ///   - now: The receiver's time.
    ///   - known: The receiver's own epoch, which may be far ahead of the clock.
    public func isPlausible(at now: WallTime, knowing known: Epoch) -> Bool {
        let clock = UInt64(max(0, now.unixMilliseconds)) / 1_000
        return value <= max(clock, known.value) + UInt64(Limits.epochAhead.components.seconds)
    }
}

/// A node's number for one change of one of its devices.
public struct ChangeNumber: Ordinal {
    /// The number.
    public let value: UInt64
    /// A change with a number.
    public init(_ value: UInt64) { self.value = value }
}

/// The number of an update on one account's stream, within one epoch.
public struct StreamSequence: Ordinal {
    /// The number.
    public let value: UInt64
    /// An update with a number.
    public init(_ value: UInt64) { self.value = value }
}

/// The index of a node, valid for one run of the controller.
public struct NodeIndex: Ordinal {
    /// The index, below 2³².
    public let value: UInt64
    /// A node with an index.
    public init(_ value: UInt64) { self.value = value }
}
