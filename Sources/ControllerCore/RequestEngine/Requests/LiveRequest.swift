import FleetProtocol
import Stepping

/// A request's identity: an id means something only within its account.
struct RequestKey: Hashable, Sendable {
    let account: AccountIndex
    let id: RequestID
}

/// A request that has not ended.
struct LiveRequest: Sendable {
    /// Its command, once resolved and on its way.
    struct Dispatch: Sendable {
        let identity: CommandIdentity
        let change: ACStateChange
        let base: Version?
        let versionBefore: Version
        /// The node it went to, and its place in that node's list.
        var node: NodeSlot
        var placeAtNode: Int
        var lastLeftAt: MonotonicTime
        var nextResendAt: MonotonicTime
        var resends = 0
        /// An earlier life of the controller sent it first.
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
    /// Commands that left, resends included.
    var attempts: UInt32 = 0
    /// How often a relative toggle was resolved.
    var resolutions = 0
    /// A cancel is in the journal: no command of this request leaves again.
    var isCancelled = false
    /// Its waiters have heard `unknown`; only aborts leave now.
    var isPastDeadline = false
    /// How long the device is busy with its command: it must begin that much before the deadline.
    var runningTime: Duration = .zero
    /// Whether a service wants to know its end.
    var reportsEnd = false
    /// Its node was asked for the device's state, because the client knew a newer one than we did.
    var hasAskedForState = false
    /// When its timer fires; what fires at another time is a former one.
    var timerDue = MonotonicTime.never
    /// How long its newest dispatch took to be kept.
    var journalTook: Duration = .zero
    /// When the queue's part of its time ended.
    var leftQueueAt: MonotonicTime?

    /// Whether a command may still leave: the deadline is ahead and nobody took it back.
    func mayStillRun(at now: MonotonicTime) -> Bool {
        !isCancelled && !isPastDeadline && now < deadline
    }

    /// The entry of a journal from which it would be taken up as it is.
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

    /// Resolved: the command is its own from now on.
    mutating func begin(_ dispatch: Dispatch, at now: MonotonicTime) {
        resolutions += 1
        leftQueueAt = leftQueueAt ?? now
        self.dispatch = dispatch
    }

    /// What goes to its device now: the command while it may run, otherwise an abort.
    ///
    /// - Parameters:
    ///   - takes: How long the device is busy with the command.
    ///   - isNeverLate: A planted mistake: the command leaves after the deadline, too.
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

    /// The report of an end, or of having no answer yet.
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

/// Who waits for an answer: a connection, and the number that the answer must carry.
struct Waiter: Sendable {
    let connection: ConnectionID
    let correlation: UInt64
}

/// One who cancelled and waits for the device's word until some moment.
struct CancelWaiter: Sendable {
    let waiter: Waiter
    let deadline: MonotonicTime
}

/// At most ``Limits/waiters`` of them, the usual single one without an allocation.
struct Waiters: Sendable {
    private var first: Waiter?
    private var others: [Waiter] = []

    init(_ first: Waiter? = nil) {
        self.first = first
    }

    /// Lets one more wait; false when there are too many.
    mutating func join(_ waiter: Waiter) -> Bool {
        guard first != nil else {
            first = waiter
            return true
        }
        guard others.count + 1 < Limits.waiters else { return false }
        others.append(waiter)
        return true
    }

    /// Empties it, calling each in the order of arrival.
    mutating func drain(_ body: (Waiter) -> Void) {
        if let first { body(first) }
        others.forEach(body)
        first = nil
        others = []
    }
}

/// The place of a live request; the generation tells a place's present tenant from its former ones.
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

    /// How many there are.
    var count: Int { slots.count }

    /// The slot of a key, if its request is live.
    func slot(of key: RequestKey) -> RequestSlot? { slots[key] }

    /// Takes a request in; its key must be new.
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

    /// Takes a request out.
    mutating func remove(_ slot: RequestSlot) -> LiveRequest {
        precondition(isLive(slot), "no live request at slot \(slot.index)")
        let request = places[slot.index].request
        places[slot.index].isTaken = false
        free.append(slot.index)
        slots[request.key] = nil
        return request
    }

    /// Whether the slot's request is still the one that the slot was given for.
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

/// How often a command may leave again, and when.
struct RetryBudget: Sendable {
    /// All in tenths of a token: ten tokens are full, a resend costs one, a success earns a tenth.
    private static let full = 100
    private static let cost = 10

    /// Only devices that have spent something.
    private var tenths: [DeviceSlot: Int] = [:]

    /// Takes the cost of one resend; false when a device has no token left.
    mutating func spend(on device: DeviceSlot) -> Bool {
        let left = tenths[device] ?? Self.full
        guard left >= Self.cost else { return false }
        tenths[device] = left - Self.cost
        return true
    }

    /// A command of the device was answered.
    mutating func earn(for device: DeviceSlot) {
        guard let left = tenths[device] else { return }
        tenths[device] = left + 1 == Self.full ? nil : left + 1
    }
}

/// Waiting times between tries.
enum Backoff {
    /// Silence on a live connection before a command leaves again.
    static let silence: Duration = .seconds(1)
    private static let base: Duration = .milliseconds(50)
    private static let cap: Duration = .milliseconds(500)

    /// Full jitter: anything from nothing to 50 ms · 2ⁿ, at most 500 ms.
    static func jitter(afterTries tries: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let bound = min(cap, base * (1 << min(tries, 8)))
        return .nanoseconds(Int64.random(in: 0...bound.wholeNanoseconds, using: &generator))
    }
}
