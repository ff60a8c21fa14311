import FleetProtocol
import FleetTime

/// An order of an operator to nodes.
enum NodeOrder: Sendable {
    case inject(Fault, [DeviceID], Duration, Duration)
    case heal([DeviceID])
    case scenario(String)
    case faults
    case retire([DeviceID])
}

/// Operators' orders to nodes: inject faults, heal or retire devices, and begin another scenario.
extension RequestEngine {
    /// The time that nodes have to confirm an order.
    static let orderPatience: Duration = .seconds(2)

    /// Carries out an operator's order to nodes.
    mutating func carryOut(
        _ order: NodeOrder, of account: AccountIndex, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        switch order {
        case .inject(let fault, let devices, let duration, let delay):
            inject(
                fault, devices, duration, delay, account: account, waiter: waiter, at: now, into: &effects)
        case .heal(let devices): heal(devices, account: account, waiter: waiter, at: now, into: &effects)
        case .scenario(let scenario):
            begin(nodesInReach(of: account), for: waiter, at: now, into: &effects) { id, _ in
                .scenario(id, scenario)
            }
        case .faults:
            begin(nodesInReach(of: account), of: .faultList, for: waiter, at: now, into: &effects) { id, _ in
                .listFaults(id)
            }
        case .retire(let devices): retire(devices, account: account, waiter: waiter, at: now, into: &effects)
        }
    }

    private func inject(
        _ fault: Fault, _ named: [DeviceID], _ duration: Duration, _ delay: Duration,
        account: AccountIndex, waiter: Waiter, at now: Moment, into effects: inout Effects
    ) {
        if fault.hasDuration, duration <= .zero {
            return refuse(
                .invalid("duration_ms: a fault of this kind lasts, 1 ms to a day"), to: waiter, into: &effects
            )
        }
        if fault.hasDelay, delay <= .zero {
            return refuse(
                .invalid("delay_ms: a slow device is late, by 1 ms to 30 s"), to: waiter, into: &effects)
        }
        switch nodes(of: named, account: account, at: now) {
        case .failure(let refused): refuse(refused.refusal, to: waiter, into: &effects)
        case .success(let nodes):
            for (node, devices) in nodes {
                send(
                    .fault(fault, devices: devices, duration: duration, delay: delay), to: node,
                    into: &effects)
            }
            reply(.injected(devices: UInt32(named.count)), to: waiter, into: &effects)
        }
    }

    /// Heals the named devices, or all reachable devices of the account if none is named.
    private mutating func heal(
        _ named: [DeviceID], account: AccountIndex, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        guard !named.isEmpty else {
            return begin(nodesInReach(of: account), for: waiter, at: now, into: &effects) {
                .heal($0, devices: $1)
            }
        }
        switch nodes(of: named, account: account, at: now) {
        case .failure(let refused): refuse(refused.refusal, to: waiter, into: &effects)
        case .success(let nodes):
            begin(nodes, for: waiter, at: now, into: &effects) { .heal($0, devices: $1) }
        }
    }

    /// The reachable nodes of an account, each without a device list.
    private func nodesInReach(of account: AccountIndex) -> [(NodeSlot, [DeviceID])] {
        directory.nodes.indices
            .filter { directory.nodes[$0].account == account && directory.nodes[$0].isReachable }
            .map { ($0, []) }
    }

    /// The refusal of an order.
    private struct Refused: Error {
        let refusal: Refusal
    }

    /// The nodes of devices, sorted, each with its devices; fails if a device is unknown or a node
    /// unreachable.
    private func nodes(
        of named: [DeviceID], account: AccountIndex, at now: Moment
    ) -> Result<[(NodeSlot, [DeviceID])], Refused> {
        var byNode: [NodeSlot: [DeviceID]] = [:]
        for id in named {
            guard let slot = directory.device(id, of: account), !directory.devices[slot].isAwaited else {
                let refusal = refusal(ofUnnamed: id, account: account, at: now.monotonic)
                return .failure(Refused(refusal: refusal))
            }
            let node = directory.devices[slot].node
            guard directory.nodes[node].isReachable else {
                return .failure(Refused(refusal: .offline(lastSeen: directory.nodes[node].presence.since)))
            }
            byNode[node, default: []].append(id)
        }
        return .success(byNode.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Sends an order to nodes; the waiter gets a reply when all have confirmed it, or at the timeout.
    mutating func begin(
        _ nodes: [(NodeSlot, [DeviceID])], of kind: OrderTable.Kind = .nodesAlone, for waiter: Waiter,
        report: OrderReport = OrderReport(), at now: Moment, into effects: inout Effects,
        _ message: (OrderID, [DeviceID]) -> ControllerMessage.Body
    ) {
        guard !nodes.isEmpty else { return reply(kind.reply(report), to: waiter, into: &effects) }
        guard !orders.isFull else {
            return refuse(.busy(retryAfter: Self.orderPatience), to: waiter, into: &effects)
        }
        let id = OrderID(bits: generator.next())
        orders.begin(id, of: kind, at: nodes, for: waiter, report: report)
        timers.set(.orderDue(id), at: now.monotonic.advanced(by: Self.orderPatience))
        for (node, devices) in nodes { send(message(id, devices), to: node, into: &effects) }
    }

    /// Records a node's confirmation of an order.
    mutating func heardDone(
        _ id: OrderID, devices: UInt32, _ remark: OrderRemark?, from node: NodeSlot, at now: Moment,
        into effects: inout Effects
    ) {
        for device in orders.answered(id, by: node, devices: devices, remark) {
            dismiss(device, from: node, at: now, into: &effects)
        }
        replyIfAnswered(id, into: &effects)
    }

    /// Adds the active faults of a node to a list; faults of devices that the node does not own are ignored.
    mutating func heardFaults(
        _ id: OrderID, _ list: FaultList, from node: NodeSlot, into effects: inout Effects
    ) {
        var list = list
        let account = directory.nodes[node].account
        list.faults.removeAll { fault in
            directory.device(fault.device, of: account).map { directory.devices[$0].node != node } ?? true
        }
        orders.listed(id, by: node, list)
        replyIfAnswered(id, into: &effects)
    }

    private mutating func replyIfAnswered(_ id: OrderID, into effects: inout Effects) {
        guard let (waiter, body) = orders.endIfAnswered(id) else { return }
        reply(body, to: waiter, into: &effects)
    }

    /// Ends an order at its timeout.
    mutating func orderDue(_ id: OrderID, into effects: inout Effects) {
        guard let (waiter, body) = orders.end(id) else { return }
        reply(body, to: waiter, into: &effects)
    }
}

/// Devices that leave the fleet while it runs.
extension RequestEngine {
    /// The time after the last retirement at which the device lists are stored: they are long in a large
    /// fleet, and devices retire in orders of a thousand.
    static let retirementPause: Duration = .seconds(1)

    /// Retires devices for good.
    ///
    /// A reachable node is asked, because only the node can confirm that it no longer hosts a device. Devices
    /// of an unreachable node are removed at once: it comes back without them, or not at all. Unknown devices
    /// are ignored; until the account has settled, the order is refused as busy. An order without devices
    /// stores all earlier retirements before its reply.
    mutating func retire(
        _ named: [DeviceID], account: AccountIndex, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        guard named.isEmpty || !isSettling(account, at: now.monotonic), !orders.isFull else {
            return refuse(.busy(retryAfter: Limits.beatInterval), to: waiter, into: &effects)
        }
        if named.isEmpty { keepRetirements(into: &effects) }
        var byNode: [NodeSlot: [DeviceID]] = [:]
        var report = OrderReport()
        for id in named {
            guard let device = directory.device(id, of: account), !directory.devices[device].isAwaited else {
                if dismissAwaited(id, of: account, at: now, into: &effects) { report.devices += 1 }
                continue
            }
            let node = directory.devices[device].node
            if directory.nodes[node].isReachable {
                byNode[node, default: []].append(id)
            } else {
                dismiss(id, from: node, at: now, into: &effects)
                report.devices += 1
            }
        }
        let nodes = byNode.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        begin(nodes, of: .retirement, for: waiter, report: report, at: now, into: &effects) {
            .retire($0, devices: $1)
        }
    }

    /// Removes a retired device: ends its requests as undetermined and publishes the removal.
    ///
    /// A device that now belongs to another node stays.
    mutating func dismiss(
        _ id: DeviceID, from node: NodeSlot, at now: Moment, into effects: inout Effects
    ) {
        guard let device = directory.device(id), directory.devices[device].node == node else { return }
        let account = directory.devices[device].account
        for slot in lanes[device].map({ Array($0) }) ?? [] {
            settle(slot, .undetermined(.deviceGone), at: now, into: &effects)
        }
        if let slot = directory.devices[device].current {
            settle(slot, .undetermined(.deviceGone), at: now, into: &effects)
        }
        directory.removeDevice(device)
        directory.shrunk.insert(directory.nodes[node].key)
        notify(.deviceRemoved(id, account))
        publish(.removed(id), to: account, at: now, into: &effects)
        noteRetirement(at: now.monotonic)
    }

    /// Removes an awaited device; returns false if the device is not awaited.
    private mutating func dismissAwaited(
        _ id: DeviceID, of account: AccountIndex, at now: Moment, into effects: inout Effects
    ) -> Bool {
        guard directory.awaited.account(of: id) == account, let nowhere = NodeName("nowhere") else {
            return false
        }
        // The claiming node's name does not matter: the list of the former node is stored without the device.
        _ = directory.name(id, at: NodeKey(account: account, name: nowhere))
        removeAwaited(id, of: account, at: now, into: &effects)
        noteRetirement(at: now.monotonic)
        return true
    }

    private mutating func noteRetirement(at now: MonotonicTime) {
        if lastRetirement == nil { timers.set(.retirementsOver, at: now.advanced(by: Self.retirementPause)) }
        lastRetirement = now
    }

    /// Stores the device lists once no device has retired for ``retirementPause``.
    mutating func retirementsOver(at now: MonotonicTime, into effects: inout Effects) {
        guard let last = lastRetirement else { return }
        let due = last.advanced(by: Self.retirementPause)
        guard due <= now else { return timers.set(.retirementsOver, at: due) }
        keepRetirements(into: &effects)
    }

    private mutating func keepRetirements(into effects: inout Effects) {
        guard lastRetirement != nil else { return }
        lastRetirement = nil
        keepShrunk(into: &effects)
    }
}
