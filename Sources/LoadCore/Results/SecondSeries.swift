import DequeModule
import Stepping

/// A load second by second.
///
/// Seconds whose last answers may still come are kept as records; older ones as their figures alone, so that
/// a day takes no more room than its figures.
struct SecondSeries: Sendable {
    private struct Open: Sendable {
        var offered = 0
        var applied = 0
        var failed = 0
        var latency = LatencyRecord()
    }

    private let start: MonotonicTime
    /// How many seconds after its end a second may still change.
    private let openSeconds: Int
    private var closed: [LoadSecond] = []
    private var open: Deque<Open> = []

    /// A series from a moment on.
    ///
    /// - Parameter patience: How long after it was due a request may end.
    init(from start: MonotonicTime, patience: Duration) {
        self.start = start
        openSeconds = Int(patience.components.seconds) + 2
    }

    /// A request was due.
    mutating func offered(at intended: MonotonicTime) {
        change(at: intended) { $0.offered += 1 }
    }

    /// A toggle was applied.
    mutating func applied(intended: MonotonicTime, answeredAt now: MonotonicTime, latency: Duration) {
        change(at: now) { $0.applied += 1 }
        change(at: intended) { $0.latency.record(latency) }
    }

    /// A request failed.
    mutating func failed(intended: MonotonicTime) {
        change(at: intended) { $0.failed += 1 }
    }

    /// Every second up to the last in which anything was.
    var seconds: [LoadSecond] {
        closed + open.enumerated().map { Self.figures(of: $0.element, second: closed.count + $0.offset) }
    }

    private mutating func change(at moment: MonotonicTime, _ change: (inout Open) -> Void) {
        let second = Int(start.duration(to: moment).components.seconds)
        // Nothing is that late: whoever waits gives up before its second is closed.
        guard second >= closed.count else { return }
        while second >= closed.count + open.count {
            open.append(Open())
            if open.count > openSeconds { closeFirst() }
        }
        change(&open[second - closed.count])
    }

    private mutating func closeFirst() {
        closed.append(Self.figures(of: open.removeFirst(), second: closed.count))
    }

    private static func figures(of second: Open, second number: Int) -> LoadSecond {
        LoadSecond(
            second: number, offered: second.offered, applied: second.applied, failed: second.failed,
            p50Us: second.latency.us(atPercentile: 50), p99Us: second.latency.us(atPercentile: 99),
            maxUs: second.latency.us(atPercentile: 100))
    }
}
