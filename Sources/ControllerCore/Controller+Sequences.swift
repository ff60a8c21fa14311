import FleetProtocol
import Stepping

/// The sequences of an account: whoever is of it reads, and who may switch devices starts and steers.
extension Controller {
    mutating func heardSequences(
        _ request: SequenceRequest, entry: Sessions.Entry, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        if let aged = ended.ages.shown { forgetOldSequences(of: entry.account, at: aged, into: &effects) }
        switch request {
        case .report(let id):
            let key = SequenceKey(account: entry.account, id: id)
            tellSequence(key, to: waiter, into: &effects)
        case .list(let before, let limit):
            let list = sequences[entry.account].list(before: before, limit: Int(limit))
            reply(.sequences(.list(list)), to: waiter, into: &effects)
        case .start, .steer:
            if let refusal = objection(toChangesBy: entry.session) {
                return refuse(refusal, to: waiter, into: &effects)
            }
            if case .start(let id, let plan) = request {
                start(id, plan, entry: entry, waiter: waiter, at: now, into: &effects)
            } else if case .steer(let id, let steering) = request {
                let key = SequenceKey(account: entry.account, id: id)
                if let refusal = objection(to: steering, key, by: entry, at: now.wall) {
                    return refuse(refusal, to: waiter, into: &effects)
                }
                steer(key, steering, at: now, into: &effects)
                tellSequence(key, to: waiter, into: &effects)
            }
        }
    }

    /// Why somebody may not steer: who is off duty has no device switched, and ends nobody else's.
    private func objection(
        to steering: SequenceSteering, _ key: SequenceKey, by entry: Sessions.Entry, at now: WallTime
    ) -> Refusal? {
        guard configuration.isOnDutyOnly, let run = sequences[key] else { return nil }
        let isOwn = run.report.author == entry.session.email
        return isOwn && steering != .resume ? nil : services.rosters.objection(toDutyOf: entry, at: now)
    }

    private mutating func tellSequence(_ key: SequenceKey, to waiter: Waiter, into effects: inout Effects) {
        guard let run = sequences[key] else { return refuse(.notFound, to: waiter, into: &effects) }
        reply(.sequences(.report(run.report)), to: waiter, into: &effects)
    }

    private mutating func start(
        _ id: RequestID, _ plan: SequencePlan, entry: Sessions.Entry, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        let key = SequenceKey(account: entry.account, id: id)
        if let known = sequences[key] {
            guard known.report.plan == plan else { return refuse(.idMismatch, to: waiter, into: &effects) }
            return tellSequence(key, to: waiter, into: &effects)
        }
        let run = SequenceRun(id, plan, by: entry.session.email, at: now.wall)
        if let refusal = objection(toStarting: run, by: entry, at: now)
            ?? madeRoom(for: run, of: entry.account, at: now.wall, into: &effects)
        {
            return refuse(refusal, to: waiter, into: &effects)
        }
        keep(run, of: entry.account, into: &effects)
        sequences.begin(key)
        tellSequence(key, to: waiter, into: &effects)
    }

    /// Why a sequence cannot begin.
    private func objection(
        toStarting run: SequenceRun, by entry: Sessions.Entry, at now: Moment
    ) -> Refusal? {
        if configuration.isOnDutyOnly, let refusal = services.rosters.objection(toDutyOf: entry, at: now.wall)
        {
            return refusal
        }
        let account = entry.account
        let table = sequences[account]
        if let refusal = run.report.id.objection(at: now.wall) { return refusal }
        if let behind = table.lag(of: run.report.id, lostUpTo: ended.horizonOfAll) {
            return .idTooOld(behind: behind)
        }
        guard !table.clashes(with: run.report.id) else {
            return .invalid("id: another sequence of the account has the same random bits; make a new id")
        }
        let devices = run.report.plan.commands.map(\.device)
        if let stranger = devices.first(where: { directory.owner(of: $0) != account }) {
            return refusal(ofUnnamed: stranger, account: account, at: now.monotonic)
        }
        guard table.liveCount < sequences.bounds.live else {
            return .invalid(
                "the account has \(sequences.bounds.live) sequences that have not ended, which is all it "
                    + "can: wait for one, stop it or cancel it")
        }
        return nil
    }

    /// Forgets what has to go for another sequence; why that is not possible, if it is not.
    private mutating func madeRoom(
        for run: SequenceRun, of account: AccountIndex, at now: WallTime, into effects: inout Effects
    ) -> Refusal? {
        let share = share(of: account, in: .sequences)
        while sequences.isCrowded(account, by: run.bytes, within: share) {
            guard let oldest = sequences[account].oldestEnded(since: .zero, at: now) else {
                return .busy(retryAfter: Limits.shortestRetention)
            }
            forgetSequence(oldest, of: account, into: &effects)
        }
        return nil
    }

    /// What ended longer ago than ends of requests are remembered is not remembered either.
    private mutating func forgetOldSequences(
        of account: AccountIndex, at now: WallTime, into effects: inout Effects
    ) {
        guard !isStorageFull else { return }
        while let oldest = sequences[account].oldestEnded(since: configuration.retention.longest, at: now) {
            forgetSequence(oldest, of: account, into: &effects)
        }
    }

    private mutating func forgetSequence(
        _ id: RequestID, of account: AccountIndex, into effects: inout Effects
    ) {
        sequences.forget(SequenceKey(account: account, id: id))
        let horizon = sequences[account].horizon ?? id.time
        effects.store(.sequence(.forgotten(directory.accounts[Int(account)].id, [id], upTo: horizon)))
    }

    private mutating func steer(
        _ key: SequenceKey, _ steering: SequenceSteering, at now: Moment, into effects: inout Effects
    ) {
        guard var run = sequences[key] else { return }
        let before = run.report
        run.steer(steering, at: now.wall)
        guard run.report != before else { return }
        keep(run, of: key.account, into: &effects)
        // Resumed, where no command ran.
        if run.report.current != nil, before.current == nil { sequences.begin(key) }
        if run.report.state == .cancelling { takeBackCommand(of: key, at: now, into: &effects) }
    }

    /// A sequence stands so from now on.
    mutating func keep(_ run: SequenceRun, of account: AccountIndex, into effects: inout Effects) {
        sequences.put(run, of: account)
        effects.store(.sequence(.stands(directory.accounts[Int(account)].id, run.report)))
    }
}
