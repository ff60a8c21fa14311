/// One life of a device's memory: 64 random bits, never a counter.
///
/// Sequences and versions compare only within one incarnation.
public struct Incarnation: Hashable, Sendable, CustomStringConvertible {
    /// The bits.
    public let bits: UInt64

    /// The incarnation of those bits.
    public init(bits: UInt64) {
        self.bits = bits
    }

    /// The incarnation written as 16 hexadecimal digits; nil when it is not.
    public init?(_ text: String) {
        guard text.utf8.count == 16, let bits = UInt64(text, radix: 16) else { return nil }
        self.bits = bits
    }

    /// 16 hexadecimal digits.
    public var description: String { bits.hexadecimal }
}
