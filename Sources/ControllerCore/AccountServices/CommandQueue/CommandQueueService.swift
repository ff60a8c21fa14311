import FleetProtocol

/// The command queues of all accounts: every user of an account can read them, and users who may switch
/// devices start and steer them.
///
/// A queue is a client of the engine: the ID of its next command is stored before the command is submitted.
/// So after a restart the queue knows under which ID a command may have been sent, and the engine's journal
/// has its outcome: it is never sent under another ID.
struct CommandQueueService: AccountService {
    private var queues = CommandQueues()
    /// Queues that lost commands at the start, until that is stored.
    private var unstoredLosses: [QueueKey] = []
    /// The queue whose running command the last request cancels; nil if it cancels none.
    private var cancelled: QueueKey?

    mutating func restore(_ record: ServiceRecord, of account: AccountIndex) throws(WireError) {
        let content = try QueueRecord(record)
        queues[account].restore(content)
    }

    func hasData(of account: AccountIndex) -> Bool { queues.has(account) }

    /// When commands may be submitted next; nil if none waits.
    @inline(__always)
    var nextDue: MonotonicTime? { queues.hasWork || !unstoredLosses.isEmpty ? .zero : queues.nextPostponed }

    /// Whether queues lost commands at the start, which is not stored yet.
    var hasUnstoredLosses: Bool { !unstoredLosses.isEmpty }

    func author(of request: RequestKey) -> Email? { queues[request.account].author(of: request.id) }

    // MARK: Requests of users

    /// Handles a request of a user; then the caller cancels the command that ``popCancelled()`` returns.
    mutating func handle(
        _ request: QueueRequest, in context: ServiceContext, into output: inout ServiceOutput
    ) -> ServiceResponse<QueueReply> {
        if let aged = context.history.aged {
            removeOld(than: context.history.retention, at: aged, in: context, into: &output.changes)
        }
        switch request {
        case .report(let id): return report(of: QueueKey(account: context.account, id: id))
        case .list(let before, let limit):
            return .reply(.list(queues[context.account].list(before: before, limit: Int(limit))))
        case .start(let id, let plan):
            if let refusal = context.changeRefusal { return .refusal(refusal) }
            return start(id, plan, in: context, into: &output.changes)
        case .steer(let id, let steering):
            if let refusal = context.changeRefusal { return .refusal(refusal) }
            let key = QueueKey(account: context.account, id: id)
            if let refusal = objection(to: steering, key, in: context) { return .refusal(refusal) }
            if steer(key, steering, in: context, into: &output.changes) { cancelled = key }
            return report(of: key)
        }
    }

    /// Returns the queue whose running command must be cancelled before the reply leaves, which is then the
    /// queue's report.
    mutating func popCancelled() -> QueueKey? {
        defer { cancelled = nil }
        return cancelled
    }

    /// The report on a command queue, or the refusal `notFound`.
    func report(of key: QueueKey) -> ServiceResponse<QueueReply> {
        queues[key].map { .reply(.report($0.report)) } ?? .refusal(.notFound)
    }

    /// Why a user may not steer a queue; off-duty users may only pause, stop or cancel their own.
    private func objection(
        to steering: QueueSteering, _ key: QueueKey, in context: ServiceContext
    ) -> Refusal? {
        guard let refusal = context.policy.refusal, let run = queues[key] else { return nil }
        let isOwn = run.report.author == context.caller.session.email
        return isOwn && steering != .resume ? nil : refusal
    }

    private mutating func start(
        _ id: RequestID, _ plan: QueuePlan, in context: ServiceContext, into changes: inout [StorageChange]
    ) -> ServiceResponse<QueueReply> {
        let key = QueueKey(account: context.account, id: id)
        if let known = queues[key] {
            return known.report.plan == plan ? report(of: key) : .refusal(.idMismatch)
        }
        let run = QueueRun(id, plan, by: context.caller.session.email, at: context.now.wall)
        if let refusal = context.policy.refusal ?? objection(toStarting: run, in: context)
            ?? madeRoom(for: run, in: context, into: &changes)
        {
            return .refusal(refusal)
        }
        put(run, of: context.account, id: context.accountID, into: &changes)
        queues.begin(key)
        return report(of: key)
    }

    private func objection(toStarting run: QueueRun, in context: ServiceContext) -> Refusal? {
        let table = queues[context.account]
        if let refusal = run.report.id.objection(at: context.now.wall) { return refusal }
        if let behind = table.lag(of: run.report.id, lostUpTo: context.history.lostUpTo) {
            return .idTooOld(behind: behind)
        }
        guard !table.clashes(with: run.report.id) else {
            return .invalid(
                "id: another command queue of the account has the same random bits; make a new ID")
        }
        let devices = run.report.plan.commands.map(\.device)
        if let stranger = devices.first(where: { context.directory.owner(of: $0) != context.account }) {
            return context.refusal(ofUnnamed: stranger)
        }
        guard table.liveCount < queues.bounds.live else {
            return .invalid(
                "the account has \(queues.bounds.live) command queues that have not ended, the maximum; "
                    + "stop or cancel one, or wait until one ends")
        }
        return nil
    }

    /// Removes ended queues until a new one fits; returns a refusal if that is not possible.
    private mutating func madeRoom(
        for run: QueueRun, in context: ServiceContext, into changes: inout [StorageChange]
    ) -> Refusal? {
        let (account, share) = (context.account, context.share(in: .commandQueues))
        while queues.isCrowded(account, by: run.bytes, within: share) {
            guard let oldest = queues[account].oldestEnded(since: .zero, at: context.now.wall) else {
                return .busy(retryAfter: Limits.shortestRetention)
            }
            remove(oldest, in: context, into: &changes)
        }
        return nil
    }

    /// Removes queues that ended longer ago than outcomes of requests are kept.
    private mutating func removeOld(
        than retention: Duration, at now: WallTime, in context: ServiceContext,
        into changes: inout [StorageChange]
    ) {
        guard !context.isStorageFull else { return }
        while let oldest = queues[context.account].oldestEnded(since: retention, at: now) {
            remove(oldest, in: context, into: &changes)
        }
    }

    private mutating func remove(
        _ id: RequestID, in context: ServiceContext, into changes: inout [StorageChange]
    ) {
        queues[context.account].remove(id)
        let horizon = queues[context.account].horizon ?? id.time
        changes.remove(QueueRecord.self, at: QueueRecord.key(of: id), of: context.accountID)
        changes.store(QueueRecord.removed(upTo: horizon), of: context.accountID)
    }

    private mutating func steer(
        _ key: QueueKey, _ steering: QueueSteering, in context: ServiceContext,
        into changes: inout [StorageChange]
    ) -> Bool {
        guard var run = queues[key] else { return false }
        let before = run.report
        run.steer(steering, at: context.now.wall)
        guard run.report != before else { return false }
        put(run, of: key.account, id: context.accountID, into: &changes)
        // A resumed queue without a running command begins its next one.
        if run.report.current != nil, before.current == nil { queues.begin(key) }
        return run.report.state == .cancelling
    }

    private mutating func put(
        _ run: QueueRun, of account: AccountIndex, id: AccountID, into changes: inout [StorageChange]
    ) {
        queues[account].put(run)
        changes.store(QueueRecord.report(run.report), of: id)
    }

    // MARK: Commands

    func current(of key: QueueKey) -> (command: QueueCommand, request: RequestKey, isCancelling: Bool)? {
        guard let run = queues[key], let (command, id) = run.current else { return nil }
        return (command, RequestKey(account: key.account, id: id), run.report.state == .cancelling)
    }

    func author(of key: QueueKey) -> Email? { queues[key]?.report.author }

    /// Queues that have not ended, by accounts, the oldest first.
    var live: [QueueKey] { queues.live }

    func isSubmitted(_ request: RequestKey) -> Bool { queues.owners[request] != nil }
    mutating func submitted(_ request: RequestKey, of key: QueueKey) { queues.owners[request] = key.id }

    mutating func lose(_ request: RequestKey) { queues.lost.insert(request) }

    func isLost(_ request: RequestKey) -> Bool { queues.lost.contains(request) }

    /// Schedules the running command of a queue, which is submitted once its ID is stored.
    mutating func begin(_ key: QueueKey) { queues.begin(key) }

    /// Postpones a command that cannot be submitted now to a retry at that time.
    mutating func postpone(_ key: QueueKey, until due: MonotonicTime) { queues.postpone(key, until: due) }

    /// Removes and returns the queues whose command can be submitted, because its ID is stored.
    mutating func drainReady(at now: MonotonicTime) -> [QueueKey] {
        queues.releasePostponed(at: now)
        return queues.drainReady()
    }

    /// Records the end of a request; if it was a command, the next command of its queue may follow.
    mutating func ended(
        _ request: RequestKey, _ outcome: Outcome, accountID: AccountID, at now: WallTime,
        into changes: inout [StorageChange]
    ) {
        guard let key = queues.disown(request) else { return }
        end(key, QueuedOutcome(of: outcome, at: now), accountID: accountID, into: &changes)
    }

    mutating func end(
        _ key: QueueKey, _ end: QueuedOutcome, accountID: AccountID, into changes: inout [StorageChange]
    ) {
        guard var run = queues[key], run.current != nil else { return }
        run.commandEnded(end)
        put(run, of: key.account, id: accountID, into: &changes)
        if run.current != nil { queues.begin(key) }
    }

    /// Stops the queues of users who may no longer switch devices. A submitted command ends first. Another is
    /// cancelled, unless an earlier run has submitted it. `formerAccount` returns the account's name if the
    /// author may no longer switch its devices.
    mutating func stop(
        at now: WallTime, into changes: inout [StorageChange],
        where formerAccount: (AccountIndex, Email) -> AccountID?
    ) {
        for key in queues.live {
            guard var run = queues[key], let id = formerAccount(key.account, run.report.author) else {
                continue
            }
            let before = run.report
            let isUnsubmitted =
                run.current.map { !isSubmitted(RequestKey(account: key.account, id: $0.request)) } ?? false
            run.steer(isUnsubmitted ? .cancel : .stop, at: now)
            if run.report != before { put(run, of: key.account, id: id, into: &changes) }
        }
    }

    // MARK: Recovery

    /// Ends the waiting commands of a queue that is older than a loss: they may have been sent since, under
    /// IDs that are not known.
    mutating func endLostCommands(of key: QueueKey, lostUpTo lost: WallTime, at now: WallTime) {
        guard var run = queues[key], run.endLostTurns(lostUpTo: lost, at: now) else { return }
        queues[key.account].put(run)
        unstoredLosses.append(key)
    }

    /// Ends the waiting commands of an account's queues, and refuses unknown queues that began up to that
    /// time: the stored queues are those of an earlier time.
    mutating func acceptLoss(
        of account: AccountIndex, id: AccountID, upTo lost: WallTime, at now: WallTime,
        into changes: inout [StorageChange]
    ) {
        for key in queues.live where key.account == account {
            guard var run = queues[key], run.endLostTurns(lostUpTo: lost, at: now) else { continue }
            put(run, of: account, id: id, into: &changes)
        }
        let horizon = queues[account].raise(to: lost)
        changes.store(QueueRecord.removed(upTo: horizon), of: id)
    }

    /// Stores the queues that lost commands at the start.
    mutating func storeLosses(accountID: (AccountIndex) -> AccountID, into changes: inout [StorageChange]) {
        for key in unstoredLosses {
            if let run = queues[key] {
                put(run, of: key.account, id: accountID(key.account), into: &changes)
            }
        }
        unstoredLosses = []
    }
}
