import DequeModule
import FleetProtocol
import FleetTime
import PlantedBugs

/// Admission: the path of a request from its arrival to its place in a lane.
extension RequestEngine {
    /// Answers a repeat, refuses an inadmissible request, and admits the rest to its device's lane.
    mutating func admit(
        _ command: Command, of account: AccountIndex, by actor: Email, policy: AdmissionPolicy,
        waiter: Waiter, at now: Moment, into effects: inout Effects
    ) {
        let key = RequestKey(account: account, id: command.requestID)
        let content = RequestContent(command)
        if answerRepeat(of: key, content, waiter: waiter, at: now, into: &effects) { return }
        if let refusal = objection(toID: key, at: now.wall)
            ?? objection(toPatience: command.patience)
        {
            return refuse(refusal, to: waiter, into: &effects)
        }
        if let refusal = policy.refusal {
            return refuse(refusal, to: waiter, into: &effects)
        }
        let anybodys = configuration.planted(.noAccountCheck) ? directory.device(command.device) : nil
        guard
            let device = anybodys ?? directory.device(command.device, of: account)
                ?? place(command.device, of: account, at: now)
        else {
            let refusal = refusal(ofUnnamed: command.device, account: account, at: now.monotonic)
            return refuse(refusal, to: waiter, into: &effects)
        }
        if let refusal = objection(toDevice: device, account: account, at: now.monotonic) {
            return refuse(refusal, to: waiter, into: &effects)
        }
        let patience = command.patience ?? Limits.defaultPatience
        let slot = letIn(
            key, content, device, actor: actor, patience: patience, waiters: Waiters(waiter),
            at: now)
        enterLane(slot, of: device, at: now, into: &effects)
    }

    /// Inserts a request that has passed all admission checks.
    @inline(__always)
    mutating func letIn(
        _ key: RequestKey, _ content: RequestContent, _ device: DeviceSlot, actor: Email, patience: Duration,
        waiters: Waiters, at now: Moment
    ) -> RequestSlot {
        let slot = requests.insert(
            LiveRequest(
                key: key, content: content, device: device, actor: actor, arrivedAt: now.monotonic,
                deadline: now.monotonic.advanced(by: patience), wallArrival: now.wall,
                wallDeadline: now.wall.advanced(by: patience), waiters: waiters))
        directory.accounts[Int(key.account)].requestsInFlight += 1
        return slot
    }

    /// Answers a request with a known ID; returns false if the ID is new.
    private mutating func answerRepeat(
        of key: RequestKey, _ content: RequestContent, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) -> Bool {
        if let entry = ended[key] {
            if entry.content == nil {
                let report = endMetTombstone(entry, of: key, by: content, at: now, into: &effects)
                reply(.outcome(report ?? entry.report), to: waiter, into: &effects)
            } else {
                let isSame = entry.content == content
                reply(isSame ? .outcome(entry.report) : .refusal(.idMismatch), to: waiter, into: &effects)
            }
            return true
        }
        guard let slot = requests.slot(of: key) else { return false }
        let request = requests[slot]
        if request.content != content {
            refuse(.idMismatch, to: waiter, into: &effects)
        } else if request.state.isOverdue {
            tellUnknown(request, to: waiter, at: now, into: &effects)
        } else if !requests.update(slot, { $0.waiters.join(waiter) }) {
            refuse(
                .busy(retryAfter: now.monotonic.duration(to: request.deadline)), to: waiter, into: &effects)
        }
        return true
    }

    /// Why an ID cannot be used for a new request; nil if it can.
    func objection(toID key: RequestKey, at now: WallTime) -> Refusal? {
        if let refusal = key.id.objection(at: now) { return refusal }
        if ended.mayBeUnread(key.id) { return .busy(retryAfter: Limits.recallRetry) }
        return ended.lag(of: key).map { .idTooOld(behind: $0) }
    }

    /// Why a client's timeout is out of range; nil if it is allowed.
    func objection(toPatience patience: Duration?) -> Refusal? {
        guard let patience, patience <= .zero || patience > Limits.longestPatience else { return nil }
        return .invalid(
            "remaining_ms: \(patience.wholeMilliseconds); 1 to \(Limits.longestPatience.wholeMilliseconds) are allowed"
        )
    }

    /// Why a device cannot accept another request now; nil if it can.
    func objection(
        toDevice device: DeviceSlot, account: AccountIndex, at now: MonotonicTime
    ) -> Refusal? {
        let record = directory.devices[device]
        if record.isAwaited, !isSettling(account, at: now) { return .offline(lastSeen: nil) }
        let presence = directory.presence(of: device)
        if case .offline = presence.kind { return .offline(lastSeen: max(record.asOf, presence.since)) }
        // Checked before the lane: a request that waits for the disk stays in its lane past its deadline.
        guard !isStorageFull else { return .storageFull(retryAfter: Limits.storageRetry) }
        if let current = record.current, requests[current].state.isOverdue {
            return .busy(retryAfter: Limits.beatInterval)
        }
        let inLane = (record.current == nil ? 0 : 1) + (lanes[device]?.count ?? 0)
        guard inLane < Limits.laneRequests else { return .busy(retryAfter: Backoff.silence) }
        guard directory.accounts[Int(account)].requestsInFlight < Limits.accountRequests,
            requests.count < configuration.requestsInFlight >> 1 || hasShareOfRequests(account),
            !ended.isFull(of: account)
        else { return .busy(retryAfter: Limits.beatInterval) }
        return nil
    }

    /// Resolves a request at once if its device is free and its lane empty; otherwise appends it to the lane.
    mutating func enterLane(
        _ slot: RequestSlot, of device: DeviceSlot, at now: Moment, into effects: inout Effects
    ) {
        if lanes[device] == nil, isFree(device), !knowsNewerState(slot, of: device, at: now.monotonic) {
            return resolve(slot, of: device, at: now, into: &effects)
        }
        requests.update(slot) { $0.state.enqueue() }
        lanes[device, default: []].append(slot)
        advanceLane(of: device, at: now, into: &effects)
        guard requests.isLive(slot), !requests[slot].state.isDispatched else { return }
        arm(slot, at: requests[slot].startDue)
        let account = directory.accounts[Int(requests[slot].key.account)].id
        effects.store(.request(requests[slot].entry(of: account)))
    }

    /// Replies that the outcome is not known yet.
    ///
    /// While the disk is full, each repeat would add a held reply, so the client gets a refusal.
    private func tellUnknown(
        _ request: LiveRequest, to waiter: Waiter, at now: Moment, into effects: inout Effects
    ) {
        guard !isStorageFull else {
            return refuse(.storageFull(retryAfter: Limits.storageRetry), to: waiter, into: &effects)
        }
        reply(.outcome(request.report(.unknown, at: now.monotonic)), to: waiter, into: &effects)
    }

    /// Replies with the outcome of a request, or that it is not known yet.
    func tellOutcome(_ key: RequestKey, to waiter: Waiter, at now: Moment, into effects: inout Effects) {
        if let entry = ended[key] {
            reply(.outcome(entry.report), to: waiter, into: &effects)
        } else if let slot = requests.slot(of: key) {
            tellUnknown(requests[slot], to: waiter, at: now, into: &effects)
        } else if ended.mayBeUnread(key.id) {
            refuse(.busy(retryAfter: Limits.recallRetry), to: waiter, into: &effects)
        } else if let behind = ended.lag(of: key) {
            refuse(.idTooOld(behind: behind), to: waiter, into: &effects)
        } else {
            refuse(.notFound, to: waiter, into: &effects)
        }
    }
}

extension RequestID {
    /// Why a client cannot use it now: it has no time, or one too far ahead of the clock; nil if it can.
    func objection(at now: WallTime) -> Refusal? {
        guard isVersion7 else {
            return .invalid("request_id: must be a UUID of version 7, made by the client")
        }
        let ahead = now.duration(to: time)
        guard ahead > Limits.idAhead else { return nil }
        return .invalid(
            "request_id: made \(ahead.wholeMilliseconds / 1_000) s ahead of the controller's clock; "
                + "at most \(Limits.idAhead.wholeMilliseconds / 1_000) s are allowed: set the client's clock")
    }
}

/// Requests of services: they have no connection, and the engine reports their ends in notices.
extension RequestEngine {
    /// The engine's state of a request that a service is about to submit.
    enum Finding {
        /// It has ended.
        case ended(Outcome)
        /// Its ID belongs to another request, or to one that is still open.
        case taken
        /// It may have ended in a part of the journal that is not read yet.
        case unread
        /// Outcomes of that age have been removed.
        case tooOld
        case unknown
    }

    /// Looks up a request, and ends it if a cancel arrived first (a tombstone).
    mutating func find(
        _ key: RequestKey, _ content: RequestContent, at now: Moment, into effects: inout Effects
    ) -> Finding {
        if let entry = ended[key] {
            if entry.content == nil {
                _ = endMetTombstone(entry, of: key, by: content, at: now, into: &effects)
            }
            let isSame = entry.content == nil || entry.content == content
            return isSame ? .ended(entry.report.outcome) : .taken
        }
        if requests.slot(of: key) != nil { return .taken }
        if ended.mayBeUnread(key.id) { return .unread }
        return ended.lag(of: key) == nil ? .unknown : .tooOld
    }

    /// Submits a request with a new ID.
    ///
    /// - Parameter runningTime: How long the device is busy with it.
    /// - Returns: Why it was not admitted; nil if it was.
    mutating func submit(
        _ key: RequestKey, _ content: RequestContent, by actor: Email, patience: Duration,
        runningTime: Duration, at now: Moment, into effects: inout Effects
    ) -> Refusal? {
        guard
            let device = directory.device(content.device, of: key.account)
                ?? place(content.device, of: key.account, at: now)
        else { return refusal(ofUnnamed: content.device, account: key.account, at: now.monotonic) }
        if let refusal = objection(toDevice: device, account: key.account, at: now.monotonic) {
            return refusal
        }
        let slot = letIn(
            key, content, device, actor: actor, patience: patience, waiters: Waiters(), at: now)
        report(on: slot, runningTime: runningTime)
        enterLane(slot, of: device, at: now, into: &effects)
        return nil
    }

    /// Reports the end of a request that was resumed from the journal; returns false if it is not open.
    mutating func resumeReporting(on key: RequestKey, runningTime: Duration) -> Bool {
        guard let slot = requests.slot(of: key) else { return false }
        report(on: slot, runningTime: runningTime)
        return true
    }

    /// Cancels a request for which no client waits; returns false if it is not open.
    mutating func takeBack(_ key: RequestKey, at now: Moment, into effects: inout Effects) -> Bool {
        guard let slot = requests.slot(of: key) else { return false }
        takeBack(slot, at: now, into: &effects)
        return true
    }

    private mutating func report(on slot: RequestSlot, runningTime: Duration) {
        requests.update(slot) {
            $0.reportsEnd = true
            $0.runningTime = runningTime
        }
        if !requests[slot].state.isDispatched { arm(slot, at: requests[slot].startDue) }
    }
}
