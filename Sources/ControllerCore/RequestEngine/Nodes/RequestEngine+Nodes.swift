import FleetProtocol
import FleetTime
import PlantedBugs

/// Nodes: who they are, whether they live, and what of theirs has not arrived.
extension RequestEngine {
    mutating func heardNode(
        _ message: NodeMessage, at connection: ConnectionID, now: Moment, into effects: inout Effects
    ) {
        if case .hello(let name, let account, let devices, let groups, let grant) = message.body {
            return welcome(
                message, name: name, account: account, devices: devices, groups: groups, range: grant?.range,
                at: connection, now: now, into: &effects)
        }
        guard let node = directory.node(at: connection), directory.nodes[node].link.bootID == message.bootID
        else {
            meter.note(.notGreeted)
            let pong = ControllerMessage(epoch: epoch, body: .pong(helloWanted: true))
            return effects.messages.append((connection, pong))
        }
        guard message.lastNumber.value <= Limits.largestOrdinal else { return meter.note(.uncountable) }
        if case .leaving = message.body {
            directory.nodes[node].link.leave()
            return setPresence(of: node, .offline(.nodeLeft), at: now, into: &effects)
        }
        signOfLife(of: node, at: now, into: &effects)
        directory.nodes[node].changes.announce(message.lastNumber)
        switch message.body {
        case .hello, .leaving: preconditionFailure("handled above")
        case .ping(let counters):
            if let counters { directory.nodes[node].counters = counters }
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
            let isNewBoot = directory.nodes[node].link.bootID != message.bootID
            guard isNewBoot || !directory.nodes[node].link.hasLeft else { return meter.note(.left) }
            if isNewBoot, !directory.nodes[node].link.hasAnswered(message.bootID, at: connection),
                !configuration.planted(.lateHelloTaken)
            {
                let pong = ControllerMessage(epoch: epoch, body: .pong(helloWanted: true))
                return effects.messages.append((connection, pong))
            }
            directory.moveNode(node, to: connection, bootID: message.bootID)
        } else {
            let added = addNode { index in
                NodeRecord(
                    index: index, name: name, account: accountIndex,
                    link: NodeLink(connection, message.bootID),
                    lease: NodeLease(Presence(.unknown, since: now.wall), heardAt: now.monotonic),
                    devicesAnnounced: devices)
            }
            guard let added else { return meter.note(.noRoom) }
            node = added
        }
        directory.nodes[node].range = range.map(HostedRange.init)
        directory.nodes[node].devicesAnnounced = devices
        directory.nodes[node].lease.renew(at: now.monotonic)
        directory.nodes[node].changes.announce(message.lastNumber)
        send(.pong(helloWanted: false), to: node, into: &effects)
        take(groups, of: node, at: now, into: &effects)
        setPresence(of: node, .online, at: now, into: &effects)
        askAgain(directory.nodes[node].dispatched, at: now, into: &effects)
        let record = directory.nodes[node]
        if record.refusedFor.contains(where: { !directory.nodes[$0].isReachable }) {
            // It claims again what a node had that is gone: all of it is looked at once more.
            directory.nodes[node].refusedFor = []
            directory.nodes[node].changes.forgetArrivals()
            directory.nodes[node].changes.announce(message.lastNumber)
            startPull(of: node, at: now, into: &effects)
        } else if record.changes.isIncomplete || directory.awaited.awaits(record.key) {
            startPull(of: node, at: now, into: &effects)
        }
    }

    private mutating func signOfLife(of node: NodeSlot, at now: Moment, into effects: inout Effects) {
        // The sockets are read one after the other: what it said before it left may be heard after.
        guard !directory.nodes[node].link.hasLeft else { return }
        directory.nodes[node].lease.renew(at: now.monotonic)
        guard directory.nodes[node].presence.kind != .online else { return }
        setPresence(of: node, .online, at: now, into: &effects)
        askAgain(directory.nodes[node].dispatched, at: now, into: &effects)
    }

    /// Requests that are past their deadline, or taken back, ask their device at each ping what it did.
    private mutating func askWhatBecame(at node: NodeSlot, now: Moment, into effects: inout Effects) {
        for slot in directory.nodes[node].dispatched {
            let request = requests[slot]
            guard request.state.isOverdue || request.state.isCancelling, isReachable(request.device) else {
                continue
            }
            sendCommand(slot, at: now, into: &effects)
        }
    }

    mutating func setPresence(
        of node: NodeSlot, _ kind: Presence.Kind, at now: Moment, into effects: inout Effects
    ) {
        let wasReachable = directory.nodes[node].isReachable
        guard directory.nodes[node].lease.set(kind, at: now.wall) else { return }
        let record = directory.nodes[node]
        let shown = SnapshotChunk.Node(index: record.index, name: record.name, presence: record.presence)
        publish(.node(shown, devices: record.devices), to: record.account, at: now, into: &effects)
        if kind == .offline(.nodeLost) { notify(.nodeLost(record)) }
        guard !wasReachable, record.isReachable else { return }
        if let due = directory.nodes[node].lease.setTimer(at: now.monotonic) {
            timers.set(.lease(node), at: due)
        }
        // No repair that was due meanwhile was requested.
        if record.changes.isOverdue { timers.set(.repair(node), at: now.monotonic) }
        for device in lanes.keys.filter({ directory.devices[$0].node == node }).sorted() {
            advanceLane(of: device, at: now, into: &effects)
        }
    }

    /// Checks a node's lease.
    mutating func leaseDue(_ node: NodeSlot, at now: Moment, into effects: inout Effects) {
        let (kind, next) = directory.nodes[node].lease.check(at: now.monotonic)
        if let kind { setPresence(of: node, kind, at: now, into: &effects) }
        if let next { timers.set(.lease(node), at: next) }
    }

    @inline(__always)
    private mutating func noticeGap(of node: NodeSlot, at now: MonotonicTime) {
        if let due = directory.nodes[node].changes.notice(at: now) { timers.set(.repair(node), at: due) }
    }

    /// A client knows a newer state than the controller: the node is asked without waiting.
    mutating func repairSoon(_ node: NodeSlot, at now: MonotonicTime) {
        if directory.nodes[node].changes.question(at: now) { timers.set(.repair(node), at: now) }
    }

    /// Starts a pull if a gap has lasted, or requests a chunk again that has not arrived.
    mutating func repairDue(_ node: NodeSlot, at now: Moment, into effects: inout Effects) {
        guard directory.nodes[node].isReachable else { return }
        switch directory.nodes[node].changes.due(at: now.monotonic) {
        case .none: break
        case .startPull: startPull(of: node, at: now, into: &effects)
        case .requestChunk: requestChunk(of: node, at: now, into: &effects)
        }
    }

    private mutating func startPull(of node: NodeSlot, at now: Moment, into effects: inout Effects) {
        pulls += 1
        // No epoch comes twice, and no run of a controller pulls a million times before a chunk arrives.
        let number = epoch.value << 20 | pulls & 0xf_ffff
        directory.nodes[node].changes.startPull(number: number, at: now.monotonic)
        requestChunk(of: node, at: now, into: &effects)
    }

    private mutating func requestChunk(of node: NodeSlot, at now: Moment, into effects: inout Effects) {
        guard let request = directory.nodes[node].changes.requestChunk(at: now.monotonic) else { return }
        timers.set(.repair(node), at: request.repeatAt)
        send(request.body, to: node, into: &effects)
    }

    private mutating func heardChunk(
        _ chunk: RowChunk, lastNumber: ChangeNumber, from node: NodeSlot, at now: Moment,
        into effects: inout Effects
    ) {
        guard directory.nodes[node].changes.awaits(chunk) else { return meter.note(.unasked) }
        guard groupsHold(in: chunk.rows, of: node) else { return meter.note(.unknownGroup) }
        take(chunk.rows, from: node, at: now, into: &effects)
        switch directory.nodes[node].changes.received(chunk, lastNumber: lastNumber) {
        case .requestChunk: return requestChunk(of: node, at: now, into: &effects)
        case .complete(let isWholeTable):
            if isWholeTable { finishTable(of: node, at: now, into: &effects) }
        }
        for device in lanes.keys.filter({ directory.devices[$0].node == node }).sorted() {
            advanceLane(of: device, at: now, into: &effects)
        }
    }
}
