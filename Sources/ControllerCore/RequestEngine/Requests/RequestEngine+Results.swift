import FleetProtocol
import FleetTime

/// From a device's word to everybody who wants to hear it.
extension RequestEngine {
    /// A device has answered a command or an abort.
    mutating func heardResult(
        _ result: CommandResult, from node: NodeSlot, at now: Moment, into effects: inout Effects
    ) {
        guard let device = directory.device(result.row.device), directory.devices[device].node == node else {
            return meter.note(.foreignDevice)
        }
        guard mayTake(result.row, from: node, at: now, into: &effects) else { return }
        askToRenew(at: node, into: &effects)
        let change = merge(result.row, into: device, at: now)
        if let slot = directory.devices[device].current, let dispatch = requests[slot].state.dispatch {
            if dispatch.identity.incarnation != directory.devices[device].reported.incarnation {
                settle(slot, .undetermined(.deviceReset), at: now, into: &effects)
            } else if dispatch.identity.incarnation == result.row.reported.incarnation,
                dispatch.identity.sequence == result.sequence,
                dispatch.identity.requestID == result.requestID
            {
                conclude(slot, result, at: now, into: &effects)
            }
        }
        announce(change, of: device, at: now, into: &effects)
        advanceLane(of: device, at: now, into: &effects)
    }

    /// What the device's word means for the request it is about.
    private mutating func conclude(
        _ slot: RequestSlot, _ result: CommandResult, at now: Moment, into effects: inout Effects
    ) {
        budget.earn(for: requests[slot].device)
        switch result.verdict {
        case .applied: settle(slot, .applied(result.judged), at: now, answer: result, into: &effects)
        case .unchanged: settle(slot, .unchanged(result.judged), at: now, answer: result, into: &effects)
        case .rejected(let why): settle(slot, .rejected(why), at: now, answer: result, into: &effects)
        case .expired: settle(slot, .expired, at: now, answer: result, into: &effects)
        case .aborted: settleAborted(slot, result, at: now, into: &effects)
        case .conflict:
            if mayResolveAgain(slot, at: now.monotonic) {
                dispatch(slot, at: now, into: &effects)
            } else {
                settle(slot, .conflict(result.judged), at: now, answer: result, into: &effects)
            }
        case .sequenceTaken: resolveUnused(slot, result, at: now, into: &effects)
        case .staleSequence:
            // Once a device has used a sequence under our epoch it takes none but ours, and until the request
            // ends we send it no higher one: what we sent first never ran. Of what an earlier life sent, and
            // devices have passed by, only a journal that went back can be the reason.
            if requests[slot].state.dispatch?.isResumed == false {
                resolveUnused(slot, result, at: now, into: &effects)
            } else {
                settle(slot, .undetermined(.superseded), at: now, answer: result, into: &effects)
            }
        case .staleIncarnation:
            settle(slot, .undetermined(.deviceReset), at: now, answer: result, into: &effects)
        case .staleEpoch:
            // Its row names no higher epoch that a controller can have had: as if it had said nothing.
            meter.note(.groundlessRefusal)
        }
    }

    /// The sequence of a request is another's, so it has not run: it gets the next, while it may run.
    private mutating func resolveUnused(
        _ slot: RequestSlot, _ result: CommandResult, at now: Moment, into effects: inout Effects
    ) {
        if requests[slot].mayStillRun(at: now.monotonic) {
            dispatch(slot, at: now, into: &effects)
        } else {
            settleAborted(slot, result, at: now, into: &effects)
        }
    }

    private mutating func settleAborted(
        _ slot: RequestSlot, _ result: CommandResult, at now: Moment, into effects: inout Effects
    ) {
        settle(
            slot, requests[slot].state.isCancelling ? .cancelled : .expired, at: now, answer: result,
            into: &effects)
    }

    /// A hand remote was faster than a toggle of somebody who named no version: it is resolved again, if
    /// there is time.
    private func mayResolveAgain(_ slot: RequestSlot, at now: MonotonicTime) -> Bool {
        let request = requests[slot]
        return request.content.kind == .toggle && request.content.expected == nil
            && request.mayStillRun(at: now)
            && (request.state.dispatch?.resolution ?? 0) < UInt32(Limits.resolutions)
            && now < request.startDue
    }

    /// Ends a request: journalled first, then told to everybody who waits, then to everybody who watches.
    ///
    /// The caller lets the lane go on.
    mutating func settle(
        _ slot: RequestSlot, _ outcome: Outcome, at now: Moment, answer: CommandResult? = nil,
        into effects: inout Effects
    ) {
        leaveNode(slot)
        var request = requests.end(slot)
        if directory.devices[request.device].current == slot {
            directory.devices[request.device].current = nil
        } else {
            lanes[request.device]?.removeAll { $0 == slot }
            if lanes[request.device]?.isEmpty == true { lanes[request.device] = nil }
        }
        directory.accounts[Int(request.key.account)].requestsInFlight -= 1
        meter.noteEnd()
        let report = request.report(outcome, at: now.monotonic, answer: answer)
        remember(report, of: request.key, content: request.content, at: now, into: &effects)
        request.waiters.drain { reply(.outcome(report), to: $0, into: &effects) }
        for waiter in request.state.cancelWaiters {
            let word: CancelAnswer = outcome == .cancelled ? .cancelled : .tooLate(report)
            reply(.cancel(request.key.id, word), to: waiter.waiter, into: &effects)
        }
        publish(.outcome(report), to: request.key.account, at: now, into: &effects)
        if case .undetermined(let reason) = outcome {
            notifyUndetermined(
                request.key, by: request.actor, for: request.content.device, because: reason)
        }
        if request.reportsEnd { notify(.ended(request.key, outcome)) }
    }

    /// The request of an id arrives that was cancelled before: the end is that of the request from now on,
    /// and is published.
    ///
    /// - Returns: The end; nil where the device is not one of the account's, so that nothing is said of it.
    mutating func endMetTombstone(
        _ entry: EndedRequests.Entry, of key: RequestKey, by content: RequestContent, at now: Moment,
        into effects: inout Effects
    ) -> OutcomeReport? {
        guard !isStorageFull, directory.owner(of: content.device) == key.account else { return nil }
        let report = OutcomeReport(
            requestID: key.id, device: content.device, outcome: entry.report.outcome,
            actor: entry.report.actor, command: content.kind.kind)
        let account = directory.accounts[Int(key.account)].id
        effects.store(.request(.ended(account, report, content: content, at: now.wall)))
        let ending = EndedRequests.Entry(report: report, content: content, endedAt: now.wall)
        ended.replaceTombstone(with: ending, for: key)
        publish(.outcome(report), to: key.account, at: now, into: &effects)
        return report
    }

    /// Keeps an end for every repeat, cancel and status query to come.
    mutating func remember(
        _ report: OutcomeReport, of key: RequestKey, content: RequestContent?, at now: Moment,
        into effects: inout Effects
    ) {
        let account = directory.accounts[Int(key.account)].id
        effects.store(.request(.ended(account, report, content: content, at: now.wall)))
        ended.insert(EndedRequests.Entry(report: report, content: content, endedAt: now.wall), for: key)
    }
}
