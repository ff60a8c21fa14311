import FleetProtocol

/// The figures of a load by second. Seconds whose last answers may still arrive are records; older seconds
/// are only figures, so that a load of a day needs little memory. All records are allocated at the beginning
/// and reused in turn.
struct SecondSeries: Sendable {
    private let start: MonotonicTime
    private var closed: [LoadSecond] = []
    /// The closed seconds with their latencies, to be added to those of other testers; nil if not wanted.
    private var retained: [RecordedSecond]?
    /// The records of open seconds; the record of a second is at its number modulo their count.
    private var records: [SecondRecord]
    private var openCount = 0

    /// A series that begins at an instant. The timeout is the longest time from the due time of a request to
    /// its end. Memory is reserved at once for the duration. To retain the latencies takes a few kilobytes a
    /// second.
    init(
        from start: MonotonicTime, timeout: Duration, lasting duration: Duration = .zero,
        retainsLatencies: Bool = false
    ) {
        self.start = start
        retained = retainsLatencies ? [] : nil
        records = (0..<Int(timeout.components.seconds) + 2).map { _ in SecondRecord() }
        closed.reserveCapacity(Int(duration.components.seconds) + 1)
    }

    mutating func offered(at intended: MonotonicTime) { change(at: intended) { $0.offered += 1 } }

    /// Counts an applied toggle in the second of its reply, and its latency in the second of its due time.
    mutating func applied(intended: MonotonicTime, answeredAt now: MonotonicTime, latency: Duration) {
        change(at: now) { $0.applied += 1 }
        change(at: intended) { $0.latency.record(latency) }
    }

    mutating func failed(intended: MonotonicTime) { change(at: intended) { $0.failed += 1 } }

    /// The figures of all seconds up to the last one with an event.
    var seconds: [LoadSecond] { closed + (closed.count..<closed.count + openCount).map(figures(of:)) }

    /// All seconds with their latencies, which the series must retain.
    var recorded: [RecordedSecond] {
        guard let retained else { preconditionFailure("the series has discarded latencies") }
        return retained
            + (closed.count..<closed.count + openCount).map { records[$0 % records.count].recorded }
    }

    private mutating func change(at moment: MonotonicTime, _ change: (inout SecondRecord) -> Void) {
        let second = Int(start.duration(to: moment).components.seconds)
        // No event is that late: the load gives up a request before the second of its due time is closed.
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
        retained?.append(records[place].recorded)
        records[place].reset()
        openCount -= 1
    }

    private func figures(of number: Int) -> LoadSecond { records[number % records.count].figures(of: number) }
}

/// One second of a load, with its latencies.
struct SecondRecord: Sendable {
    var offered = 0
    var applied = 0
    var failed = 0
    var latency = LatencyRecord()

    mutating func reset() {
        (offered, applied, failed) = (0, 0, 0)
        latency.reset()
    }

    mutating func add(_ second: RecordedSecond) throws(PlanError) {
        offered += try LoadTotals.checked(second.offered)
        applied += try LoadTotals.checked(second.applied)
        failed += try LoadTotals.checked(second.failed)
        try latency.add(second.latency)
    }

    func figures(of number: Int) -> LoadSecond {
        LoadSecond(
            second: number, offered: offered, applied: applied, failed: failed,
            p50Us: latency.us(atPercentile: 50), p99Us: latency.us(atPercentile: 99),
            p999Us: latency.us(atPercentile: 99.9), maxUs: latency.us(atPercentile: 100))
    }

    var recorded: RecordedSecond {
        RecordedSecond(offered: offered, applied: applied, failed: failed, latency: latency.recorded)
    }
}

/// One second of a load in a compact form, which can be sent to another process.
struct RecordedSecond: Codable, Sendable {
    let offered: Int
    let applied: Int
    let failed: Int
    let latency: RecordedLatencies
}
