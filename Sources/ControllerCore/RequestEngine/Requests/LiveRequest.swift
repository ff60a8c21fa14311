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
