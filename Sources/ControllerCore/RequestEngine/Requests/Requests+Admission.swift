import FleetProtocol

/// Admission: the path of a request from its arrival to its place in a lane.
extension Requests {
    /// Answers a repeat, refuses an inadmissible request, and admits the rest to its device's lane.
    mutating func admit(
        _ command: Command, of account: AccountIndex, by user: Email, policy: AdmissionPolicy,
        waiter: Waiter, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) {
        let key = RequestKey(account: account, id: command.requestID)
        let content = RequestContent(command)
        if answerRepeat(of: key, content, waiter: waiter, at: now, in: &fleet, into: &effects) { return }
        if let refusal = objection(toID: key, at: now.wall) ?? objection(toTimeout: command.timeout)
            ?? policy.refusal
        {
            return effects.refuse(refusal, to: waiter)
        }
        let refusal = submit(
            key, content, by: user, timeout: command.timeout ?? Limits.defaultTimeout,
            waiters: Waiters(waiter), at: now, in: &fleet, into: &effects)
        if let refusal { effects.refuse(refusal, to: waiter) }
    }

    /// Admits a request with a new ID to its device's lane; returns why it was not admitted. The device is
    /// busy for `serviceTime` with the request of a service, to which the end is reported.
    @inline(__always)
    mutating func submit(
        _ key: RequestKey, _ content: RequestContent, by user: Email, timeout: Duration,
        waiters: Waiters = Waiters(), serviceTime: Duration? = nil, at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects
    ) -> Refusal? {
        guard let device = device(content.device, of: key.account, at: now, in: &fleet) else {
            return fleet.refusal(ofUnnamed: content.device, account: key.account, at: now.monotonic)
        }
        if let refusal = objection(toDevice: device, of: key.account, at: now.monotonic, in: fleet) {
            return refusal
        }
        let slot = open.insert(
            LiveRequest(
                key: key, content: content, device: device, user: user, arrivedAt: now.monotonic,
                deadline: now.monotonic.advanced(by: timeout), wallArrival: now.wall,
                wallDeadline: now.wall.advanced(by: timeout), waiters: waiters))
        if let serviceTime { report(on: slot, serviceTime: serviceTime, in: &fleet) }
        enterLane(slot, expecting: content.expected, of: device, at: now, in: &fleet, into: &effects)
        return nil
    }

    /// The slot of an account's device, which an awaited device gets now; nil for other devices.
    @inline(__always)
    private func device(
        _ id: DeviceID, of account: AccountIndex, at now: Moment, in fleet: inout Fleet
    ) -> DeviceSlot? {
        if planted(.noAccountCheck), let device = fleet.directory.device(id) { return device }
        if let device = fleet.directory.device(id, of: account) { return device }
        return fleet.place(id, of: account, at: now) { open.nodesInUse(in: $0) }
    }

    /// Answers a request with a known ID; returns false if the ID is new.
    @inline(__always)
    private mutating func answerRepeat(
        of key: RequestKey, _ content: RequestContent, waiter: Waiter, at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects
    ) -> Bool {
        // Speed: see performance.md, "copies".
        if let place = ended.place(of: key) {
            let entry = ended.entries[place]
            if entry.content == nil {
                let report = endMetTombstone(entry, of: key, by: content, at: now, in: &fleet, into: &effects)
                effects.reply(.outcome(report ?? entry.report), to: waiter)
            } else {
                let isSame = entry.content == content
                effects.reply(isSame ? .outcome(entry.report) : .refusal(.idMismatch), to: waiter)
            }
            return true
        }
        guard let slot = open.slot(of: key) else { return false }
        join(slot, content, waiter: waiter, at: now.monotonic, into: &effects)
        return true
    }

    private mutating func join(
        _ slot: RequestSlot, _ content: RequestContent, waiter: Waiter, at now: MonotonicTime,
        into effects: inout Effects
    ) {
        if open[slot].content != content {
            effects.refuse(.idMismatch, to: waiter)
        } else if open[slot].state.isOverdue {
            replyUnknown(slot, to: waiter, at: now, into: &effects)
        } else if !open.update(slot, { $0.waiters.join(waiter) }) {
            effects.refuse(.busy(retryAfter: now.duration(to: open[slot].deadline)), to: waiter)
        }
    }

    // MARK: Objections

    /// Why an ID cannot be used for a new request; nil if it can.
    @inline(__always)
    func objection(toID key: RequestKey, at now: WallTime) -> Refusal? {
        if let refusal = key.id.objection(at: now, ahead: idAhead) { return refusal }
        if ended.mayBeUnread(key.id) { return .busy(retryAfter: Limits.replayRetry) }
        return ended.lag(of: key).map { .idTooOld(behind: $0) }
    }

    /// Why a client's timeout is out of range; nil if it is allowed.
    @inline(__always)
    func objection(toTimeout timeout: Duration?) -> Refusal? {
        guard let timeout, timeout <= .zero || timeout > Limits.longestTimeout else { return nil }
        return .invalid(
            "remaining_ms: \(timeout.wholeMilliseconds); 1 to \(Limits.longestTimeout.wholeMilliseconds) are allowed"
        )
    }

    /// Why a device cannot accept another request now; nil if it can.
    @inline(__always)
    private func objection(
        toDevice device: DeviceSlot, of account: AccountIndex, at now: MonotonicTime,
        in fleet: borrowing Fleet
    ) -> Refusal? {
        if fleet.directory.devices[device].isAwaited, !fleet.isSettling(account, at: now) {
            return .offline(lastSeen: nil)
        }
        if !fleet.isReachable(device) {
            let presence = fleet.directory.presence(of: device)
            if case .offline = presence.kind {
                return .offline(lastSeen: max(fleet.directory.devices[device].asOf, presence.since))
            }
        }
        // Checked before the lane: a request that waits for the disk stays in its lane past its deadline.
        guard !isStorageFull else { return .storageFull(retryAfter: Limits.storageRetry) }
        let current = fleet.directory.devices[device].current
        if let current, open[current].state.isOverdue { return .busy(retryAfter: Limits.beatInterval) }
        let inLane = (current == nil ? 0 : 1) + open.laneCount(of: device)
        guard inLane < Limits.laneRequests else { return .busy(retryAfter: Backoff.silence) }
        guard open.count(of: account) < Limits.accountRequests,
            open.count < room >> 1 || hasShare(account, in: fleet.directory), !ended.isFull(of: account)
        else { return .busy(retryAfter: Limits.beatInterval) }
        return nil
    }

    /// Whether an account may have one more open request when half of the room is taken. All accounts use the
    /// first half in the order of arrival. Each account with devices has a share of the second half.
    private func hasShare(_ account: AccountIndex, in directory: borrowing Directory) -> Bool {
        guard open.count < room else { return false }
        let holders = directory.accountsWithDevices.count
        return holders < 2 || open.count(of: account) < max(1, room / 2 / max(1, holders))
    }

    // MARK: Queries

    /// Replies with the outcome of a request, or that it is not known yet.
    func replyOutcome(
        of key: RequestKey, to waiter: Waiter, at now: MonotonicTime, into effects: inout Effects
    ) {
        if let entry = ended[key] {
            effects.reply(.outcome(entry.report), to: waiter)
        } else if let slot = open.slot(of: key) {
            replyUnknown(slot, to: waiter, at: now, into: &effects)
        } else if ended.mayBeUnread(key.id) {
            effects.refuse(.busy(retryAfter: Limits.replayRetry), to: waiter)
        } else if let behind = ended.lag(of: key) {
            effects.refuse(.idTooOld(behind: behind), to: waiter)
        } else {
            effects.refuse(.notFound, to: waiter)
        }
    }

    /// Replies that the outcome is not known yet. While the disk is full, each repeat would add a held reply,
    /// so the client gets a refusal.
    private func replyUnknown(
        _ slot: RequestSlot, to waiter: Waiter, at now: MonotonicTime, into effects: inout Effects
    ) {
        guard !isStorageFull else {
            return effects.refuse(.storageFull(retryAfter: Limits.storageRetry), to: waiter)
        }
        let report = open.report(.unknown, of: slot, at: now)
        effects.reply(.outcome(report), to: waiter)
    }

    // MARK: Requests of services

    /// The engine's state of a request that a service is about to submit.
    enum Finding {
        case ended(Outcome)
        /// Its ID belongs to another request, or to one that is still open.
        case idInUse
        /// It may have ended in a part of the journal that is not read yet.
        case unread
        /// Outcomes of that age have been removed.
        case tooOld
        case unknown
    }

    /// Looks up a request, and ends it if a cancel arrived first (a tombstone).
    mutating func find(
        _ key: RequestKey, _ content: RequestContent, at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects
    ) -> Finding {
        if let entry = ended[key] {
            if entry.content == nil {
                _ = endMetTombstone(entry, of: key, by: content, at: now, in: &fleet, into: &effects)
            }
            let isSame = entry.content == nil || entry.content == content
            return isSame ? .ended(entry.report.outcome) : .idInUse
        }
        if open.slot(of: key) != nil { return .idInUse }
        if ended.mayBeUnread(key.id) { return .unread }
        return ended.lag(of: key) == nil ? .unknown : .tooOld
    }

    /// Reports the end of a request that was resumed from the journal; returns false if it is not open.
    mutating func resumeReporting(on key: RequestKey, serviceTime: Duration, in fleet: inout Fleet) -> Bool {
        guard let slot = open.slot(of: key) else { return false }
        report(on: slot, serviceTime: serviceTime, in: &fleet)
        return true
    }

    private mutating func report(on slot: RequestSlot, serviceTime: Duration, in fleet: inout Fleet) {
        open.update(slot) {
            $0.reportsEnd = true
            $0.runningTime = serviceTime
        }
        if !open[slot].state.isDispatched { arm(slot, at: open[slot].startDue, in: &fleet) }
    }
}

extension RequestID {
    /// Why a client cannot use the ID now: it has no time, or one too far ahead of the clock; nil if it can.
    func objection(at now: WallTime, ahead longest: Duration = Limits.idAhead) -> Refusal? {
        guard isVersion7 else {
            return .invalid("request_id: must be a version 7 UUID made by the client")
        }
        let ahead = now.duration(to: time)
        guard ahead > longest else { return nil }
        return .invalid(
            "request_id: made \(ahead.wholeMilliseconds / 1_000) s ahead of the controller's clock; "
                + "at most \(longest.wholeMilliseconds / 1_000) s are allowed: set the client's clock")
    }
}
