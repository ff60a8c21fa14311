public import Stepping

/// The identity of an intention: 128 bits made by the client before it first sends.
///
/// A UUID of version 7 (RFC 9562, section 5.7), so it carries the time at which it was made.
public struct RequestID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first eight bytes, most significant first.
    public let high: UInt64
    /// The last eight bytes, most significant first.
    public let low: UInt64

    /// The id of those two halves, whatever its version.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A new id for this moment.
    public init(at time: WallTime, using generator: inout some RandomNumberGenerator) {
        let milliseconds = UInt64(max(0, time.unixMilliseconds)) & 0xffff_ffff_ffff
        high = milliseconds << 16 | 0x7000 | generator.next() & 0x0fff
        low = 0x8000_0000_0000_0000 | generator.next() >> 2
    }

    /// The id that a text spells, `0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07`; nil when it is none.
    public init?(_ text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
            let bytes = [UInt8](hexadecimal: groups.joined())
        else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether version and variant are those of a UUIDv7.
    public var isVersion7: Bool {
        high >> 12 & 0xf == 7 && low >> 62 == 0b10
    }

    /// When it was made, by its maker's clock.
    public var time: WallTime {
        WallTime(unixMilliseconds: Int64(high >> 16))
    }

    /// The usual 36 characters, in lower case.
    public var description: String {
        let first = Array(high.hexadecimal)
        let last = Array(low.hexadecimal)
        let groups = [first[0..<8], first[8..<12], first[12..<16], last[0..<4], last[4..<16]]
        return groups.map { String($0) }.joined(separator: "-")
    }

    /// Earlier made first.
    public static func < (left: RequestID, right: RequestID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
