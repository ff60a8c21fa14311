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
            versionBefore: dispatch?.versionBefore ?? .zero, attempts: attempts,
            command: content.kind.kind, timing: timing)
    }
}
