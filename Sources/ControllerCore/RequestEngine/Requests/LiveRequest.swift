import FleetProtocol
import FleetTime

/// A request's identity: its ID is unique only within its account.
struct RequestKey: Hashable, Sendable {
    let account: AccountIndex
    let id: RequestID
}

/// A request that has not ended.
struct LiveRequest: Sendable {
    let key: RequestKey
    let content: RequestContent
    let device: DeviceSlot
    let actor: Email
    let arrivedAt: MonotonicTime
    let deadline: MonotonicTime
    let wallArrival: WallTime
    let wallDeadline: WallTime
    var waiters: Waiters
    var state = RequestState.admitted
    /// The number of commands sent, resends included.
    var attempts: UInt32 = 0
    /// How long the device is busy with the command, which must begin that long before the deadline.
    var runningTime: Duration = .zero
    /// Whether the engine reports its end to a service.
    var reportsEnd = false
    /// When its timer fires; a timer that fires at another time is outdated.
    var timerDue = MonotonicTime.never

    /// The time from which a dispatch is too late, because the device could not finish by the deadline.
    @inline(__always)
    var startDue: MonotonicTime { deadline.advanced(by: .zero - runningTime) }

    /// Whether its command may still be sent: it is not cancelled, and its deadline is ahead.
    func mayStillRun(at now: MonotonicTime) -> Bool {
        !state.isCancelling && !state.isOverdue && now < deadline
    }

    /// Its record in the journal.
    @inline(__always)
    func record(of account: AccountID) -> RequestRecord {
        RequestRecord(
            account: account, requestID: key.id, content: content, actor: actor, arrivedAt: wallArrival,
            deadline: wallDeadline)
    }

    /// Returns the next message for the device: the command while it may run, otherwise an abort.
    ///
    /// - Parameter isNeverLate: A planted bug: the command is sent after the deadline, too.
    @inline(__always)
    mutating func nextMessage(
        _ dispatch: inout Dispatch, at now: MonotonicTime, isNeverLate: Bool
    ) -> ControllerMessage.Body {
        let remaining = now.duration(to: deadline)
        let isLate = !mayStillRun(at: now) || remaining < .milliseconds(1)
        guard !isLate || (isNeverLate && !state.isCancelling) else { return .abort(dispatch.identity) }
        attempts += 1
        dispatch.lastLeftAt = now
        let command = DeviceCommand(
            identity: dispatch.identity, change: dispatch.change, base: dispatch.base,
            timeToLive: max(remaining, .milliseconds(1)), isCorrection: content.kind.isCorrection,
            takesMs: UInt32(clamping: runningTime.wholeMilliseconds))
        guard let setting = content.kind.setting else { return .command(command) }
        return .configure(command, setting)
    }

    /// Returns the report of an outcome, which may be `unknown`.
    func report(
        _ outcome: Outcome, of dispatch: Dispatch?, at now: MonotonicTime, answer: CommandResult? = nil
    ) -> OutcomeReport {
        var timing = OutcomeReport.Timing(totalUs: arrivedAt.duration(to: now).wholeMicroseconds)
        timing.journalUs = dispatch?.journalTook.wholeMicroseconds ?? 0
        timing.queueUs = arrivedAt.duration(to: dispatch?.leftQueueAt ?? now).wholeMicroseconds
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
