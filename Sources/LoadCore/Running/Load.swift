import DequeModule
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
    /// Cancels and repeats leave within so long after their request.
    static let followUpWithin: Duration = .milliseconds(1)
    /// The pause after which a message is offered again that the connection did not take.
    static let pause: Duration = .milliseconds(1)
    /// The most requests waited for at a time; what is due beyond is counted as not sent.
    static let outstandingLimit = 262_144
    /// The number of requests for which memory is reserved at once.
    private static let usualOutstanding = 1_024...65_536

    /// When a request is given up.
    struct GiveUp: Sendable {
        let number: UInt64
        let at: MonotonicTime
    }

    /// When what counts begins.
    let measuredFrom: MonotonicTime

    let plan: LoadPlan
    let token: Token
    let deviceCount: Int
    /// When nothing new is sent any more.
    var end: MonotonicTime
    var schedule: ArrivalSchedule?
    var round: DeviceRound
    /// Decides on cancels and repeats, and when they leave.
    var mix: SeededGenerator
    /// Makes request ids, which must be other ones in every run.
    var ids: SeededGenerator
    var lastNumber: UInt64 = 0
    var outstanding: [UInt64: Outstanding] = [:]
    /// In the order in which requests are given up.
    var givingUp: Deque<GiveUp> = []
    var followUps = Timers<UInt64>()
    /// What no connection took yet.
    var blocked: Deque<LoadMessage> = []
    var blockedUntil = MonotonicTime.zero
    var firstAnswers: [UInt64: FirstAnswer] = [:]
    /// Requests without any answer.
    var unanswered = 0
    var isCutShort = false
    /// Records of the measurement.
    private var measured: LoadRecorder
    /// Records of the warm-up, kept in the same way and discarded.
    private var warmup: LoadRecorder
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
        self.plan = plan
        self.token = token
        deviceCount = devices.count
        measuredFrom = start.advanced(by: plan.warmup)
        end = measuredFrom.advanced(by: plan.duration)
        round = DeviceRound(devices, seed: plan.seed)
        mix = SeededGenerator.derived(seed: plan.seed, purpose: 3)
        ids = SeededGenerator.derived(seed: idSeed, purpose: 4)
        let patience = plan.patience + Self.grace
        measured = LoadRecorder(from: measuredFrom, patience: patience, lasting: plan.duration)
        warmup = LoadRecorder(from: start, patience: patience, lasting: plan.warmup)
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
        outstanding.reserveCapacity(room)
        givingUp.reserveCapacity(room)
        blocked.reserveCapacity(Self.usualOutstanding.lowerBound)
        if plan.retryRatio > 0 { firstAnswers.reserveCapacity(room) }
    }

    /// Gives access to the recorder of the measurement or of the warm-up.
    mutating func record<Value>(_ isMeasured: Bool, _ body: (inout LoadRecorder) -> Value) -> Value {
        isMeasured ? body(&measured) : body(&warmup)
    }

    /// Whether everything that was sent has ended.
    public func isDone(at now: MonotonicTime) -> Bool {
        now >= end && outstanding.isEmpty
    }

    /// When there may be something to do although no answer comes; nil when only answers matter.
    public func nextDue(after now: MonotonicTime) -> MonotonicTime? {
        // Asked once a turn: without an array of what may be due.
        var due = min(followUps.nextDue ?? .never, givingUp.first?.at ?? .never)
        if !blocked.isEmpty { due = min(due, blockedUntil) }
        if now < end {
            due = min(due, schedule?.next ?? .never, end)
            if case .inFlight(let count) = plan.demand, unanswered < count { due = now }
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
        isCutShort = isCutShort || !outstanding.isEmpty
        for (number, request) in outstanding.sorted(by: { $0.key < $1.key }) {
            giveUp(request, number, in: .abandoned)
        }
    }

    /// The progress of the warm-up while that lasts, then of the measurement.
    public mutating func progress(at now: MonotonicTime) -> LoadProgress {
        let elapsed = measuredFrom.duration(to: now)
        let totals = record(elapsed >= .zero) { $0.takeTotals() }
        return LoadProgress(
            elapsed: elapsed, duration: plan.duration, inFlight: outstanding.count, totals: totals)
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
            result: measured.result(
                of: plan, devices: deviceCount, lasting: duration, isComplete: !isCutShort,
                threadUse: uses.measured),
            verdicts: objectives.map { $0.verdict(on: measured.latency, failed: measured.failed) },
            percentileFile: measured.latency.percentileFile)
    }
}
