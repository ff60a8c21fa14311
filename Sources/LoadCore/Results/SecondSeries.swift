import Stepping

/// A load second by second.
///
/// Seconds whose last answers may still arrive are records; older seconds are only figures, so that a load of
/// a day needs little memory. All records are allocated at the beginning and reused in turn.
struct SecondSeries: Sendable {
    private struct Open: Sendable {
        var offered = 0
        var applied = 0
        var failed = 0
        var latency = LatencyRecord()

        /// Removes all counts and latencies, and keeps the memory.
        mutating func reset() {
            (offered, applied, failed) = (0, 0, 0)
            latency.reset()
        }
    }

    private let start: MonotonicTime
    private var closed: [LoadSecond] = []
    /// The records of open seconds; the record of a second is at its number modulo their count.
    private var records: [Open]
    private var openCount = 0

    /// A series from a moment on.
    ///
    /// - Parameters:
    ///   - patience: The longest time from when a request is due to its end.
    ///   - duration: The duration of the load, for which memory is reserved at once.
    init(from start: MonotonicTime, patience: Duration, lasting duration: Duration = .zero) {
        self.start = start
        records = (0..<Int(patience.components.seconds) + 2).map { _ in Open() }
        closed.reserveCapacity(Int(duration.components.seconds) + 1)
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
        closed + (closed.count..<closed.count + openCount).map(figures(of:))
    }

    private mutating func change(at moment: MonotonicTime, _ change: (inout Open) -> Void) {
        let second = Int(start.duration(to: moment).components.seconds)
        // Nothing is that late: whoever waits gives up before its second is closed.
        guard second >= closed.count else { return }
        while second >= closed.count + openCount {
            if openCount == records.count { closeFirst() }
            openCount += 1
        }
        change(&records[second % records.count])
    }

    private mutating func closeFirst() {
        let place = closed.count % records.count
        closed.append(figures(of: closed.count))
        records[place].reset()
        openCount -= 1
    }

    private func figures(of number: Int) -> LoadSecond {
        let second = records[number % records.count]
        return LoadSecond(
            second: number, offered: second.offered, applied: second.applied, failed: second.failed,
            p50Us: second.latency.us(atPercentile: 50), p99Us: second.latency.us(atPercentile: 99),
            maxUs: second.latency.us(atPercentile: 100))
    }
}
