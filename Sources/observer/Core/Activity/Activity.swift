import FleetProtocol
import FleetReplica

/// Counts since the observer started, and the rate and latency of applied toggles in the last minute.
struct Activity: Sendable, Equatable {
    /// The outcomes that count as failures, in the order of the screen.
    static let failureNames = ["rejected", "conflict", "expired", "undetermined"]
    /// The length of an interval of the plots, and the number of intervals.
    static let interval: Duration = .seconds(1)
    static let intervals = 60

    /// The toggles that were applied in an interval; the times are in microseconds, 0 without a toggle.
    struct Interval: Sendable, Equatable {
        let applied: Int
        let p50Us: Int
        let p99Us: Int
    }

    /// The number of requests that were applied.
    private(set) var applied = 0
    /// The number of failed requests, for each of ``failureNames``.
    private(set) var failures = Array(repeating: 0, count: failureNames.count)
    /// The time that devices were not online, summed over all devices, while the replica was up to date.
    private(set) var offline: Duration = .zero
    private var past = Ring<Interval>(limit: intervals)
    private var latencies = LatencyCounts()
    /// The time of the first sample; outcomes before it are history.
    private var startedAt: WallTime?
    private var sampledAt: MonotonicTime?
    private var intervalBegan = MonotonicTime.zero

    /// The full intervals of the last minute, oldest first.
    var plotted: [Interval] { past.newest(Self.intervals) }

    /// Counts the outcome of a request that ended since the first sample.
    mutating func handle(_ event: ObserverEvent) {
        guard case .fleet(.outcome(let end)) = event.body, let startedAt, event.at >= startedAt else {
            return
        }
        let report = end.report
        if let place = Self.failureNames.firstIndex(of: report.outcome.name) { failures[place] += 1 }
        guard case .applied = report.outcome else { return }
        applied += 1
        if report.command == .toggle { latencies.add(microseconds: report.timing.totalUs) }
    }

    /// Adds the time since the last sample, and ends the interval if it is over.
    mutating func sample(_ replica: Replica, at now: Moment) {
        guard let last = sampledAt else {
            (startedAt, sampledAt, intervalBegan) = (now.wall, now.monotonic, now.monotonic)
            return
        }
        let elapsed = last.duration(to: now.monotonic)
        sampledAt = now.monotonic
        if replica.isWhole { offline += elapsed * (replica.deviceCount - replica.onlineCount) }
        let length = intervalBegan.duration(to: now.monotonic)
        guard length >= Self.interval else { return }
        let perSecond = Int64(latencies.count) * 1_000 / max(1, length.wholeMilliseconds)
        past.append(
            Interval(
                applied: Int(perSecond), p50Us: latencies.percentile(50), p99Us: latencies.percentile(99)))
        latencies = LatencyCounts()
        intervalBegan = now.monotonic
    }
}

/// The number of latencies in ranges that grow with the latency, so that a percentile is right within 12.5 %.
struct LatencyCounts: Sendable, Equatable {
    /// Ranges for each power of two.
    private static let parts = 8
    private static let partBits = 3

    private(set) var count = 0
    private var counts = Array(repeating: 0, count: (64 - partBits + 1) * parts)

    /// Counts a latency.
    mutating func add(microseconds: UInt64) {
        counts[Self.range(of: microseconds)] += 1
        count += 1
    }

    /// Returns the smallest latency of the range of a percentile, in microseconds; 0 without latencies.
    func percentile(_ percent: Int) -> Int {
        var left = (count * percent + 99) / 100
        guard left > 0 else { return 0 }
        let range = counts.firstIndex { number in
            left -= number
            return left <= 0
        }
        return Self.least(of: range ?? 0)
    }

    private static func range(of latency: UInt64) -> Int {
        guard latency >= UInt64(parts) else { return Int(latency) }
        let power = 63 - latency.leadingZeroBitCount - partBits
        return (power + 1) * parts + Int(latency >> UInt64(power)) - parts
    }

    private static func least(of range: Int) -> Int {
        guard range >= parts else { return range }
        let power = range / parts - 1
        return Int(clamping: UInt64(parts + range % parts) << UInt64(power))
    }
}
