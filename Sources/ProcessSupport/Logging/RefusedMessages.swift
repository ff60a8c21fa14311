public import Bus
public import FleetProtocol
public import Logging

/// Counts messages that a process refused, and reports them at most once a second, at any rate. The kinds are
/// fixed names, which become the keys of the log line.
public struct RefusedMessages<Kind: RawRepresentable & Hashable> where Kind.RawValue == String {
    private var counts: [Kind: Int] = [:]
    /// The reason of the first refusal since the last report, as an example.
    private var reason: String?
    private var reportedAt: MonotonicTime?

    /// A counter at zero.
    public init() {}

    /// Counts messages of one kind; the reason, without payloads, is evaluated only once for each report.
    public mutating func count(
        _ kind: Kind, times count: Int = 1, because reason: @autoclosure () -> String? = nil
    ) {
        guard count > 0 else { return }
        counts[kind, default: 0] += count
        if self.reason == nil { self.reason = reason() }
    }

    /// Returns the counts since the last report with one reason, if there are any and a second has passed.
    public mutating func report(at now: MonotonicTime) -> Logger.Metadata? {
        guard !counts.isEmpty, reportedAt.map({ $0.duration(to: now) >= .seconds(1) }) ?? true else {
            return nil
        }
        var metadata = Logger.Metadata(uniqueKeysWithValues: counts.map { ($0.key.rawValue, "\($0.value)") })
        if let reason { metadata["reason"] = "\(reason)" }
        (counts, reason, reportedAt) = ([:], nil, now)
        return metadata
    }
}

/// Counts the connections that a program's sockets refused, displaced or ended.
public struct LostConnections {
    /// The time after the last loss before freed memory is returned to the system.
    private static let quiet = Duration.seconds(5)

    private var counted = (crowd: UInt64(0), flood: UInt64(0))
    /// Whether connections were lost since memory was returned, and the time of the last loss.
    private var isWaiting = false
    private var lastLoss: MonotonicTime?

    /// A counter at zero.
    public init() {}

    /// Returns the losses of sockets since the last call: connections refused because of the limit, and those
    /// that exceeded a bound.
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

    /// Returns whether the last loss is five seconds old; true once after each flood.
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
