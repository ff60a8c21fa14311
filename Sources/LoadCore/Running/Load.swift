public import FleetProtocol

/// The rules of a load: they receive the time and the replies, return the messages to send, and measure.
///
/// In an open loop the latency of a request counts from its due time, and due requests are sent even when
/// replies are late. So a stall of the fleet or of the tester shows in full (no coordinated omission: Tene,
/// "How NOT to measure latency", 2013).
public struct Load: Sendable {
    /// How long the tester waits for a reply after the timeout of a request.
    static let grace: Duration = .seconds(1)
    /// The number of requests for which memory is reserved at once.
    private static let usualOutstanding = 1_024...65_536

    let measuredFrom: MonotonicTime

    let plan: LoadPlan
    private let deviceCount: Int
    /// The time after which no new request is sent.
    private(set) var end: MonotonicTime
    var schedule: ArrivalSchedule?
    var maker: RequestMaker
    var requests: OutstandingRequests
    private var isCutShort = false
    private var records: LoadRecords
    private var uses = ThreadUses()

    /// A load that starts at a time.
    ///
    /// - Parameters:
    ///   - devices: The devices to toggle; at least one.
    ///   - idSeed: Random bits for the request IDs, which must differ in every run.
    ///   - isShared: Whether ``recording`` is wanted, because other testers share the load.
    ///   - isRepeating: Whether requests without a reply are sent again, as clients of the bus do.
    public init(
        _ plan: LoadPlan, devices: [DeviceID], idSeed: UInt64, startingAt start: MonotonicTime,
        isShared: Bool = false, isRepeating: Bool = true
    ) {
        self.plan = plan
        deviceCount = devices.count
        measuredFrom = start.advanced(by: plan.warmup)
        end = measuredFrom.advanced(by: plan.duration)
        maker = RequestMaker(plan, devices: devices, idSeed: idSeed, isRepeating: isRepeating)
        requests = OutstandingRequests(seed: plan.seed)
        records = LoadRecords(of: plan, from: start, isShared: isShared)
        switch plan.demand {
        case .rate(let rate, let arrivals):
            schedule = ArrivalSchedule(
                arrivals, at: RateCurve(perSecond: rate), from: start, seed: plan.seed)
        case .ramp(let ramp, let arrivals):
            schedule = ArrivalSchedule(
                arrivals, at: RateCurve(ramp, after: plan.warmup), from: start, seed: plan.seed)
        case .inFlight: break
        }
        makeRoom(at: start)
    }

    /// Allocates the tables that would otherwise grow during the measurement.
    private mutating func makeRoom(at start: MonotonicTime) {
        let expected =
            switch plan.demand {
            case .rate(let rate, _): Int(rate / 4)
            case .ramp(let ramp, _): Int(ramp.peak / 4)
            case .inFlight(let count): 2 * count
            }
        let room = min(max(expected, Self.usualOutstanding.lowerBound), Self.usualOutstanding.upperBound)
        // A request of another maker: it does not count.
        var maker = maker
        let moment = Moment(monotonic: start, wall: WallTime(unixMilliseconds: 0))
        let (_, request) = maker.make(dueAt: start, isMeasured: false, at: moment)
        requests.reserve(room, like: request, withRetries: plan.retryRatio > 0)
    }

    mutating func record<Value>(_ isMeasured: Bool, _ body: (inout LoadRecorder) -> Value) -> Value {
        records.record(isMeasured, body)
    }

    /// Returns whether all sent requests have ended.
    public func isDone(at now: MonotonicTime) -> Bool { now >= end && requests.count == 0 }

    /// Returns the time of the next work without a reply; nil if only replies matter.
    public func nextDue(after now: MonotonicTime) -> MonotonicTime? {
        // Called once a turn, so it avoids an array of the candidates.
        var due = min(requests.nextSend ?? .never, requests.nextDeadline ?? .never)
        if now < end {
            due = min(due, schedule?.next ?? .never, end)
            if case .inFlight(let count) = plan.demand, requests.unanswered < count { due = now }
        }
        return due == .never ? nil : due
    }

    /// Stops new requests; the load still waits for the replies to sent ones.
    public mutating func stop(at now: MonotonicTime) {
        guard now < end else { return }
        end = now
        isCutShort = true
    }

    /// Stops waiting for replies.
    public mutating func abandon(at now: MonotonicTime) {
        stop(at: now)
        let left = requests.numbers
        isCutShort = isCutShort || !left.isEmpty
        for number in left { giveUp(number, in: .abandoned) }
    }

    /// The progress of the warm-up while that lasts, then of the measurement.
    ///
    /// Before the start it is that at the start: a load without a warm-up shows none.
    public mutating func progress(at now: MonotonicTime) -> LoadProgress {
        let elapsed = max(measuredFrom.duration(to: now), .zero - plan.warmup)
        let totals = record(elapsed >= .zero) { $0.drainProgress() }
        return LoadProgress(
            elapsed: elapsed, duration: plan.duration, inFlight: requests.count, totals: totals)
    }

    /// Records the resources that the load's thread has used since its start.
    ///
    /// Call it about once a second. The result has the difference between the last record before the
    /// measurement and the last record before its end.
    public mutating func record(_ use: ThreadUse, at now: MonotonicTime) {
        uses.record(use, at: now, measuredFrom: measuredFrom, to: end)
    }

    /// Returns the result of the measurement, with the verdicts on the objectives.
    public func measurement(against objectives: [Objective]) -> LoadMeasurement {
        let totals = records.measured.totals
        return LoadMeasurement(
            result: totals.result(
                of: plan, devices: deviceCount, lasting: measuredFor, isComplete: !isCutShort,
                seconds: records.measured.seconds, use: uses.measured),
            objectiveResults: objectives.map {
                $0.objectiveResult(on: totals.latency, failed: totals.failed)
            },
            percentileFile: totals.latency.percentileFile)
    }

    /// The measurement, to be added to those of other testers.
    ///
    /// - Precondition: The load is shared.
    public var recording: LoadRecording {
        LoadRecording(
            totals: records.measured.totals.recorded, seconds: records.measured.recordedSeconds,
            devices: deviceCount, durationSeconds: measuredFor / .seconds(1), isComplete: !isCutShort,
            threadUse: uses.measured)
    }

    private var measuredFor: Duration { max(measuredFrom.duration(to: end), .zero) }
}

/// The records of the warm-up, which are discarded, and of the measurement.
private struct LoadRecords: Sendable {
    private(set) var measured: LoadRecorder
    private var warmup: LoadRecorder

    /// Empty records of a plan.
    init(of plan: LoadPlan, from start: MonotonicTime, isShared: Bool) {
        let timeout = plan.timeout + Load.grace
        measured = LoadRecorder(
            from: start.advanced(by: plan.warmup), timeout: timeout, lasting: plan.duration,
            of: plan.mix?.kinds ?? [], isShared: isShared)
        warmup = LoadRecorder(from: start, timeout: timeout, lasting: plan.warmup)
    }

    /// Gives access to the recorder of the measurement or of the warm-up.
    mutating func record<Value>(_ isMeasured: Bool, _ body: (inout LoadRecorder) -> Value) -> Value {
        isMeasured ? body(&measured) : body(&warmup)
    }
}
