/// One connection of a client or a node, as the bus tells them apart.
///
/// The shell makes it from a routing id and finds the way back; the machine only compares.
public struct ConnectionID: Hashable, Sendable {
    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// The connection of those bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
