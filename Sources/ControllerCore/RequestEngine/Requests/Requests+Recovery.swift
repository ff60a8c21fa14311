import FleetProtocol

extension Requests {
    /// Restores the requests of the journal; called once, before the first step. The device of an open
    /// request is awaited: it gets a slot, although no node has named it yet.
    mutating func recover(_ replay: JournalReplay, at now: Moment, in fleet: inout Fleet) {
        if let horizon = replay.horizon { ended.raise(nil, to: horizon) }
        for (id, horizon) in replay.horizons.sorted(by: { $0.key < $1.key }) {
            if let account = fleet.directory.accountMade(id) { ended.raise(account, to: horizon) }
        }
        ended.start(segments: replay.firstNeeded, replay.segment)
        let keys = keys(of: replay, in: &fleet.directory)
        if !planted(.dedupeInMemoryOnly) {
            ended.adopt(replay.ended, count: keys.count, unreadUpTo: replay.unreadUpTo) { keys[$0] }
        }
        for open in replay.open { resume(open, at: now, in: &fleet) }
        for lost in replay.endedByLoss {
            guard let account = fleet.directory.account(lost.account) else { continue }
            fleet.notifyUndetermined(
                RequestKey(account: account, id: lost.requestID), by: lost.user, for: lost.content.device,
                because: .superseded)
        }
    }

    /// Restores outcomes that were not read at the start; outcomes with IDs up to `unreadUpTo` follow.
    mutating func restore(_ replay: JournalReplay, unreadUpTo: WallTime?, in directory: inout Directory) {
        guard !planted(.dedupeInMemoryOnly) else { return }
        for (place, key) in keys(of: replay, in: &directory).enumerated() {
            if let key { ended.restore(replay.ended[Int32(place)], for: key) }
        }
        ended.replayed(downTo: unreadUpTo)
    }

    /// The keys of ended requests, each at its place; nil if the table of accounts is full.
    private func keys(of replay: JournalReplay, in directory: inout Directory) -> [RequestKey?] {
        let accounts = replay.accounts.map { directory.accountMade($0) }
        return replay.endedKeys.map { key in
            accounts[Int(key.account)].map { RequestKey(account: $0, id: key.id) }
        }
    }

    private mutating func resume(_ known: JournalReplay.Open, at now: Moment, in fleet: inout Fleet) {
        guard known.dispatch != nil || !planted(.lanesLost) else { return }
        let record = known.request
        guard let account = fleet.directory.accountMade(record.account),
            let device = fleet.directory.awaited(record.content.device, of: account, at: now)
        else { return }
        let timeout = record.arrivedAt.duration(to: record.deadline)
        let left = planted(.deadlineLost) ? timeout : now.wall.duration(to: record.deadline)
        let isCancelled = known.isCancelled && !planted(.cancelLost)
        // No version journals a cancel without a dispatch; such a request expires before it is sent.
        let isOver = isCancelled && known.dispatch == nil
        let remaining = isOver ? .zero : max(.zero, min(timeout, left))
        let age = max(.zero, record.arrivedAt.duration(to: now.wall))
        var request = LiveRequest(
            key: RequestKey(account: account, id: record.requestID), content: record.content,
            device: device, user: record.user, arrivedAt: now.monotonic.advanced(by: .zero - age),
            deadline: now.monotonic.advanced(by: remaining), wallArrival: record.arrivedAt,
            wallDeadline: record.deadline, waiters: Waiters())
        request.attempts = known.dispatch?.resolution ?? 0
        let slot = open.insert(request)
        if let dispatch = known.dispatch {
            resume(dispatch, of: slot, at: now.monotonic, in: &fleet.directory)
            if isCancelled { open.update(slot) { $0.state.cancel() } }
        } else {
            open.enqueue(slot)
        }
        arm(slot, at: min(open[slot].deadline, open.dispatch(of: slot)?.nextResendAt ?? .never), in: &fleet)
    }

    /// Restores a dispatch that may or may not have left, as if it had left now.
    private mutating func resume(
        _ record: DispatchRecord, of slot: RequestSlot, at now: MonotonicTime, in directory: inout Directory
    ) {
        let device = open[slot].device
        precondition(directory.devices[device].current == nil, "two commands in flight to one device")
        directory.devices[device].current = slot
        directory.devices[device].lastCommandNumber = record.identity.commandNumber
        directory.devices[device].reported = DeviceState(
            state: directory.devices[device].reported.state, version: record.versionBefore,
            incarnation: record.identity.incarnation)
        open.dispatch(
            Dispatch(
                slot: slot, identity: record.identity, change: record.change, base: record.base,
                versionBefore: record.versionBefore,
                resolution: record.resolution, dispatchedAt: now, lastSentAt: now,
                nextResendAt: now.advanced(by: Backoff.silence), isResumed: true),
            to: directory.devices[device].node)
    }

    /// The open requests as journal entries from which they can be recovered, and every horizon.
    func entries(in directory: borrowing Directory) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for slot in open.all {
            let request = open[slot]
            let account = directory.accounts[Int(request.key.account)].id
            let record = request.record(of: account)
            let dispatch = open.dispatch(of: slot)
            entries.append(dispatch.map { .dispatched(record, $0.record) } ?? .admitted(record))
            if request.state.isCancelling { entries.append(.cancelRequested(account, request.key.id)) }
        }
        if let horizon = ended.horizonOfAll { entries.append(.horizonRaised(horizon)) }
        for (account, horizon) in ended.horizons {
            entries.append(.horizonRaised(horizon, of: directory.accounts[Int(account)].id))
        }
        return entries
    }
}

extension Requests {
    /// Whether the journal has a request that a device has judged.
    enum JournalMemory {
        case known, unread, unknown
    }

    /// The difference of a client's clock that is usual: within it, a request ahead of our clock is refused.
    private static let clockTolerance = Duration.seconds(5)

    func memory(of key: RequestKey) -> JournalMemory {
        guard restoresRequests else { return .known }
        // A repeat since the start is open or ended, too, but was never sent; so is a cancel.
        if let slot = open.slot(of: key) { return open[slot].state.isDispatched ? .known : .unknown }
        if let place = ended.place(of: key) {
            return ended.entries.read(place) { $0.mayBeJudged } ? .known : .unknown
        }
        if ended.lag(of: key) != nil { return .known }
        if ended.mayBeUnread(key.id) { return .unread }
        // A loss that was accepted may have included requests that were ahead of the clock.
        let lost = ended.horizonOfAll?.advanced(by: Limits.idAhead)
        return lost.map { key.id.time <= $0 } ?? false ? .known : .unknown
    }

    /// Refuses unknown requests of an account from now on, and ends queued ones, which may be repeats.
    ///
    /// Requests in lanes of nodes whose history was compared before are not repeats.
    ///
    /// - Returns: The time up to which IDs are refused.
    mutating func acceptLoss(
        of key: RequestKey, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) -> WallTime {
        let ahead = now.wall.duration(to: key.id.time)
        let horizon = ahead > .zero && ahead <= Self.clockTolerance ? key.id.time : now.wall
        ended.raise(key.account, to: horizon)
        let account = fleet.directory.accounts[Int(key.account)].id
        effects.store(.request(.horizonRaised(horizon, of: account)))
        fleet.notify(.historyLost(key.account, upTo: horizon))
        for slot in open.all where open[slot].key.account == key.account && !open[slot].state.isDispatched {
            let node = fleet.directory.devices[open[slot].device].node
            guard !fleet.directory.nodes[node].hasShownHistory else { continue }
            settle(slot, .undetermined(.superseded), at: now, in: &fleet, into: &effects)
        }
        return horizon
    }
}
