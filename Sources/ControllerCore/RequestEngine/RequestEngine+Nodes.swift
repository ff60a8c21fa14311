import FleetProtocol

/// Applies the messages of nodes to the fleet and to requests.
extension RequestEngine {
    mutating func receive(
        _ message: NodeMessage, at connection: ConnectionID, now: Moment, into effects: inout Effects
    ) {
        if case .hello(let hello) = message.body {
            return receive(hello, in: message, at: connection, now: now, into: &effects)
        }
        if case .rows(let chunk) = message.body, chunk.pull >= Fleet.firstQuestion {
            return fleet.answered(chunk.pull, at: connection, into: &effects)
        }
        guard let node = sender(message.bootID, at: connection, message.lastNumber, into: &effects) else {
            return
        }
        if case .leaving = message.body {
            fleet.directory.nodes[node].link.leave()
            // A node that leaves does not become reachable.
            _ = fleet.setPresence(of: node, .offline(.nodeLeft), at: now, into: &effects)
            return
        }
        renewLease(of: node, at: now, into: &effects)
        fleet.directory.nodes[node].boot.changes.announce(message.lastNumber)
        // Speed: see performance.md, "copies".
        if case .result(let result) = message.body {
            receive(result, from: node, at: now, into: &effects)
        } else {
            receive(message, from: node, now: now, into: &effects)
        }
        fleet.noticeGap(of: node, at: now.monotonic)
    }

    /// Takes the node of a boot for lost, because it may no longer connect.
    mutating func lose(_ bootID: BootID, at now: Moment, into effects: inout Controller.Effects) {
        guard let node = fleet.directory.node(of: bootID) else { return }
        _ = fleet.setPresence(of: node, .offline(.nodeLost), at: now, into: &effects)
    }

    /// The node of a connection; nil for an unknown one, another boot, or a number that is too high.
    @inline(__always)
    private mutating func sender(
        _ bootID: BootID, at connection: ConnectionID, _ lastNumber: ChangeNumber, into effects: inout Effects
    ) -> NodeSlot? {
        guard let node = fleet.directory.node(at: connection),
            fleet.directory.nodes[node].link.bootID == bootID
        else {
            fleet.meter.record(.notGreeted)
            fleet.requestHello(at: connection, into: &effects)
            return nil
        }
        guard lastNumber.value <= Limits.largestOrdinal else {
            fleet.meter.record(.uncountable)
            return nil
        }
        return node
    }

    /// Handles a message other than a hello, a result or a goodbye.
    private mutating func receive(
        _ message: NodeMessage, from node: NodeSlot, now: Moment, into effects: inout Effects
    ) {
        switch message.body {
        case .hello, .result, .leaving: preconditionFailure("handled above")
        case .ping(let counters):
            if let counters { fleet.directory.nodes[node].boot.counters = counters }
            fleet.send(.pong(helloWanted: false), to: node, into: &effects)
            fleet.repeatRenewals(at: node, into: &effects)
            fleet.pullNames(of: node, lastNumber: message.lastNumber, at: now, into: &effects)
            requests.askForOutcomes(at: node, at: now, in: &fleet, into: &effects)
        case .rows(let chunk):
            receive(chunk, lastNumber: message.lastNumber, from: node, at: now, into: &effects)
        case .done(let order, let devices, let remark):
            for device in orders.confirmed(order, devices: devices, remark, by: node) {
                retire(device, from: node, at: now, into: &effects)
            }
            orders.replyIfAnswered(order, into: &effects)
        case .faults(let order, let list):
            orders.listed(order, list, by: node, in: fleet.directory)
            orders.replyIfAnswered(order, into: &effects)
        }
    }

    mutating func receive(_ telemetry: Telemetry, at now: Moment, into effects: inout Effects) {
        guard let node = fleet.directory.node(of: telemetry.bootID) else {
            return fleet.meter.record(.notGreeted)
        }
        renewLease(of: node, at: now, into: &effects)
        fleet.stream.gather(telemetry.rows.count)
        // Speed: see performance.md, "lookups".
        found.removeAll(keepingCapacity: true)
        for row in telemetry.rows { found.append(fleet.directory.device(row.device)) }
        for (index, row) in telemetry.rows.enumerated() {
            guard let device = found[index], fleet.directory.devices[device].node == node else {
                fleet.meter.record(.foreignDevice)
                continue
            }
            guard fleet.mayApply(row, at: now, into: &effects) else { continue }
            apply(row, to: device, at: now, into: &effects)
        }
        fleet.requestRenewals(at: node, into: &effects)
        fleet.store(telemetry.measured, from: node, at: now, into: &effects)
        fleet.noticeGap(of: node, at: now.monotonic)
    }

    // MARK: Hellos and leases

    private mutating func receive(
        _ hello: NodeHello, in message: NodeMessage, at connection: ConnectionID, now: Moment,
        into effects: inout Effects
    ) {
        let node = fleet.greet(
            hello, in: message, at: connection, now: now,
            nodesInUse: { requests.open.nodesInUse(in: $0) }, into: &effects)
        guard let node else { return }
        if let boot = fleet.directory.nodes[node].link.resumedFrom,
            !fleet.directory.nodes[node].boot.isDistrusted
        {
            resume(node, after: boot, at: now, into: &effects)
        }
        compareHistory(with: hello, of: node, at: now, into: &effects)
        fleet.apply(hello, to: node, lastNumber: message.lastNumber, at: now, into: &effects)
        setOnline(node, at: now, into: &effects)
        fleet.pullMissing(of: node, lastNumber: message.lastNumber, at: now, into: &effects)
    }

    /// Lets a boot serve again that another one had replaced. Either may have carried out a command in
    /// flight, and both may have changed a device in an incarnation.
    private mutating func resume(
        _ node: NodeSlot, after boot: UInt32, at now: Moment, into effects: inout Effects
    ) {
        fleet.distrust(node, after: boot)
        for slot in requests.open.dispatches.slots(at: node) {
            requests.settle(slot, .undetermined(.deviceReset), at: now, in: &fleet, into: &effects)
        }
    }

    /// Renews the lease of a node; the first message after a silence brings it back online.
    @inline(__always)
    private mutating func renewLease(of node: NodeSlot, at now: Moment, into effects: inout Effects) {
        if fleet.renewLease(of: node, at: now.monotonic) { setOnline(node, at: now, into: &effects) }
    }

    /// Sets a node online, resolves the requests that waited for it, and sends those in flight again.
    private mutating func setOnline(_ node: NodeSlot, at now: Moment, into effects: inout Effects) {
        if fleet.setPresence(of: node, .online, at: now, into: &effects) {
            requests.advanceLanes(at: node, at: now, in: &fleet, into: &effects)
        }
        let slots = requests.open.dispatches.slots(at: node)
        requests.askAgain(slots, at: now, in: &fleet, into: &effects)
    }

    // MARK: Rows and results

    @inline(__always)
    private mutating func receive(
        _ result: CommandResult, from node: NodeSlot, at now: Moment, into effects: inout Effects
    ) {
        guard let device = fleet.directory.device(result.row.device),
            fleet.directory.devices[device].node == node
        else { return fleet.meter.record(.foreignDevice) }
        guard fleet.mayApply(result.row, at: now, into: &effects) else { return }
        fleet.requestRenewals(at: node, into: &effects)
        let change = fleet.merge(result.row, into: device, at: now)
        requests.apply(result, of: device, at: now, in: &fleet, into: &effects)
        announce(change, of: device, at: now, into: &effects)
    }

    /// Applies a row: merges it, ends a request of a former incarnation, publishes changes, advances the
    /// lane.
    @inline(__always)
    private mutating func apply(
        _ row: DeviceRow, to device: DeviceSlot, at now: Moment, into effects: inout Effects
    ) {
        let change = fleet.merge(row, into: device, at: now)
        requests.endIfReset(device, at: now, in: &fleet, into: &effects)
        announce(change, of: device, at: now, into: &effects)
    }

    /// Publishes the changes of a row, sends the command of a reconnected device again, and advances the
    /// lane.
    @inline(__always)
    private mutating func announce(
        _ change: Fleet.RowChange, of device: DeviceSlot, at now: Moment, into effects: inout Effects
    ) {
        fleet.announce(change, of: device, at: now, into: &effects)
        if !change.isDisjoint(with: [.connection, .boot]), fleet.directory.devices[device].isConnected,
            let current = fleet.directory.devices[device].current
        {
            requests.askAgain([current], at: now, in: &fleet, into: &effects)
        }
        requests.advanceLane(of: device, at: now, in: &fleet, into: &effects)
    }

    private mutating func receive(
        _ chunk: RowChunk, lastNumber: ChangeNumber, from node: NodeSlot, at now: Moment,
        into effects: inout Effects
    ) {
        guard fleet.directory.nodes[node].boot.changes.awaits(chunk) else {
            return fleet.meter.record(.unasked)
        }
        guard fleet.directory.hasGroups(of: chunk.rows, at: node) else {
            return fleet.meter.record(.unknownGroup)
        }
        apply(chunk.rows, from: node, at: now, into: &effects)
        switch fleet.directory.nodes[node].boot.changes.received(chunk, lastNumber: lastNumber) {
        case .requestChunk: return fleet.requestChunk(of: node, at: now, into: &effects)
        case .complete(let isWholeTable):
            if isWholeTable { completeTable(of: node, at: now, into: &effects) }
        }
        requests.advanceLanes(at: node, at: now, in: &fleet, into: &effects)
    }

    /// Applies the rows of a chunk: adds new devices and updates known ones, except devices of another
    /// reachable node.
    private mutating func apply(
        _ rows: [RowChunk.Row], from node: NodeSlot, at now: Moment, into effects: inout Effects
    ) {
        let place = effects.changes.count
        var (new, claimsRefused): ([DeviceID], [DeviceID]) = ([], [])
        fleet.stream.gather(rows.count)
        for row in rows {
            let id = row.device.device
            let known = fleet.directory.device(id)
            if known.map({ fleet.directory.devices[$0].node }) != node {
                guard fleet.directory.nodes[node].range?.contains(id) ?? true else {
                    fleet.meter.record(.outOfRange)
                    continue
                }
                switch fleet.claim(id, at: known, by: node) {
                case .known: break
                case .new: new.append(id)
                case .refused:
                    claimsRefused.append(id)
                    continue
                }
            }
            guard fleet.mayApply(row.device, at: now, into: &effects) else { continue }
            guard let known else {
                fleet.add(row, at: node, now: now, into: &effects)
                continue
            }
            apply(row, to: known, at: node, now: now, into: &effects)
        }
        if !new.isEmpty {
            let list = fleet.directory.list(of: fleet.directory.nodes[node].key, new)
            effects.changes.insert(.directory(.added(list)), at: place)
        }
        fleet.requestRenewals(at: node, into: &effects)
        let measured = rows.compactMap { row in
            row.measurements.map { MeasuredDevice(device: row.device.device, measurements: $0) }
        }
        fleet.store(measured, from: node, at: now, into: &effects)
        for start in stride(from: 0, to: claimsRefused.count, by: Limits.faultDevices) {
            let part = claimsRefused[start..<min(start + Limits.faultDevices, claimsRefused.count)]
            fleet.send(.claimsRefused(Array(part)), to: node, into: &effects)
        }
    }

    /// Applies a row of a chunk to a known device, which moves if it was at another node.
    private mutating func apply(
        _ row: RowChunk.Row, to device: DeviceSlot, at node: NodeSlot, now: Moment,
        into effects: inout Effects
    ) {
        if fleet.directory.devices[device].node != node {
            fleet.move(device, to: node, as: row)
            if let current = fleet.directory.devices[device].current { requests.open.move(current, to: node) }
            fleet.publishAdded(device, at: now, into: &effects)
        }
        fleet.checkMemory(of: device, in: row.device)
        apply(row.device, to: device, at: now, into: &effects)
        fleet.relabel(device, as: row, at: now, into: &effects)
    }
}
