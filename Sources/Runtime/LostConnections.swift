public import Bus
public import Stepping

/// Counts the connections that a program's sockets refused, displaced or ended.
public struct LostConnections {
    /// Quiet after the last loss, before freed memory is given back.
    private static let quiet = Duration.seconds(5)

    private var counted = (crowd: UInt64(0), flood: UInt64(0))
    /// Whether connections were lost since memory was given back, and when the last was seen.
    private var isWaiting = false
    private var lastLoss: MonotonicTime?

    /// Nothing is counted yet.
    public init() {}

    /// The losses of sockets since the last call: of new connections for want of room, and of those that went
    /// beyond a bound.
    public mutating func count(over sockets: [Socket]) -> (crowd: Int, flood: Int) {
        let counts = sockets.map(\.connectionCounts)
        let all = (
            crowd: counts.map { $0.refused + $0.displaced }.reduce(0, +),
            flood: counts.map(\.ended).reduce(0, +)
        )
        defer { counted = all }
        let new = (crowd: Int(all.crowd - counted.crowd), flood: Int(all.flood - counted.flood))
        if new.crowd + new.flood > 0 { (isWaiting, lastLoss) = (true, nil) }
        return new
    }

    /// Whether the last loss is five seconds old; true once after each flood.
    public mutating func wereLongAgo(at now: MonotonicTime) -> Bool {
        guard isWaiting else { return false }
        guard let lastLoss else {
            self.lastLoss = now
            return false
        }
        guard lastLoss.duration(to: now) >= Self.quiet else { return false }
        isWaiting = false
        return true
    }
}
