import FleetProtocol
import FleetTime
import PlantedBugs

/// Nodes: who they are, whether they live, and what of theirs has not arrived.
extension RequestEngine {
    /// How long a gap may last before it is pulled: the other socket may just be slower.
    static let gapPatience: Duration = .milliseconds(200)
    /// How long a chunk may take before it is asked for again.
    static let chunkPatience: Duration = .seconds(1)

    mutating func heardNode(
        _ message: NodeMessage, at connection: ConnectionID, now: Moment, into effects: inout Effects
    ) {
        if case .hello(let name, let account, let devices, let groups, let grant) = message.body {
            return welcome(
                message, name: name, account: account, devices: devices, groups: groups, range: grant?.range,
                at: connection, now: now, into: &effects)
        }
        guard let node = directory.node(at: connection), directory.nodes[node].bootID == message.bootID else {
            meter.note(.notGreeted)
            let pong = ControllerMessage(epoch: epoch, body: .pong(helloWanted: true))
            return effects.messages.append((connection, pong))
        }
        guard message.lastNumber.value <= Limits.largestOrdinal else { return meter.note(.uncountable) }
        if case .leaving = message.body {
            directory.nodes[node].hasLeft = true
            return setPresence(of: node, .offline(.nodeLeft), at: now, into: &effects)
        }
        signOfLife(of: node, at: now, into: &effects)
        directory.nodes[node].arrivals.announce(message.lastNumber)
        switch message.body {
        case .hello, .leaving: preconditionFailure("handled above")
        case .ping(let counters):
            if let counters { nodeCounters[node] = counters }
            send(.pong(helloWanted: false), to: node, into: &effects)
            askToRenewAgain(at: node, into: &effects)
            askWhatBecame(at: node, now: now, into: &effects)
        case .result(let result): heardResult(result, from: node, at: now, into: &effects)
        case .rows(let chunk):
            heardChunk(chunk, lastNumber: message.lastNumber, from: node, at: now, into: &effects)
        case .done(let order, let devices, let remark):
            heardDone(order, devices: devices, remark, from: node, at: now, into: &effects)
        case .faults(let order, let list): heardFaults(order, list, from: node, into: &effects)
        }
        noticeGap(of: node, at: now.monotonic)
    }

    mutating func heardTelemetry(_ telemetry: Telemetry, at now: Moment, into effects: inout Effects) {
        guard let node = directory.node(of: telemetry.bootID) else { return meter.note(.notGreeted) }
        signOfLife(of: node, at: now, into: &effects)
        gatherReports(of: telemetry.rows.count)
        find(telemetry.rows)
        for (index, row) in telemetry.rows.enumerated() {
            guard let device = found[index], directory.devices[device].node == node else {
                meter.note(.foreignDevice)
                continue
            }
            guard mayTake(row, from: node, at: now, into: &effects) else { continue }
            update(device, from: row, at: now, into: &effects)
        }
        askToRenew(at: node, into: &effects)
        heardMeasured(telemetry.measured, from: node, at: now, into: &effects)
        noticeGap(of: node, at: now.monotonic)
    }

    /// Finds the devices of rows, all before the first is changed.
    ///
    /// Each is somewhere else in memory, and the processor waits for many at a time.
    private mutating func find(_ rows: [DeviceRow]) {
        found.removeAll(keepingCapacity: true)
        for row in rows { found.append(directory.device(row.device)) }
    }

    /// A hello: a new node, a new life of a known one, or a known one on a new connection.
    private mutating func welcome(
        _ message: NodeMessage, name: NodeName, account: AccountID, devices: UInt32,
        groups: [DeviceGroup], range: DeviceRange?, at connection: ConnectionID, now: Moment,
        into effects: inout Effects
    ) {
        guard message.lastNumber.value <= Limits.largestOrdinal else { return meter.note(.uncountable) }
        guard let accountIndex = directory.accountMade(account) else { return meter.note(.noRoom) }
        let node: NodeSlot
        let known = directory.node(named: name, of: accountIndex)
        // Telemetry has only the boot to tell whose it is.
        if let holder = directory.node(of: message.bootID), holder != known {
            return meter.note(.borrowedBoot)
        }
        if let known {
            node = known
            let isNewLife = directory.nodes[node].bootID != message.bootID
            guard isNewLife || !directory.nodes[node].hasLeft else { return meter.note(.left) }
            if isNewLife, !hasAnswered(message.bootID, at: connection, for: node, into: &effects) { return }
            directory.nodes[node].successor = nil
            directory.moveNode(node, to: connection, bootID: message.bootID)
            if isNewLife { beginLife(of: node) }
        } else {
            let added = addNode { index in
                NodeRecord(
                    index: index, name: name, account: accountIndex, bootID: message.bootID,
                    connection: connection,
                    presence: Presence(.unknown, since: now.wall), lastHeardAt: now.monotonic,
                    devicesAnnounced: devices)
            }
            guard let added else { return meter.note(.noRoom) }
            node = added
        }
        directory.nodes[node].range = range.map(HostedRange.init)
        directory.nodes[node].devicesAnnounced = devices
        directory.nodes[node].lastHeardAt = now.monotonic
        directory.nodes[node].arrivals.announce(message.lastNumber)
        send(.pong(helloWanted: false), to: node, into: &effects)
        take(groups, of: node, at: now, into: &effects)
        setPresence(of: node, .online, at: now, into: &effects)
        askAgain(directory.nodes[node].dispatched, at: now, into: &effects)
        let record = directory.nodes[node]
        if record.refusedFor.contains(where: { !directory.nodes[$0].isReachable }) {
            // It claims again what a node had that is gone: all of it is looked at once more.
            directory.nodes[node].refusedFor = []
            directory.nodes[node].arrivals = ArrivalWindow()
            directory.nodes[node].arrivals.announce(message.lastNumber)
            startPull(of: node, at: now, into: &effects)
        } else if record.arrivals.hasGap || record.isBeingRepaired || directory.awaited.awaits(record.key) {
            startPull(of: node, at: now, into: &effects)
        }
    }

    /// Whether another life of a node has said hello again after it was asked to; if not, it is asked.
    ///
    /// Boots have no order, and what a node that has died said last may be heard after the hello of the next:
    /// only one that lives answers.
    private mutating func hasAnswered(
        _ bootID: BootID, at connection: ConnectionID, for node: NodeSlot, into effects: inout Effects
    ) -> Bool {
        let successor = NodeRecord.Successor(bootID: bootID, connection: connection)
        if directory.nodes[node].successor == successor || configuration.planted(.lateHelloTaken) {
            return true
        }
        directory.nodes[node].successor = successor
        let pong = ControllerMessage(epoch: epoch, body: .pong(helloWanted: true))
        effects.messages.append((connection, pong))
        return false
    }

    /// Numbers start anew with each life of a node, so nothing of it has arrived yet.
    private mutating func beginLife(of node: NodeSlot) {
        directory.nodes[node].boot += 1
        nodeCounters[node] = nil
        directory.nodes[node].hasLeft = false
        directory.nodes[node].arrivals = ArrivalWindow()
        directory.nodes[node].pull = nil
        directory.nodes[node].hasTable = false
        directory.nodes[node].gapSince = nil
        directory.nodes[node].isQuestioned = false
        directory.nodes[node].refusedFor = []
        directory.nodes[node].forgetful = []
    }

    private mutating func signOfLife(of node: NodeSlot, at now: Moment, into effects: inout Effects) {
        // The sockets are read one after the other: what it said before it left may be heard after.
        guard !directory.nodes[node].hasLeft else { return }
        directory.nodes[node].lastHeardAt = now.monotonic
        guard directory.nodes[node].presence.kind != .online else { return }
        setPresence(of: node, .online, at: now, into: &effects)
        askAgain(directory.nodes[node].dispatched, at: now, into: &effects)
    }

    /// Requests that are past their deadline, or taken back, ask their device at each ping what it did.
    private mutating func askWhatBecame(at node: NodeSlot, now: Moment, into effects: inout Effects) {
        for slot in directory.nodes[node].dispatched {
            let request = requests[slot]
            guard request.state.isOverdue || request.state.isCancelling, isReachable(request.device) else { continue }
            sendCommand(slot, at: now, into: &effects)
        }
    }

    mutating func setPresence(
        of node: NodeSlot, _ kind: Presence.Kind, at now: Moment, into effects: inout Effects
    ) {
        guard directory.nodes[node].presence.kind != kind else { return }
        let wasReachable = directory.nodes[node].isReachable
        directory.nodes[node].presence = Presence(kind, since: now.wall)
        let record = directory.nodes[node]
        let shown = SnapshotChunk.Node(index: record.index, name: record.name, presence: record.presence)
        publish(.node(shown, devices: record.devices), to: record.account, at: now, into: &effects)
        if kind == .offline(.nodeLost) { notify(.nodeLost(record)) }
        guard !wasReachable, record.isReachable else { return }
        if !record.hasLeaseTimer { armLease(of: node, at: now.monotonic.advanced(by: Limits.staleAfter)) }
        // What came due while it was away was asked of nobody.
        if record.pull != nil || record.gapSince != nil { timers.set(.repair(node), at: now.monotonic) }
        for device in lanes.keys.filter({ directory.devices[$0].node == node }).sorted() {
            advanceLane(of: device, at: now, into: &effects)
        }
    }

    /// A node's lease is looked at when it could have run out; one that was heard meanwhile goes on.
    mutating func leaseDue(_ node: NodeSlot, at now: Moment, into effects: inout Effects) {
        directory.nodes[node].hasLeaseTimer = false
        guard directory.nodes[node].isReachable else { return }
        let heardAt = directory.nodes[node].lastHeardAt
        let silence = heardAt.duration(to: now.monotonic)
        if silence >= Limits.lease {
            return setPresence(of: node, .offline(.nodeLost), at: now, into: &effects)
        }
        if silence >= Limits.staleAfter { setPresence(of: node, .stale, at: now, into: &effects) }
        let next = silence >= Limits.staleAfter ? Limits.lease : Limits.staleAfter
        armLease(of: node, at: heardAt.advanced(by: next))
    }

    /// One timer a node, however often it comes and goes.
    private mutating func armLease(of node: NodeSlot, at due: MonotonicTime) {
        directory.nodes[node].hasLeaseTimer = true
        timers.set(.lease(node), at: due)
    }

    private mutating func noticeGap(of node: NodeSlot, at now: MonotonicTime) {
        let record = directory.nodes[node]
        guard record.arrivals.hasGap || record.isQuestioned else {
            directory.nodes[node].gapSince = nil
            return
        }
        guard record.gapSince == nil, record.pull == nil else { return }
        directory.nodes[node].gapSince = now
        timers.set(.repair(node), at: now.advanced(by: Self.gapPatience))
    }

    /// Somebody knows a newer state than we do: the node is asked without waiting.
    mutating func repairSoon(_ node: NodeSlot, at now: MonotonicTime) {
        directory.nodes[node].isQuestioned = true
        guard directory.nodes[node].pull == nil else { return }
        directory.nodes[node].gapSince = now.advanced(by: .zero - Self.gapPatience)
        timers.set(.repair(node), at: now)
    }

    /// A gap has lasted, or a chunk has not come.
    mutating func repairDue(_ node: NodeSlot, at now: Moment, into effects: inout Effects) {
        let record = directory.nodes[node]
        guard record.isReachable else { return }
        if let pull = record.pull {
            if now.monotonic >= pull.dueAt { askForChunk(of: node, at: now, into: &effects) }
        } else if let since = record.gapSince, since.advanced(by: Self.gapPatience) <= now.monotonic {
            startPull(of: node, at: now, into: &effects)
        }
    }

    private mutating func startPull(of node: NodeSlot, at now: Moment, into effects: inout Effects) {
        let since = directory.nodes[node].arrivals.contiguous
        directory.nodes[node].gapSince = nil
        directory.nodes[node].isQuestioned = false
        pulls += 1
        // No epoch comes twice, and no life of a controller pulls a million times before a chunk arrives.
        let number = epoch.value << 20 | pulls & 0xf_ffff
        directory.nodes[node].pull = NodeRecord.Pull(since: since, number: number, dueAt: now.monotonic)
        askForChunk(of: node, at: now, into: &effects)
    }

    private mutating func askForChunk(of node: NodeSlot, at now: Moment, into effects: inout Effects) {
        let due = now.monotonic.advanced(by: Self.chunkPatience)
        directory.nodes[node].pull?.dueAt = due
        timers.set(.repair(node), at: due)
        guard let pull = directory.nodes[node].pull else { return }
        let body = ControllerMessage.Body.pull(since: pull.since, cursor: pull.cursor, number: pull.number)
        send(body, to: node, into: &effects)
    }

    private mutating func heardChunk(
        _ chunk: RowChunk, lastNumber: ChangeNumber, from node: NodeSlot, at now: Moment,
        into effects: inout Effects
    ) {
        guard let pull = directory.nodes[node].pull, pull.number == chunk.pull, pull.since == chunk.since,
            pull.cursor == chunk.cursor
        else { return meter.note(.unasked) }
        guard groupsHold(in: chunk.rows, of: node) else { return meter.note(.unknownGroup) }
        take(chunk.rows, from: node, at: now, into: &effects)
        let covered = pull.covered ?? lastNumber
        guard chunk.isLast else {
            directory.nodes[node].pull?.covered = covered
            directory.nodes[node].pull?.cursor = chunk.nextCursor
            return askForChunk(of: node, at: now, into: &effects)
        }
        directory.nodes[node].pull = nil
        directory.nodes[node].arrivals.pulled(upTo: covered)
        if directory.nodes[node].isWhole(pull) { finishTable(of: node, at: now, into: &effects) }
        for device in lanes.keys.filter({ directory.devices[$0].node == node }).sorted() {
            advanceLane(of: device, at: now, into: &effects)
        }
    }
}
