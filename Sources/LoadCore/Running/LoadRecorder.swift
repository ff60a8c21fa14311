import FleetProtocol
import FleetTime

/// The figures of a load; it records each measured request once.
struct LoadRecorder: Sendable {
    /// The reason why a request ended without a reply.
    enum Silence: String, Sendable {
        /// No reply arrived in time.
        case noAnswer
        /// The request was not sent: no connection accepted it, or too many requests were outstanding.
        case notSent
        /// The tester stopped before a reply arrived.
        case abandoned
    }

    /// The number of outcomes' names for which memory is reserved.
    private static let usualOutcomes = 32

    private let start: MonotonicTime
    /// The number of requests that were due.
    private(set) var offered = 0
    /// The number of toggles without a cancel that were applied.
    private(set) var applied = 0
    /// The number of toggles without a cancel that were not applied; abandoned ones do not count.
    private(set) var failed = 0
    private var outcomes: [String: Int] = [:]
    private var lastAppliedAt: MonotonicTime
    private(set) var latency = LatencyRecord()
    private var service = LatencyRecord()
    private var tester = LatencyRecord()
    private var hops = HopRecord()
    private var cancel = LatencyRecord()
    private var cancels = CancelFigures(latencyUs: .none)
    private var retries = RetryFigures()
    private var series: SecondSeries
    /// The latencies since the last call of ``drainTotals()``.
    private var recent = LatencyRecord()

    /// A recorder of requests that are due after an instant; it allocates all its memory here.
    ///
    /// - Parameters:
    ///   - timeout: The longest time from the due time of a request to its end.
    ///   - duration: The duration of the load.
    init(from start: MonotonicTime, timeout: Duration, lasting duration: Duration) {
        self.start = start
        lastAppliedAt = start
        series = SecondSeries(from: start, timeout: timeout, lasting: duration)
        outcomes.reserveCapacity(Self.usualOutcomes)
    }

    /// Records that the tester handled a measured request that was due.
    mutating func offer(intended: MonotonicTime, at now: MonotonicTime) {
        offered += 1
        tester.record(intended.duration(to: now))
        series.offered(at: intended)
    }

    /// Records the first reply to a measured request.
    mutating func end(_ request: Outstanding, with body: ClientReply.Body, at now: MonotonicTime) {
        switch body {
        case .outcome(let report):
            count(report.outcome.name)
            guard request.fate != .cancelled else { return }
            guard case .applied = report.outcome else { return fail(request) }
            apply(request, report.timing, at: now)
        case .refusal(let refusal):
            count(refusal.name)
            if request.fate != .cancelled { fail(request) }
        default:
            count("unexpectedReply")
            if request.fate != .cancelled { fail(request) }
        }
    }

    /// Records that a measured request ended without a reply.
    mutating func end(_ request: Outstanding, in silence: Silence) {
        count(silence.rawValue)
        if request.fate != .cancelled, silence != .abandoned { fail(request) }
    }

    /// Records that a measured request was dropped because too many requests were outstanding.
    mutating func drop(intended: MonotonicTime) {
        count(Silence.notSent.rawValue)
        failed += 1
        series.failed(intended: intended)
    }

    /// Records the reply to the cancel of a measured request.
    mutating func endCancel(_ body: ClientReply.Body, took: Duration) {
        cancel.record(took)
        guard case .cancel(_, let answer) = body else { return cancels.refused += 1 }
        switch answer {
        case .cancelled: cancels.inTime += 1
        case .tooLate: cancels.tooLate += 1
        case .pending: cancels.pending += 1
        }
    }

    /// Records that a measured request was given up after its cancel or retry was sent.
    mutating func endFollowUpInSilence(of request: Outstanding) {
        switch request.fate {
        case .plain: break
        case .cancelled: cancels.noAnswer += 1
        case .retried: retries.noAnswer += 1
        }
    }

    /// Compares the replies to both copies of a measured request.
    mutating func compare(_ first: FirstReply, _ second: FirstReply) {
        if first == .undecided || second == .undecided {
            retries.undecided += 1
        } else if first == second {
            retries.alike += 1
        } else {
            retries.different += 1
        }
    }

    /// Returns the totals so far, with the latencies since the last call.
    mutating func drainTotals() -> LoadProgress.Totals {
        defer { recent.reset() }
        return LoadProgress.Totals(offered: offered, applied: applied, failed: failed, recent: recent.figures)
    }

    /// Returns all figures of a measurement with that duration.
    func result(
        of plan: LoadPlan, devices: Int, lasting duration: Duration, isComplete: Bool, threadUse: ThreadUse?
    ) -> LoadResult {
        let seconds = max(duration / .seconds(1), 1e-9)
        // The replies to the last requests arrive after the end; the denominator includes that time.
        let answering = max(seconds, start.duration(to: lastAppliedAt) / .seconds(1))
        var cancels = cancels
        cancels.latencyUs = cancel.figures
        let counts = LoadResult.Counts(
            offeredPerSecond: Self.rounded(Double(offered) / seconds),
            throughputPerSecond: Self.rounded(Double(applied) / answering),
            durationSeconds: Self.rounded(seconds), offered: offered, applied: applied, failed: failed,
            outcomes: outcomes)
        let details = LoadResult.Details(
            latencyUs: latency.figures, serviceUs: service.figures, testerLateUs: tester.figures,
            testerUse: threadUse, hops: hops.figures,
            cancels: plan.cancelRatio > 0 ? cancels : nil, retries: plan.retryRatio > 0 ? retries : nil,
            perSecond: series.seconds, distribution: latency.distribution,
            serviceDistribution: service.distribution, isComplete: isComplete,
            plan: LoadResult.Plan(plan, devices: devices))
        return LoadResult(counts: counts, details: details)
    }

    private mutating func apply(_ request: Outstanding, _ timing: OutcomeReport.Timing, at now: MonotonicTime)
    {
        let sentAt = request.sentAt ?? request.intended
        let (took, served) = (request.intended.duration(to: now), sentAt.duration(to: now))
        applied += 1
        lastAppliedAt = max(lastAppliedAt, now)
        latency.record(took)
        service.record(served)
        recent.record(took)
        series.applied(intended: request.intended, answeredAt: now, latency: took)
        hops.record(timing, waited: request.intended.duration(to: sentAt), served: served)
    }

    private mutating func fail(_ request: Outstanding) {
        failed += 1
        series.failed(intended: request.intended)
    }

    private mutating func count(_ word: String) { outcomes[word, default: 0] += 1 }

    /// Rounds a number to three decimals.
    private static func rounded(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }
}

/// The latencies by hop.
private struct HopRecord: Sendable {
    private var tester = LatencyRecord()
    private var queue = LatencyRecord()
    private var journal = LatencyRecord()
    private var wire = LatencyRecord()
    private var device = LatencyRecord()
    private var reply = LatencyRecord()

    /// Records the hops of an applied toggle.
    ///
    /// - Parameters:
    ///   - waited: The time from its due time until the tester sent it.
    ///   - served: The time from sending it to its reply.
    mutating func record(_ timing: OutcomeReport.Timing, waited: Duration, served: Duration) {
        tester.record(waited)
        queue.record(.microseconds(timing.queueUs))
        journal.record(.microseconds(timing.journalUs))
        wire.record(.microseconds(timing.wireUs))
        device.record(.microseconds(timing.deviceUs))
        let reported = timing.queueUs + timing.journalUs + timing.wireUs + timing.deviceUs
        reply.record(served - .microseconds(reported))
    }

    /// The figures of each hop.
    var figures: HopFigures {
        HopFigures(
            testerUs: tester.figures, queueUs: queue.figures, journalUs: journal.figures,
            wireUs: wire.figures, deviceUs: device.figures, replyUs: reply.figures)
    }
}

/// The progress of a load, for display.
public struct LoadProgress: Equatable, Sendable {
    /// Totals of the warm-up while that lasts, then of the measurement.
    public struct Totals: Equatable, Sendable {
        /// Requests that were due.
        public let offered: Int
        /// The number of them that were applied.
        public let applied: Int
        /// The number of them that were not applied.
        public let failed: Int
        /// The latencies since the last progress report.
        public let recent: LatencyFigures
    }

    /// The time since the measurement began; negative during the warm-up.
    public let elapsed: Duration
    /// The planned duration of the measurement.
    public let duration: Duration
    /// The number of requests in flight.
    public let inFlight: Int
    /// The totals of the current phase.
    public let totals: Totals
}
