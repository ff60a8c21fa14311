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

    /// A load of at least one device that starts at a time. The random bits of `idSeed` must differ in every
    /// run. A shared load is that of several testers. Requests without a reply are sent again if
    /// `isRepeating`, as clients of the bus do.
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
            schedule = ArrivalSchedule(arrivals, at: RateCurve(perSecond: rate), from: start, seed: plan.seed)
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

    public func isDone(at now: MonotonicTime) -> Bool { now >= end && requests.count == 0 }

    /// Returns the time of the next work without a reply; nil if only replies matter.
    public func nextDue(after now: MonotonicTime) -> MonotonicTime? {
        // Speed: see performance.md, "lists".
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

    public mutating func abandon(at now: MonotonicTime) {
        stop(at: now)
        let left = requests.numbers
        isCutShort = isCutShort || !left.isEmpty
        for number in left { giveUp(number, in: .abandoned) }
    }

    /// The progress of the warm-up while that lasts, then of the measurement. Before the start it is that at
    /// the start: a load without a warm-up shows none.
    public mutating func progress(at now: MonotonicTime) -> LoadProgress {
        let elapsed = max(measuredFrom.duration(to: now), .zero - plan.warmup)
        let totals = record(elapsed >= .zero) { $0.drainProgress() }
        return LoadProgress(
            elapsed: elapsed, duration: plan.duration, inFlight: requests.count, totals: totals)
    }

    /// Records the resources that the load's thread has used since its start. Call it about once a second.
    /// The result has the difference between the last record before the measurement and the last record
    /// before its end.
    public mutating func record(_ use: ThreadUse, at now: MonotonicTime) {
        uses.record(use, at: now, measuredFrom: measuredFrom, to: end)
    }

    public func measurement(against objectives: [Objective]) -> LoadMeasurement {
        let totals = records.measured.totals
        return LoadMeasurement(
            totals.result(
                of: plan, devices: deviceCount, lasting: measuredFor, isComplete: !isCutShort,
                seconds: records.measured.seconds, use: uses.measured),
            of: totals, against: objectives)
    }

    /// The measurement of a shared load, to be added to those of other testers.
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

/// Makes the requests of a load: their devices, IDs and follow-ups.
struct RequestMaker: Sendable {
    static let followUpWithin: Duration = .milliseconds(1)

    private let connections: Int
    private let timeout: Duration
    private let isRepeating: Bool
    private let cancelRatio: Double
    private let retryRatio: Double
    private let kinds: LoadMix?
    private var round: DeviceRound
    /// The random stream of the follow-ups and their delays.
    private var mix: SeededGenerator
    /// The random stream of request IDs, which differ in every run.
    private var ids: SeededGenerator
    private var lastNumber: UInt64 = 0

    /// A maker that begins; requests without a reply are sent again or not.
    init(_ plan: LoadPlan, devices: [DeviceID], idSeed: UInt64, isRepeating: Bool) {
        (connections, timeout, self.isRepeating) = (plan.connections, plan.timeout, isRepeating)
        (cancelRatio, retryRatio, kinds) = (plan.cancelRatio, plan.retryRatio, plan.mix)
        round = DeviceRound(devices, seed: plan.seed)
        mix = SeededGenerator.derived(seed: plan.seed, purpose: 3)
        ids = SeededGenerator.derived(seed: idSeed, purpose: 4)
    }

    /// Makes the next request, whose command is sent now, with its number from 1.
    mutating func make(
        dueAt intended: MonotonicTime, isMeasured: Bool, at now: Moment
    ) -> (number: UInt64, request: Outstanding) {
        lastNumber += 1
        let content: LoadMessage.Content
        let (fate, followUpDelay): (Outstanding.Fate, Duration)
        if let kinds {
            (content, fate, followUpDelay) = draw(from: kinds)
        } else {
            content = .toggle
            (fate, followUpDelay) = drawFate()
        }
        var sending = Transmission(isRepeating ? content.retry : .never, at: now.monotonic)
        _ = sending.consumeDue(at: now.monotonic)
        let request = Outstanding(
            requestID: RequestID(at: now.wall, using: &ids), device: round.next(), content: content,
            connection: Int(lastNumber % UInt64(connections)), intended: intended,
            deadline: now.monotonic.advanced(by: timeout), isMeasured: isMeasured, fate: fate,
            followUpDelay: followUpDelay, sending: sending)
        return (lastNumber, request)
    }

    /// Draws the kind of the next request, the state to set and the delay of a cancel from the seed alone.
    private mutating func draw(from kinds: LoadMix) -> (LoadMessage.Content, Outstanding.Fate, Duration) {
        let kind = kinds.kind(at: Double.random(in: 0..<1, using: &mix))
        let isOn = Bool.random(using: &mix)
        let delay = Duration.nanoseconds(
            Int64.random(in: 0...Self.followUpWithin.wholeNanoseconds, using: &mix))
        return switch kind {
        case .toggle: (.toggle, .plain, .zero)
        case .set: (.set(isOn: isOn), .plain, .zero)
        case .read: (.read, .plain, .zero)
        case .cancel: (.toggle, .cancelled, delay)
        }
    }

    /// Draws the follow-up of the next request and its delay; both depend on the seed alone.
    private mutating func drawFate() -> (Outstanding.Fate, Duration) {
        guard cancelRatio + retryRatio > 0 else { return (.plain, .zero) }
        let draw = Double.random(in: 0..<1, using: &mix)
        let delay = Int64.random(in: 0...Self.followUpWithin.wholeNanoseconds, using: &mix)
        if draw < cancelRatio { return (.cancelled, .nanoseconds(delay)) }
        return (draw < cancelRatio + retryRatio ? .retried : .plain, .nanoseconds(delay))
    }
}
