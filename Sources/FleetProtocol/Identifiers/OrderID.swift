/// An order that the controller gives to nodes for an operator: 64 bits of chance, by which their answers are
/// told from those to other orders.
public struct OrderID: Hashable, Sendable, CustomStringConvertible {
    /// The bits.
    public let bits: UInt64

    /// The order of those bits.
    public init(bits: UInt64) {
        self.bits = bits
    }

    /// 16 hexadecimal digits.
    public var description: String { bits.hexadecimal }
}
