import FleetProtocol
import FleetTime

/// A request's identity: its ID is unique only within its account.
struct RequestKey: Hashable, Sendable {
    let account: AccountIndex
    let id: RequestID
}

/// A request that has not ended.
struct LiveRequest: Sendable {
    /// The resolved command of a dispatched request.
    struct Dispatch: Sendable {
        let identity: CommandIdentity
        let change: ACStateChange
        let base: Version?
        let versionBefore: Version
        /// The node that it was sent to, and its place in that node's list.
        var node: NodeSlot
        var placeAtNode: Int
        var lastLeftAt: MonotonicTime
        var nextResendAt: MonotonicTime
        var resends = 0
        /// Whether an earlier run of the controller sent it first.
        var isResumed = false
    }

    let key: RequestKey
    let content: RequestContent
    let device: DeviceSlot
    let actor: Email
    let arrivedAt: MonotonicTime
    let deadline: MonotonicTime
    let wallArrival: WallTime
    let wallDeadline: WallTime
    var waiters: Waiters
    var cancelWaiters: [CancelWaiter] = []
    var dispatch: Dispatch?
    /// The number of commands sent, resends included.
    var attempts: UInt32 = 0
    /// How often a relative toggle was resolved.
    var resolutions = 0
    /// Whether a cancel is in the journal: no command of this request is sent again.
    var isCancelled = false
    /// Whether its waiters got the reply `unknown`: from then on only aborts are sent.
    var isPastDeadline = false
    /// How long the device is busy with the command, which must begin that long before the deadline.
    var runningTime: Duration = .zero
    /// Whether the engine reports its end to a service.
    var reportsEnd = false
    /// Whether its node was asked for the device's state, because the client knew a newer one.
    var hasAskedForState = false
    /// When its timer fires; a timer that fires at another time is outdated.
    var timerDue = MonotonicTime.never
    /// How long its newest dispatch took to be stored.
    var journalTook: Duration = .zero
    /// When it first left the queue.
    var leftQueueAt: MonotonicTime?

    /// Whether its command may still be sent: it is not cancelled, and its deadline is ahead.
    func mayStillRun(at now: MonotonicTime) -> Bool {
        !isCancelled && !isPastDeadline && now < deadline
    }

    /// Returns the journal entry from which the request can be recovered in its present state.
    func entry(of account: AccountID) -> JournalEntry {
        let record = RequestRecord(
            account: account, requestID: key.id, content: content, actor: actor, arrivedAt: wallArrival,
            deadline: wallDeadline)
        guard let dispatch else { return .admitted(record) }
        return .dispatched(
            record,
            DispatchRecord(
                identity: dispatch.identity, change: dispatch.change, base: dispatch.base,
                versionBefore: dispatch.versionBefore, resolution: UInt32(resolutions)))
    }

    /// Records the dispatch of the resolved command.
    mutating func begin(_ dispatch: Dispatch, at now: MonotonicTime) {
        resolutions += 1
        leftQueueAt = leftQueueAt ?? now
        self.dispatch = dispatch
    }

    /// Returns the message for the device: the command while it may run, otherwise an abort.
    ///
    /// - Parameters:
    ///   - takes: How long the device is busy with the command.
    ///   - isNeverLate: A planted bug: the command is sent after the deadline, too.
    mutating func leave(takes: Duration, at now: MonotonicTime, isNeverLate: Bool) -> ControllerMessage.Body {
        guard let dispatch else { preconditionFailure("request \(key.id) was never dispatched") }
        let remaining = now.duration(to: deadline)
        let isLate = !mayStillRun(at: now) || remaining < .milliseconds(1)
        guard !isLate || (isNeverLate && !isCancelled) else { return .abort(dispatch.identity) }
        attempts += 1
        self.dispatch?.lastLeftAt = now
        let command = DeviceCommand(
            identity: dispatch.identity, change: dispatch.change, base: dispatch.base,
            timeToLive: max(remaining, .milliseconds(1)), isCorrection: content.kind.isCorrection,
            takesMs: UInt32(clamping: takes.wholeMilliseconds))
        guard let setting = content.kind.setting else { return .command(command) }
        return .configure(command, setting)
    }

    /// Returns the report of an outcome, which may be `unknown`.
    func report(_ outcome: Outcome, at now: MonotonicTime, answer: CommandResult? = nil) -> OutcomeReport {
        var timing = OutcomeReport.Timing(totalUs: arrivedAt.duration(to: now).wholeMicroseconds)
        timing.journalUs = journalTook.wholeMicroseconds
        timing.queueUs = arrivedAt.duration(to: leftQueueAt ?? now).wholeMicroseconds
        if let dispatch, let answer {
            let away = dispatch.lastLeftAt.duration(to: now).wholeMicroseconds
            timing.deviceUs = answer.deviceUs
            timing.wireUs = away - min(away, answer.deviceUs)
        }
        return OutcomeReport(
            requestID: key.id, device: content.device, outcome: outcome, actor: actor,
            versionBefore: answer?.versionBefore ?? dispatch?.versionBefore ?? .zero, attempts: attempts,
            command: content.kind.kind, timing: timing)
    }
}

/// A client that waits for a reply: its connection, and the correlation number of the reply.
struct Waiter: Sendable {
    let connection: ConnectionID
    let correlation: UInt64
}

/// A client that cancelled and waits for the device's result until a deadline.
struct CancelWaiter: Sendable {
    let waiter: Waiter
    let deadline: MonotonicTime
}

/// At most ``Limits/waiters`` waiters; the usual single one needs no allocation.
struct Waiters: Sendable {
    private var first: Waiter?
    private var others: [Waiter] = []

    init(_ first: Waiter? = nil) {
        self.first = first
    }

    /// Adds a waiter; returns false if there are too many.
    mutating func join(_ waiter: Waiter) -> Bool {
        guard first != nil else {
            first = waiter
            return true
        }
        guard others.count + 1 < Limits.waiters else { return false }
        others.append(waiter)
        return true
    }

    /// Removes all waiters, calling the body with each in the order of arrival.
    mutating func drain(_ body: (Waiter) -> Void) {
        if let first { body(first) }
        others.forEach(body)
        first = nil
        others = []
    }
}

/// The place of a live request; the generation distinguishes it from former requests at the same place.
struct RequestSlot: Hashable, Sendable {
    let index: Int
    let generation: UInt32
}

/// Every request that has not ended, found by its key or its slot.
struct RequestTable: Sendable {
    private struct Place: Sendable {
        var generation: UInt32
        var isTaken: Bool
        var request: LiveRequest
    }

    private var places: [Place] = []
    private var free: [Int] = []
    private var slots: [RequestKey: RequestSlot] = [:]

    /// The number of live requests.
    var count: Int { slots.count }

    /// The slot of a key, if its request is live.
    func slot(of key: RequestKey) -> RequestSlot? { slots[key] }

    /// Adds a request, whose key must be new.
    mutating func insert(_ request: consuming LiveRequest) -> RequestSlot {
        let slot: RequestSlot
        let key = request.key
        if let index = free.popLast() {
            slot = RequestSlot(index: index, generation: places[index].generation &+ 1)
            places[index] = Place(generation: slot.generation, isTaken: true, request: request)
        } else {
            slot = RequestSlot(index: places.count, generation: 0)
            places.append(Place(generation: 0, isTaken: true, request: request))
        }
        let former = slots.updateValue(slot, forKey: key)
        precondition(former == nil, "request \(key.id) admitted twice")
        return slot
    }

    /// Removes a request and returns it.
    mutating func remove(_ slot: RequestSlot) -> LiveRequest {
        precondition(isLive(slot), "no live request at slot \(slot.index)")
        let request = places[slot.index].request
        places[slot.index].isTaken = false
        free.append(slot.index)
        slots[request.key] = nil
        return request
    }

    /// Whether the request that the slot was created for is still live.
    func isLive(_ slot: RequestSlot) -> Bool {
        places[slot.index].generation == slot.generation && places[slot.index].isTaken
    }

    /// The live request at a slot.
    subscript(slot: RequestSlot) -> LiveRequest {
        precondition(isLive(slot), "no live request at slot \(slot.index)")
        return places[slot.index].request
    }

    /// Changes the live request at a slot, in place.
    mutating func update<Result>(_ slot: RequestSlot, _ change: (inout LiveRequest) -> Result) -> Result {
        precondition(isLive(slot), "no live request at slot \(slot.index)")
        return change(&places[slot.index].request)
    }
}

/// The retry budget of each device, which limits resends of commands.
struct RetryBudget: Sendable {
    /// Amounts are tenths of a token: a full budget has ten tokens, a resend costs one, a result earns a
    /// tenth.
    private static let full = 100
    private static let cost = 10

    /// The remaining budgets; a device with a full budget has no entry.
    private var tenths: [DeviceSlot: Int] = [:]

    /// Takes the cost of one resend; returns false if the device has no token left.
    mutating func spend(on device: DeviceSlot) -> Bool {
        let left = tenths[device] ?? Self.full
        guard left >= Self.cost else { return false }
        tenths[device] = left - Self.cost
        return true
    }

    /// Earns a tenth of a token, for a result of the device.
    mutating func earn(for device: DeviceSlot) {
        guard let left = tenths[device] else { return }
        tenths[device] = left + 1 == Self.full ? nil : left + 1
    }
}

/// Delays between retries.
enum Backoff {
    /// The silence on a live connection after which a command is sent again.
    static let silence: Duration = .seconds(1)
    private static let base: Duration = .milliseconds(50)
    private static let cap: Duration = .milliseconds(500)

    /// Full jitter: a random delay between 0 and 50 ms · 2ⁿ, at most 500 ms.
    static func jitter(afterTries tries: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let bound = min(cap, base * (1 << min(tries, 8)))
        return .nanoseconds(Int64.random(in: 0...bound.wholeNanoseconds, using: &generator))
    }
}
