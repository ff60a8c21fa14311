import FleetProtocol
import FleetReplica
import UserText

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

/// The line with counts since the observer started, and plots of the last minute: the pieces that fit.
enum ActivityLine {
    /// The width of a plot on a screen of at least that width, in columns.
    private static let wide = (screen: 110, plot: 16)
    private static let narrowPlot = 6

    static func line(of activity: Activity, width: Int) -> ScreenLine {
        let plot = width >= wide.screen ? wide.plot : narrowPlot
        let minutes = Int(activity.offline.wholeMilliseconds / 60_000)
        let intervals = activity.plotted
        var line = ScreenLine("applied \(FigureText.count(activity.applied))")
        let pieces = [
            failures(of: activity, width: width),
            ScreenLine("offline \(FigureText.count(minutes)) min", minutes > 0 ? .colored(.yellow) : .plain),
            rate(of: intervals.map(\.applied), plot), latency("p99", intervals.map(\.p99Us), plot),
            latency("p50", intervals.map(\.p50Us), plot),
        ]
        for piece in pieces where line.width + 2 + piece.width <= width {
            line.append("  ")
            for span in piece.spans { line.append(span.text, span.style) }
        }
        return line
    }

    private static func failures(of activity: Activity, width: Int) -> ScreenLine {
        let total = activity.failures.reduce(0, +)
        guard total > 0 else { return ScreenLine("failed 0") }
        var line = ScreenLine("failed \(FigureText.count(total))", .colored(.red))
        let reasons = zip(Activity.failureNames, activity.failures).filter { $0.1 > 0 }
        let text = reasons.map { "\(FigureText.count($0.1)) \($0.0)" }.joined(separator: ", ")
        if width >= wide.screen { line.append(" (\(text))", .dim) }
        return line
    }

    private static func rate(of values: [Int], _ plot: Int) -> ScreenLine {
        piece("", values, plot, FigureText.rate(Double(values.last ?? 0)))
    }

    private static func latency(_ name: String, _ values: [Int], _ plot: Int) -> ScreenLine {
        let last = values.last { $0 > 0 }
        return piece(
            "\(name) ", values, plot, last.map { TimeText.span(microseconds: UInt64($0)) } ?? "– ms")
    }

    private static func piece(_ name: String, _ values: [Int], _ plot: Int, _ text: String) -> ScreenLine {
        var line = ScreenLine(name, .dim)
        line.append(Sparkline.text(ofCounts: values, width: plot), .colored(.cyan))
        line.append(values.isEmpty ? text : " \(text)")
        return line
    }
}
