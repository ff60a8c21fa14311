/// Counts of the connections to a bounded endpoint, by their end.
public struct ConnectionCounts: Hashable, Sendable {
    /// Connections that are open.
    public internal(set) var open = 0
    /// Connections that were accepted.
    public internal(set) var accepted: UInt64 = 0
    /// Connections that were closed at once for want of room or of a descriptor.
    public internal(set) var refused: UInt64 = 0
    /// Connections that were ended to make room for a new one.
    public internal(set) var displaced: UInt64 = 0
    /// Connections that were ended because they went beyond a bound.
    public internal(set) var ended: UInt64 = 0

    /// Counts of an endpoint without connections.
    public init() {}
}
