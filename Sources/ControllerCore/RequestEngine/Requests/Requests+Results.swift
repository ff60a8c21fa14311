import FleetProtocol

/// From a device's result to the outcome of its request.
extension Requests {
    @inline(__always)
    mutating func apply(
        _ result: CommandResult, of device: DeviceSlot, at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects
    ) {
        guard let slot = fleet.directory.devices[device].current,
            let place = open[slot].state.place
        else { return }
        let identity = open.dispatches[place].identity
        if identity.incarnation != fleet.directory.devices[device].reported.incarnation {
            settle(slot, .undetermined(.deviceReset), at: now, in: &fleet, into: &effects)
        } else if identity.incarnation == result.row.reported.incarnation,
            identity.commandNumber == result.commandNumber, identity.requestID == result.requestID
        {
            conclude(slot, result, at: now, in: &fleet, into: &effects)
        }
    }

    /// Ends the request in flight at a device as undetermined if the device has a new incarnation.
    @inline(__always)
    mutating func endIfReset(
        _ device: DeviceSlot, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) {
        guard let slot = fleet.directory.devices[device].current,
            let place = open[slot].state.place,
            open.dispatches[place].identity.incarnation
                != fleet.directory.devices[device].reported.incarnation
        else { return }
        settle(slot, .undetermined(.deviceReset), at: now, in: &fleet, into: &effects)
    }

    mutating func endAsRemoved(
        _ device: DeviceSlot, withLane: Bool = false, at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects
    ) {
        if withLane {
            for slot in open.lane(of: device) {
                settle(slot, .undetermined(.deviceGone), at: now, in: &fleet, into: &effects)
            }
        }
        guard let slot = fleet.directory.devices[device].current else { return }
        settle(slot, .undetermined(.deviceGone), at: now, in: &fleet, into: &effects)
    }

    @inline(__always)
    private mutating func conclude(
        _ slot: RequestSlot, _ result: CommandResult, at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects
    ) {
        earnRetry(of: open[slot].device)
        let isCancelling = open[slot].state.isCancelling
        let outcome: Outcome
        switch result.verdict {
        case .applied: outcome = .applied(result.judged)
        case .unchanged: outcome = .unchanged(result.judged)
        case .rejected(let reason): outcome = .rejected(reason)
        case .expired: outcome = .expired
        case .aborted: outcome = isCancelling ? .cancelled : .expired
        case .conflict:
            if mayResolveAgain(slot, at: now.monotonic) {
                return dispatch(slot, at: now, in: &fleet, into: &effects)
            }
            outcome = .conflict(result.judged)
        case .staleCommandNumber where open.dispatch(of: slot)?.isResumed != false:
            // An earlier run sent the command, and the device has used a higher number since. The only
            // possible reason is that the journal lost its newest entries.
            outcome = .undetermined(.superseded)
        case .commandNumberTaken, .staleCommandNumber:
            // The number is another request's, so this one was not carried out: it gets the next number. Once
            // a device has used a number under our epoch it accepts numbers of our epoch only, and until the
            // request ends no higher one is sent.
            if open[slot].mayStillRun(at: now.monotonic) {
                return dispatch(slot, at: now, in: &fleet, into: &effects)
            }
            outcome = isCancelling ? .cancelled : .expired
        case .staleIncarnation: outcome = .undetermined(.deviceReset)
        case .staleEpoch:
            // The row has no higher epoch that a controller can have had, so the refusal is ignored.
            return fleet.meter.record(.groundlessRefusal)
        }
        let answer = LiveRequest.Answer(versionBefore: result.versionBefore, deviceUs: result.deviceUs)
        settle(slot, outcome, at: now, answer: answer, in: &fleet, into: &effects)
    }

    /// Whether a toggle is resolved again after a hand remote was faster: its client named no version, and
    /// there is time.
    private func mayResolveAgain(_ slot: RequestSlot, at now: MonotonicTime) -> Bool {
        let request = open[slot]
        return request.content.kind == .toggle && request.content.expected == nil
            && request.mayStillRun(at: now)
            && (open.dispatch(of: slot)?.resolution ?? 0) < UInt32(Limits.resolutions)
            && now < request.startDue
    }

    /// Ends a request, and resolves the next of its device.
    mutating func end(
        _ slot: RequestSlot, _ outcome: Outcome, at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects
    ) {
        let device = open[slot].device
        settle(slot, outcome, at: now, in: &fleet, into: &effects)
        advanceLane(of: device, at: now, in: &fleet, into: &effects)
    }

    /// Ends a request: journals the outcome, replies to all waiting clients, and publishes. The caller
    /// advances the lane.
    mutating func settle(
        _ slot: RequestSlot, _ outcome: Outcome, at now: Moment, answer: LiveRequest.Answer? = nil,
        in fleet: inout Fleet, into effects: inout Effects
    ) {
        // Speed: see performance.md, "copies".
        let (key, device) = (open[slot].key, open[slot].device)
        let report = open.report(outcome, of: slot, at: now.monotonic, answer: answer)
        if fleet.directory.devices[device].current == slot {
            fleet.directory.devices[device].current = nil
        }
        fleet.meter.countEnd()
        remember(
            report, of: key, content: open[slot].content, mayBeJudged: open[slot].state.isDispatched, at: now,
            in: fleet.directory, into: &effects)
        open[slot].waiters.forEach { effects.reply(.outcome(report), to: $0) }
        if open[slot].state.isCancelling {
            for waiter in open[slot].state.cancelWaiters {
                effects.reply(.cancel(key.id, CancelReply(report)), to: waiter.waiter)
            }
        }
        fleet.publish(.outcome(report), to: key.account, at: now, into: &effects)
        if case .undetermined(let reason) = outcome {
            fleet.notifyUndetermined(
                key, by: open[slot].user, for: open[slot].content.device, because: reason)
        }
        if open[slot].reportsEnd { fleet.notify(.ended(key, outcome)) }
        open.end(slot)
    }

    // MARK: Ended requests

    /// Ends a tombstone's request, which has arrived: the outcome is that of the request from now on, and is
    /// published again, with the device. Returns nil if the device is not one of the account's, so that the
    /// request stays unknown.
    mutating func endMetTombstone(
        _ entry: EndedRequests.Entry, of key: RequestKey, by content: RequestContent, at now: Moment,
        in fleet: inout Fleet, into effects: inout Effects
    ) -> OutcomeReport? {
        guard !isStorageFull, fleet.directory.owner(of: content.device) == key.account else { return nil }
        let report = OutcomeReport(
            requestID: key.id, device: content.device, outcome: entry.report.outcome,
            user: entry.report.user, command: content.kind.kind)
        let account = fleet.directory.accounts[Int(key.account)].id
        effects.store(.request(.ended(account, report, content: content, at: now.wall)))
        ended.replaceTombstone(
            with: EndedRequests.Entry(
                report: report, content: content, endedAt: now.wall, mayBeJudged: entry.mayBeJudged),
            for: key)
        fleet.publish(.outcome(report), to: key.account, at: now, into: &effects)
        return report
    }

    /// Journals and retains an outcome for later repeats, cancels and status queries.
    @inline(__always)
    mutating func remember(
        _ report: OutcomeReport, of key: RequestKey, content: RequestContent?, mayBeJudged: Bool,
        at now: Moment, in directory: borrowing Directory, into effects: inout Effects
    ) {
        let account = directory.accounts[Int(key.account)].id
        effects.store(.request(.ended(account, report, content: content, at: now.wall)))
        ended.insert(
            EndedRequests.Entry(
                report: report, content: content, endedAt: now.wall, mayBeJudged: mayBeJudged),
            for: key)
    }

    /// Removes a few old outcomes, and releases the journal segments that the remaining ones do not need. A
    /// full disk keeps outcomes in the table, so that the held batch does not grow with each turn.
    mutating func removeOldOutcomes(
        at now: WallTime, in directory: borrowing Directory, into effects: inout Effects
    ) {
        guard !isStorageFull else { return }
        for (account, horizon) in ended.prune(at: now) {
            effects.store(.request(.horizonRaised(horizon, of: directory.accounts[Int(account)].id)))
        }
        for entry in ended.carryForward() {
            let account = directory.accounts[Int(entry.account)].id
            effects.store(.request(.ended(account, entry.report, content: entry.content, at: entry.endedAt)))
        }
        if let first = ended.firstNeededSegment() {
            effects.store(.request(.segmentsRemoved(before: first)))
        }
    }
}

extension CancelReply {
    /// The answer to the cancel of a request that has ended.
    init(_ report: OutcomeReport) { self = report.outcome == .cancelled ? .cancelled : .tooLate(report) }
}
