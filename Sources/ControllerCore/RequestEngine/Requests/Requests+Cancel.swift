import FleetProtocol

/// Cancels. Each row of the table on cancelling in SEMANTICS is a branch here.
extension Requests {
    /// Cancels a request. A caller that may not switch devices can cancel only its own requests, and no
    /// command of another user's command queue.
    mutating func cancel(
        _ key: RequestKey, by caller: Email, timeout: Duration?, policy: AdmissionPolicy,
        isForeignCommand: Bool, waiter: Waiter, at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects
    ) {
        let id = key.id
        if let known = ended[key] {
            return effects.reply(.cancel(id, CancelReply(known.report)), to: waiter)
        }
        if let refusal = objection(toTimeout: timeout) { return effects.refuse(refusal, to: waiter) }
        guard let slot = open.slot(of: key) else {
            if isForeignCommand, let refusal = policy.refusal { return effects.refuse(refusal, to: waiter) }
            return entomb(key, by: caller, waiter: waiter, at: now, in: &fleet, into: &effects)
        }
        let request = open[slot]
        if request.user != caller, let refusal = policy.refusal {
            return effects.refuse(refusal, to: waiter)
        }
        guard let place = request.state.place, !planted(.cancelIgnoresDispatched) else {
            settle(slot, .cancelled, at: now, in: &fleet, into: &effects)
            effects.reply(.cancel(id, .cancelled), to: waiter)
            return advanceLane(of: request.device, at: now, in: &fleet, into: &effects)
        }
        if request.state.isCancelling, isStorageFull {
            return effects.refuse(.storageFull(retryAfter: Limits.storageRetry), to: waiter)
        }
        journalCancel(slot, in: fleet.directory, into: &effects)
        guard fleet.isReachable(request.device) else {
            return effects.reply(.cancel(id, .pending), to: waiter)
        }
        let deadline = now.monotonic.advanced(by: timeout ?? Limits.defaultTimeout)
        let cancelWaiter = CancelWaiter(waiter: waiter, deadline: deadline)
        guard open.update(slot, { $0.state.join(cancelWaiter) }) else {
            return effects.refuse(.busy(retryAfter: Limits.beatInterval), to: waiter)
        }
        fleet.timers.set(.cancelDue(slot), at: deadline)
        fleet.send(.abort(open.dispatches[place].identity), to: place.node, into: &effects)
    }

    /// Cancels a request for which no client waits; returns false if it is not open.
    mutating func cancelForService(
        _ key: RequestKey, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) -> Bool {
        guard let slot = open.slot(of: key) else { return false }
        let state = open[slot].state
        guard let place = state.place else {
            end(slot, .cancelled, at: now, in: &fleet, into: &effects)
            return true
        }
        guard !state.isCancelling else { return true }
        journalCancel(slot, in: fleet.directory, into: &effects)
        if fleet.isReachable(open[slot].device) {
            fleet.send(.abort(open.dispatches[place].identity), to: place.node, into: &effects)
        }
        return true
    }

    /// Cancels the requests without a dispatch of users who fulfil a condition. Lanes advance only then,
    /// because the next request in a lane may be of the same user.
    mutating func cancelWaiting(
        at now: Moment, in fleet: inout Fleet, into effects: inout Effects,
        where isMeant: (AccountID, Email) -> Bool
    ) {
        let meant = open.all.filter { slot in
            let request = open[slot]
            return !request.state.isDispatched
                && isMeant(fleet.directory.accounts[Int(request.key.account)].id, request.user)
        }
        let devices = meant.map { open[$0].device }
        for slot in meant { settle(slot, .cancelled, at: now, in: &fleet, into: &effects) }
        for device in devices { advanceLane(of: device, at: now, in: &fleet, into: &effects) }
    }

    /// Journals the cancel of a dispatched request, if it is not journaled yet; then none of its commands are
    /// sent any more.
    private mutating func journalCancel(
        _ slot: RequestSlot, in directory: borrowing Directory, into effects: inout Effects
    ) {
        guard !open[slot].state.isCancelling, let dispatch = open.dispatch(of: slot) else { return }
        open.update(slot) { $0.state.cancel() }
        let key = open[slot].key
        effects.store(.request(.cancelRequested(directory.accounts[Int(key.account)].id, key.id)))
        // A command of this turn has not left yet, and must not.
        effects.messages.removeAll {
            switch $0.message.body {
            case .command(let command), .configure(let command, _): command.identity == dispatch.identity
            case .pong, .pull, .abort, .fault, .claimsRefused, .heal, .scenario, .retire, .listFaults, .renew,
                .moved, .refused:
                false
            }
        }
    }

    /// Journals and publishes a tombstone for an unknown ID, so that its request is not carried out if it
    /// arrives later.
    private mutating func entomb(
        _ key: RequestKey, by user: Email, waiter: Waiter, at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects
    ) {
        if let refusal = objection(toID: key, at: now.wall) { return effects.refuse(refusal, to: waiter) }
        guard !isStorageFull else {
            return effects.refuse(.storageFull(retryAfter: Limits.storageRetry), to: waiter)
        }
        let room = ended.makeRoomForTombstone(of: key.account, at: now.wall)
        if let horizon = room.horizon {
            let account = fleet.directory.accounts[Int(key.account)].id
            effects.store(.request(.horizonRaised(horizon, of: account)))
        }
        guard room.isAvailable else {
            return effects.refuse(.busy(retryAfter: Limits.beatInterval), to: waiter)
        }
        let report = OutcomeReport(requestID: key.id, device: nil, outcome: .cancelled, user: user)
        if !planted(.noTombstone) {
            remember(
                report, of: key, content: nil, mayBeJudged: false, at: now, in: fleet.directory,
                into: &effects)
            fleet.publish(.outcome(report), to: key.account, at: now, into: &effects)
        }
        effects.reply(.cancel(key.id, .cancelled), to: waiter)
    }

    /// Replies `pending` to clients whose wait for a cancel has reached its deadline.
    mutating func cancelDue(_ slot: RequestSlot, at now: Moment, into effects: inout Effects) {
        guard open.isLive(slot) else { return }
        for waiter in open.update(slot, { $0.state.removeCancelWaiters(dueAt: now.monotonic) }) {
            effects.reply(.cancel(open[slot].key.id, .pending), to: waiter)
        }
    }
}
