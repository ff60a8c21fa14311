/// One life of a node's process: 64 random bits that tell a restart from a reconnect.
public struct BootID: Hashable, Sendable, CustomStringConvertible {
    /// The bits.
    public let bits: UInt64

    /// The life of those bits.
    public init(bits: UInt64) {
        self.bits = bits
    }

    /// 16 hexadecimal digits.
    public var description: String { bits.hexadecimal }
}
