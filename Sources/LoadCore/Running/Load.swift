public import FleetProtocol
public import FleetTime

/// The rules of a load: told the time and the answers, it says what is to leave, and measures.
///
/// In an open loop a request's clock starts when it was due, and what is due leaves even when answers are
/// late; so a stall of the fleet, or of the tester, shows in full (no coordinated omission: Tene, "How NOT
/// to measure latency", 2013).
public struct Load: Sendable {
    /// How long after its patience an answer is still waited for.
    static let grace: Duration = .seconds(1)
    /// The number of requests for which memory is reserved at once.
    private static let usualOutstanding = 1_024...65_536

    /// When what counts begins.
    let measuredFrom: MonotonicTime

    let plan: LoadPlan
    let token: Token
    private let deviceCount: Int
    /// When nothing new is sent any more.
    private(set) var end: MonotonicTime
    var schedule: ArrivalSchedule?
    var maker: RequestMaker
    var requests = OutstandingRequests()
    var followUps = Timers<UInt64>()
    var blocked = BlockedMessages()
    private var isCutShort = false
    private var records: LoadRecords
    private var uses = ThreadUses()

    /// A load that begins at a moment.
    ///
    /// - Parameters:
    ///   - devices: Whom it asks; at least one.
    ///   - token: The session of whoever asks.
    ///   - idSeed: Random bits for the requests' ids, other ones in every run.
    public init(
        _ plan: LoadPlan, devices: [DeviceID], token: Token, idSeed: UInt64, startingAt start: MonotonicTime
    ) {
        (self.plan, self.token) = (plan, token)
        deviceCount = devices.count
        measuredFrom = start.advanced(by: plan.warmup)
        end = measuredFrom.advanced(by: plan.duration)
        maker = RequestMaker(plan, devices: devices, idSeed: idSeed)
        records = LoadRecords(of: plan, from: start)
        if case .rate(let rate, let arrivals) = plan.demand {
            schedule = ArrivalSchedule(arrivals, perSecond: rate, from: start, seed: plan.seed)
        }
        makeRoom()
    }

    /// Allocates the tables that would otherwise grow during the measurement.
    private mutating func makeRoom() {
        let expected =
            switch plan.demand {
            case .rate(let rate, _): Int(rate / 4)
            case .inFlight(let count): 2 * count
            }
        let room = min(max(expected, Self.usualOutstanding.lowerBound), Self.usualOutstanding.upperBound)
        requests.reserve(room, withRetries: plan.retryRatio > 0)
        blocked.reserve(Self.usualOutstanding.lowerBound)
    }

    /// Gives access to the recorder of the measurement or of the warm-up.
    mutating func record<Value>(_ isMeasured: Bool, _ body: (inout LoadRecorder) -> Value) -> Value {
        records.record(isMeasured, body)
    }

    /// Whether everything that was sent has ended.
    public func isDone(at now: MonotonicTime) -> Bool {
        now >= end && requests.count == 0
    }

    /// When there may be something to do although no answer comes; nil when only answers matter.
    public func nextDue(after now: MonotonicTime) -> MonotonicTime? {
        // Asked once a turn: without an array of what may be due.
        var due = min(followUps.nextDue ?? .never, requests.nextTimeout ?? .never, blocked.nextDue ?? .never)
        if now < end {
            due = min(due, schedule?.next ?? .never, end)
            if case .inFlight(let count) = plan.demand, requests.unanswered < count { due = now }
        }
        return due == .never ? nil : due
    }

    /// Sends nothing new any more; what was sent is still waited for.
    public mutating func stop(at now: MonotonicTime) {
        guard now < end else { return }
        end = now
        isCutShort = true
    }

    /// Waits for nothing any more.
    public mutating func abandon(at now: MonotonicTime) {
        stop(at: now)
        let left = requests.numbers
        isCutShort = isCutShort || !left.isEmpty
        for number in left { giveUp(number, in: .abandoned) }
    }

    /// The progress of the warm-up while that lasts, then of the measurement.
    public mutating func progress(at now: MonotonicTime) -> LoadProgress {
        let elapsed = measuredFrom.duration(to: now)
        let totals = record(elapsed >= .zero) { $0.takeTotals() }
        return LoadProgress(
            elapsed: elapsed, duration: plan.duration, inFlight: requests.count, totals: totals)
    }

    /// Notes the resources that the load's thread has used since its start.
    ///
    /// Call it about once a second. The result has the difference between the last note before the
    /// measurement and the last note before its end.
    public mutating func note(_ use: ThreadUse, at now: MonotonicTime) {
        uses.note(use, at: now, measuredFrom: measuredFrom, to: end)
    }

    /// What was measured, and whether it is as good as was wanted.
    public func measurement(against objectives: [Objective]) -> LoadMeasurement {
        let duration = max(measuredFrom.duration(to: end), .zero)
        return LoadMeasurement(
            result: records.measured.result(
                of: plan, devices: deviceCount, lasting: duration, isComplete: !isCutShort,
                threadUse: uses.measured),
            verdicts: objectives.map {
                $0.verdict(on: records.measured.latency, failed: records.measured.failed)
            },
            percentileFile: records.measured.latency.percentileFile)
    }
}

/// The records of the warm-up, which are discarded, and of the measurement.
private struct LoadRecords: Sendable {
    private(set) var measured: LoadRecorder
    private var warmup: LoadRecorder

    /// Empty records of a plan.
    init(of plan: LoadPlan, from start: MonotonicTime) {
        let patience = plan.patience + Load.grace
        measured = LoadRecorder(
            from: start.advanced(by: plan.warmup), patience: patience, lasting: plan.duration)
        warmup = LoadRecorder(from: start, patience: patience, lasting: plan.warmup)
    }

    /// Gives access to the recorder of the measurement or of the warm-up.
    mutating func record<Value>(_ isMeasured: Bool, _ body: (inout LoadRecorder) -> Value) -> Value {
        isMeasured ? body(&measured) : body(&warmup)
    }
}
