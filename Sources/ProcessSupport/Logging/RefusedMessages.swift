public import Bus
public import FleetTime
public import Logging

/// Counts what a process did not understand, and says so at most once a second, however much of it comes.
///
/// Kinds are the shell's own words: they become the keys of the log's line.
public struct RefusedMessages<Kind: RawRepresentable & Hashable> where Kind.RawValue == String {
    private var counts: [Kind: Int] = [:]
    /// Why the first since the last report was refused; one example is enough to start looking.
    private var reason: String?
    private var reportedAt: MonotonicTime?

    /// Nothing refused yet.
    public init() {}

    /// Counts messages of one kind.
    ///
    /// - Parameters:
    ///   - count: How many; nothing happens when it is 0.
    ///   - reason: Why, in words without payloads; asked for once a report only.
    public mutating func count(
        _ kind: Kind, times count: Int = 1, because reason: @autoclosure () -> String? = nil
    ) {
        guard count > 0 else { return }
        counts[kind, default: 0] += count
        if self.reason == nil { self.reason = reason() }
    }

    /// The counts since the last report with one reason, if there are any and a second has passed.
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
