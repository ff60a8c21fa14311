import DequeModule
import FleetProtocol
import FleetTime
import PlantedBugs

/// Going on where an earlier life stopped.
extension RequestEngine {
    /// Takes up what a journal says; called once, before the first step.
    ///
    /// A device that an open request is about is awaited: it has its place, and no node has named it yet.
    mutating func recover(_ replay: JournalReplay, at now: Moment) {
        if let horizon = replay.horizon { ended.raise(nil, to: horizon) }
        for (id, horizon) in replay.horizons.sorted(by: { $0.key < $1.key }) {
            if let account = directory.accountMade(id) { ended.raise(account, to: horizon) }
        }
        ended.start(segments: replay.firstNeeded, replay.segment)
        let keys = keys(of: replay)
        if !configuration.planted(.dedupeInMemoryOnly) {
            ended.takeOver(replay.ended, count: keys.count, unreadUpTo: replay.unreadUpTo) { keys[$0] }
        }
        for open in replay.open { resume(open, at: now) }
        for lost in replay.endedByLoss {
            guard let account = directory.account(lost.account) else { continue }
            notifyUndetermined(
                RequestKey(account: account, id: lost.requestID), by: lost.actor, for: lost.content.device,
                because: .superseded)
        }
    }

    /// Takes up ends that the journal has and that were not read at the start.
    ///
    /// - Parameter unreadUpTo: The newest id of those that are still to come; nil: these were the last.
    mutating func recall(_ replay: JournalReplay, unreadUpTo: WallTime?) {
        guard !configuration.planted(.dedupeInMemoryOnly) else { return }
        for (place, key) in keys(of: replay).enumerated() {
            if let key { ended.recall(replay.ended[Int32(place)], for: key) }
        }
        ended.recalled(downTo: unreadUpTo)
    }

    /// The keys of what ended, each at its place; nil where there is no room for its account.
    private mutating func keys(of replay: JournalReplay) -> [RequestKey?] {
        let accounts = replay.accounts.map { directory.accountMade($0) }
        return replay.endedKeys.map { key in
            accounts[Int(key.account)].map { RequestKey(account: $0, id: key.id) }
        }
    }

    private mutating func resume(_ open: JournalReplay.Open, at now: Moment) {
        guard open.dispatch != nil || !configuration.planted(.lanesForgotten) else { return }
        let record = open.request
        guard let account = directory.accountMade(record.account),
            let device = directory.awaited(record.content.device, of: account, at: now)
        else { return }
        let patience = record.arrivedAt.duration(to: record.deadline)
        let left =
            configuration.planted(.deadlineForgotten) ? patience : now.wall.duration(to: record.deadline)
        let isCancelled = open.isCancelled && !configuration.planted(.cancelForgotten)
        // A cancel without a dispatch is in no journal of ours: the request expires before it is sent.
        let isOver = isCancelled && open.dispatch == nil
        let remaining = isOver ? .zero : max(.zero, min(patience, left))
        let age = max(.zero, record.arrivedAt.duration(to: now.wall))
        var request = LiveRequest(
            key: RequestKey(account: account, id: record.requestID), content: record.content,
            device: device, actor: record.actor, arrivedAt: now.monotonic.advanced(by: .zero - age),
            deadline: now.monotonic.advanced(by: remaining), wallArrival: record.arrivedAt,
            wallDeadline: record.deadline, waiters: Waiters())
        request.attempts = open.dispatch?.resolution ?? 0
        let slot = requests.insert(request)
        directory.accounts[Int(account)].requestsInFlight += 1
        if let dispatch = open.dispatch {
            precondition(directory.devices[device].current == nil, "two commands in flight to one device")
            directory.devices[device].current = slot
            directory.devices[device].lastSequence = dispatch.identity.sequence
            directory.devices[device].reported = DeviceState(
                state: directory.devices[device].reported.state, version: dispatch.versionBefore,
                incarnation: dispatch.identity.incarnation)
            enter(dispatch, of: slot, at: now.monotonic)
            if isCancelled { requests.update(slot) { $0.state.cancel() } }
        } else {
            requests.update(slot) { $0.state.enqueue() }
            lanes[device, default: []].append(slot)
        }
        arm(slot, at: min(requests[slot].deadline, requests[slot].state.dispatch?.nextResendAt ?? .never))
    }

    /// A dispatch that may or may not have left: it is as if it had just now.
    private mutating func enter(_ record: DispatchRecord, of slot: RequestSlot, at now: MonotonicTime) {
        let (node, place) = joinNode(slot)
        let dispatch = Dispatch(
            identity: record.identity, change: record.change, base: record.base,
            versionBefore: record.versionBefore, node: node, placeAtNode: place,
            resolution: record.resolution, leftQueueAt: now, lastLeftAt: now,
            nextResendAt: now.advanced(by: Backoff.silence), isResumed: true)
        requests.update(slot) { $0.state.begin(dispatch) }
    }

    /// Every request that has not ended, as entries from which it would be taken up again, and every horizon.
    var openEntries: [JournalEntry] {
        let inFlight = directory.nodes.flatMap(\.dispatched)
        let waiting = lanes.sorted { $0.key < $1.key }.flatMap(\.value)
        var entries: [JournalEntry] = []
        for slot in inFlight + waiting {
            let request = requests[slot]
            let account = directory.accounts[Int(request.key.account)].id
            entries.append(request.entry(of: account))
            if request.state.isCancelling { entries.append(.cancelRequested(account, request.key.id)) }
        }
        if let horizon = ended.horizonOfAll { entries.append(.horizonRaised(horizon)) }
        for (account, horizon) in ended.horizons {
            entries.append(.horizonRaised(horizon, of: directory.accounts[Int(account)].id))
        }
        return entries
    }
}
