import FleetProtocol
import FleetTime
import PlantedBugs

/// Taking requests back. Each row of the contract's table on cancelling is a branch here.
extension RequestEngine {
    /// Cancels a request.
    ///
    /// - Parameters:
    ///   - policy: A caller that may not have devices switched cancels only requests of its own.
    ///   - isForeignCommand: Whether the ID is that of a command of another user's command queue.
    mutating func cancel(
        _ key: RequestKey, by caller: Email, patience: Duration?, policy: AdmissionPolicy,
        isForeignCommand: Bool, waiter: Waiter, at now: Moment, into effects: inout Effects
    ) {
        let id = key.id
        if let known = ended[key] {
            let word: CancelAnswer = known.report.outcome == .cancelled ? .cancelled : .tooLate(known.report)
            return reply(.cancel(id, word), to: waiter, into: &effects)
        }
        if let refusal = objection(toPatience: patience) {
            return refuse(refusal, to: waiter, into: &effects)
        }
        guard let slot = requests.slot(of: key) else {
            if isForeignCommand, let refusal = policy.refusal {
                return refuse(refusal, to: waiter, into: &effects)
            }
            return entomb(key, actor: caller, waiter: waiter, at: now, into: &effects)
        }
        let request = requests[slot]
        if request.actor != caller, let refusal = policy.refusal {
            return refuse(refusal, to: waiter, into: &effects)
        }
        guard let dispatch = request.state.dispatch, !configuration.planted(.cancelIgnoresDispatched) else {
            settle(slot, .cancelled, at: now, into: &effects)
            reply(.cancel(id, .cancelled), to: waiter, into: &effects)
            return advanceLane(of: request.device, at: now, into: &effects)
        }
        if request.state.isCancelling, isStorageFull {
            return refuse(.storageFull(retryAfter: Limits.storageRetry), to: waiter, into: &effects)
        }
        if !request.state.isCancelling { noteCancel(slot, of: dispatch.identity, into: &effects) }
        guard isReachable(request.device) else {
            return reply(.cancel(id, .pending), to: waiter, into: &effects)
        }
        let deadline = now.monotonic.advanced(by: patience ?? Limits.defaultPatience)
        let cancelWaiter = CancelWaiter(waiter: waiter, deadline: deadline)
        guard requests.update(slot, { $0.state.join(cancelWaiter) }) else {
            return refuse(.busy(retryAfter: Limits.beatInterval), to: waiter, into: &effects)
        }
        timers.set(.cancelDue(slot), at: deadline)
        send(.abort(dispatch.identity), to: dispatch.node, into: &effects)
    }

    /// Takes a request back that nobody waits for; its end is told to whoever watches.
    mutating func takeBack(_ slot: RequestSlot, at now: Moment, into effects: inout Effects) {
        let request = requests[slot]
        guard let dispatch = request.state.dispatch else {
            settle(slot, .cancelled, at: now, into: &effects)
            return advanceLane(of: request.device, at: now, into: &effects)
        }
        guard !request.state.isCancelling else { return }
        noteCancel(slot, of: dispatch.identity, into: &effects)
        guard isReachable(request.device) else { return }
        send(.abort(dispatch.identity), to: dispatch.node, into: &effects)
    }

    /// From now on no command of the request leaves.
    private mutating func noteCancel(
        _ slot: RequestSlot, of identity: CommandIdentity, into effects: inout Effects
    ) {
        requests.update(slot) { $0.state.cancel() }
        let key = requests[slot].key
        effects.store(.request(.cancelRequested(directory.accounts[Int(key.account)].id, key.id)))
        recall(identity, from: &effects)
    }

    /// A command that was decided on in this turn and has not left must not, once its cancel is journalled.
    private func recall(_ identity: CommandIdentity, from effects: inout Effects) {
        effects.messages.removeAll { _, message in
            switch message.body {
            case .command(let command), .configure(let command, _): command.identity == identity
            case .pong, .pull, .abort, .fault, .taken, .heal, .scenario, .retire, .listFaults, .renew: false
            }
        }
    }

    /// An id that was never seen: a tombstone, so that a late first arrival never runs.
    private mutating func entomb(
        _ key: RequestKey, actor: Email, waiter: Waiter, at now: Moment, into effects: inout Effects
    ) {
        if let refusal = objection(toID: key, at: now.wall) {
            return refuse(refusal, to: waiter, into: &effects)
        }
        guard !isStorageFull else {
            return refuse(.storageFull(retryAfter: Limits.storageRetry), to: waiter, into: &effects)
        }
        let room = ended.makeRoomForTombstone(of: key.account, at: now.wall)
        if let horizon = room.horizon {
            effects.store(.request(.horizonRaised(horizon, of: directory.accounts[Int(key.account)].id)))
        }
        guard room.isThere else {
            return refuse(.busy(retryAfter: Limits.beatInterval), to: waiter, into: &effects)
        }
        let report = OutcomeReport(requestID: key.id, device: nil, outcome: .cancelled, actor: actor)
        if !configuration.planted(.noTombstone) {
            remember(report, of: key, content: nil, at: now, into: &effects)
        }
        reply(.cancel(key.id, .cancelled), to: waiter, into: &effects)
    }

    /// The device has not said: who waited for its word until now hears just that.
    mutating func cancelWaitersDue(_ slot: RequestSlot, at now: Moment, into effects: inout Effects) {
        for waiter in requests.update(slot, { $0.state.removeCancelWaiters(dueAt: now.monotonic) }) {
            reply(.cancel(requests[slot].key.id, .pending), to: waiter, into: &effects)
        }
    }
}
