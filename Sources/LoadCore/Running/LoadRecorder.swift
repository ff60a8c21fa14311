import FleetProtocol

/// The figures of a load; it records each measured request once.
struct LoadRecorder: Sendable {
    enum Silence: String, Sendable {
        case noAnswer
        /// The request was not sent: no connection accepted it, or too many requests were outstanding.
        case notSent
        /// The tester stopped before a reply arrived.
        case abandoned
    }

    private let start: MonotonicTime
    private(set) var totals: LoadTotals
    private var series: SecondSeries
    /// The latencies since the last call of ``drainProgress()``.
    private var recent = LatencyRecord()

    /// A recorder of requests that are due after an instant; it allocates all its memory here. The timeout is
    /// the longest time from the due time of a request to its end. Without kinds, all are toggles.
    init(
        from start: MonotonicTime, timeout: Duration, lasting duration: Duration,
        of kinds: [LoadRequestKind] = [], isShared: Bool = false
    ) {
        self.start = start
        totals = LoadTotals(of: kinds)
        series = SecondSeries(from: start, timeout: timeout, lasting: duration, retainsLatencies: isShared)
    }

    /// Records that the tester handled a measured request that was due.
    mutating func offer(intended: MonotonicTime, at now: MonotonicTime) {
        totals.offered += 1
        totals.tester.record(intended.duration(to: now))
        series.offered(at: intended)
    }

    mutating func end(_ request: Outstanding, with answer: LoadAnswer, at now: MonotonicTime) {
        totals.count(answer.name, of: request.kind)
        guard request.fate != .cancelled else { return }
        switch answer {
        case .applied(let timing), .unchanged(let timing): apply(request, timing, at: now)
        case .read: apply(request, nil, at: now)
        case .failed: fail(request)
        }
    }

    mutating func end(_ request: Outstanding, in silence: Silence) {
        totals.count(silence.rawValue, of: request.kind)
        if request.fate != .cancelled, silence != .abandoned { fail(request) }
    }

    /// Records that a measured request was dropped because too many requests were outstanding.
    mutating func drop(intended: MonotonicTime) {
        totals.count(Silence.notSent.rawValue)
        totals.failed += 1
        series.failed(intended: intended)
    }

    mutating func endCancel(_ body: ClientReply.Body, took: Duration) {
        totals.cancel.record(took)
        guard case .cancel(_, let answer) = body else { return totals.cancels.refused += 1 }
        switch answer {
        case .cancelled: totals.cancels.inTime += 1
        case .tooLate: totals.cancels.tooLate += 1
        case .pending: totals.cancels.pending += 1
        }
    }

    /// Records that a measured request was given up after its cancel or retry was sent.
    mutating func endFollowUpInSilence(of request: Outstanding) {
        switch request.fate {
        case .plain: break
        case .cancelled: totals.cancels.noAnswer += 1
        case .retried: totals.retries.noAnswer += 1
        }
    }

    /// Compares the replies to both copies of a measured request.
    mutating func compare(_ first: FirstReply, _ second: FirstReply) {
        if first == .undecided || second == .undecided {
            totals.retries.undecided += 1
        } else if first == second {
            totals.retries.alike += 1
        } else {
            totals.retries.different += 1
        }
    }

    /// Returns the totals so far, with the latencies since the last call.
    mutating func drainProgress() -> LoadProgress.Totals {
        defer { recent.reset() }
        return LoadProgress.Totals(
            offered: totals.offered, applied: totals.applied, failed: totals.failed,
            outcomes: totals.outcomes.counts, recent: recent.figures, whole: totals.latency.figures)
    }

    var seconds: [LoadSecond] { series.seconds }

    /// The seconds of a shared measurement in a compact form.
    var recordedSeconds: [RecordedSecond] { series.recorded }

    private mutating func apply(
        _ request: Outstanding, _ timing: OutcomeReport.Timing?, at now: MonotonicTime
    ) {
        let sentAt = request.sentAt ?? request.intended
        let (took, served) = (request.intended.duration(to: now), sentAt.duration(to: now))
        totals.applied += 1
        totals.lastAppliedAfter = max(totals.lastAppliedAfter, start.duration(to: now))
        totals.record(took, of: request.kind)
        totals.service.record(served)
        recent.record(took)
        series.applied(intended: request.intended, answeredAt: now, latency: took)
        // A read has no hops, and would be missing in some of them.
        guard request.kind != .read else { return }
        totals.hops.record(timing, waited: request.intended.duration(to: sentAt), served: served)
    }

    private mutating func fail(_ request: Outstanding) {
        totals.failed += 1
        series.failed(intended: request.intended)
    }
}

public struct LoadProgress: Codable, Equatable, Sendable {
    /// Totals of the warm-up while that lasts, then of the measurement.
    public struct Totals: Codable, Equatable, Sendable {
        public let offered: Int
        public let applied: Int
        public let failed: Int
        /// The number of requests with each outcome and refusal; empty for several testers.
        public let outcomes: [String: Int]
        public let recent: LatencyFigures
        /// The latencies since the phase began; none for several testers.
        public let whole: LatencyFigures
    }

    /// The time since the measurement began; negative during the warm-up.
    public let elapsed: Duration
    public let duration: Duration
    public let inFlight: Int
    public let totals: Totals
}
