import FleetProtocol

enum NodeOrder: Sendable {
    case inject(Fault, [DeviceID], Duration, Duration)
    case heal([DeviceID])
    case scenario(String, beganAt: WallTime?)
    case faults
    case retire([DeviceID])
}

/// Operators' orders to nodes: inject faults, heal or retire devices, and begin another scenario.
struct Orders: Sendable {
    typealias Effects = Controller.Effects

    /// The time that nodes have to confirm an order.
    private static let timeout: Duration = .seconds(2)
    /// The time after the last retirement at which the device lists are stored: they are long in a large
    /// fleet, and devices retire in orders of a thousand.
    private static let retirementPause: Duration = .seconds(1)

    private var table = OrderTable()
    private var generator: SeededGenerator
    /// When a device was last retired; nil once the device lists are stored.
    private var lastRetirement: MonotonicTime?

    /// The orders derive another generator from the seed of the engine.
    init(seed: UInt64) { generator = SeededGenerator(seed: SeededGenerator.mixed(seed)) }

    /// Whether another order must be refused because too many are pending.
    var isFull: Bool { table.isFull }

    /// Carries out an order that removes no devices.
    mutating func carryOut(
        _ order: NodeOrder, of account: AccountIndex, waiter: Waiter, at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects
    ) {
        switch order {
        case .inject(let fault, let devices, let duration, let delay):
            inject(
                fault, devices, duration, delay, account: account, waiter: waiter, at: now, in: fleet,
                into: &effects)
        case .heal(let devices):
            heal(devices, account: account, waiter: waiter, at: now, in: &fleet, into: &effects)
        case .scenario(let scenario, let beganAt):
            let nodes = nodesInReach(of: account, in: fleet)
            begin(nodes, for: waiter, at: now, in: &fleet, into: &effects) { id, _ in
                .scenario(id, scenario, beganAt: beganAt ?? now.wall)
            }
        case .faults:
            let nodes = nodesInReach(of: account, in: fleet)
            begin(nodes, of: .faultList, for: waiter, at: now, in: &fleet, into: &effects) { id, _ in
                .listFaults(id)
            }
        case .retire: preconditionFailure("a retirement also ends requests")
        }
    }

    private func inject(
        _ fault: Fault, _ named: [DeviceID], _ duration: Duration, _ delay: Duration,
        account: AccountIndex, waiter: Waiter, at now: Moment, in fleet: Fleet, into effects: inout Effects
    ) {
        if fault.hasDuration, duration <= .zero {
            return effects.refuse(
                .invalid("duration_ms: this kind of fault needs a duration from 1 ms to a day"), to: waiter)
        }
        if fault.hasDelay, delay <= .zero {
            return effects.refuse(
                .invalid("delay_ms: a slow device needs a delay from 1 ms to 30 s"), to: waiter)
        }
        switch nodes(of: named, account: account, at: now, in: fleet) {
        case .failure(let refusal): effects.refuse(refusal, to: waiter)
        case .success(let nodes):
            for (node, devices) in nodes {
                fleet.send(
                    .fault(fault, devices: devices, duration: duration, delay: delay), to: node,
                    into: &effects)
            }
            effects.reply(.injected(devices: UInt32(named.count)), to: waiter)
        }
    }

    /// Heals the named devices, or all reachable devices of the account if none is named.
    private mutating func heal(
        _ named: [DeviceID], account: AccountIndex, waiter: Waiter, at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects
    ) {
        guard !named.isEmpty else {
            let nodes = nodesInReach(of: account, in: fleet)
            return begin(nodes, for: waiter, at: now, in: &fleet, into: &effects) { .heal($0, devices: $1) }
        }
        switch nodes(of: named, account: account, at: now, in: fleet) {
        case .failure(let refusal): effects.refuse(refusal, to: waiter)
        case .success(let nodes):
            begin(nodes, for: waiter, at: now, in: &fleet, into: &effects) { .heal($0, devices: $1) }
        }
    }

    /// The reachable nodes of an account, each without a device list.
    private func nodesInReach(of account: AccountIndex, in fleet: Fleet) -> [(NodeSlot, [DeviceID])] {
        fleet.directory.nodes.indices
            .filter { fleet.directory.nodes[$0].account == account && fleet.directory.nodes[$0].isReachable }
            .map { ($0, []) }
    }

    /// The nodes of devices, sorted, each with its devices; fails if a device is unknown or a node
    /// unreachable.
    private func nodes(
        of named: [DeviceID], account: AccountIndex, at now: Moment, in fleet: Fleet
    ) -> Result<[(NodeSlot, [DeviceID])], Refusal> {
        var byNode: [NodeSlot: [DeviceID]] = [:]
        for id in named {
            guard let slot = fleet.directory.device(id, of: account), !fleet.directory.devices[slot].isAwaited
            else {
                return .failure(fleet.refusal(ofUnnamed: id, account: account, at: now.monotonic))
            }
            let node = fleet.directory.devices[slot].node
            guard fleet.directory.nodes[node].isReachable else {
                return .failure(.offline(lastSeen: fleet.directory.nodes[node].presence.since))
            }
            byNode[node, default: []].append(id)
        }
        return .success(byNode.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Sends an order to nodes; the waiter gets a reply when all have confirmed it, or at the timeout.
    mutating func begin(
        _ nodes: [(NodeSlot, [DeviceID])], of kind: OrderTable.Kind = .nodesAlone, for waiter: Waiter,
        report: OrderReport = OrderReport(), at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects,
        _ message: (OrderID, [DeviceID]) -> ControllerMessage.Body
    ) {
        guard !nodes.isEmpty else { return effects.reply(kind.reply(report), to: waiter) }
        guard !isFull else { return effects.refuse(.busy(retryAfter: Self.timeout), to: waiter) }
        let id = OrderID(bits: generator.next())
        table.begin(id, of: kind, at: nodes, for: waiter, report: report)
        fleet.timers.set(.orderDue(id), at: now.monotonic.advanced(by: Self.timeout))
        for (node, devices) in nodes { fleet.send(message(id, devices), to: node, into: &effects) }
    }

    /// Records a node's confirmation of an order, and replies when all have confirmed it. Returns the devices
    /// of the node that have retired by it, in the order's order.
    mutating func confirmed(
        _ id: OrderID, devices: UInt32, _ remark: OrderRemark?, by node: NodeSlot
    ) -> [DeviceID] {
        table.answered(id, by: node, devices: devices, remark)
    }

    /// Adds the active faults of a node to a list; faults of devices that the node does not own are ignored.
    mutating func listed(_ id: OrderID, _ list: FaultList, by node: NodeSlot, in directory: Directory) {
        var list = list
        let account = directory.nodes[node].account
        list.faults.removeAll { fault in
            directory.device(fault.device, of: account).map { directory.devices[$0].node != node } ?? true
        }
        table.listed(id, by: node, list)
    }

    mutating func replyIfAnswered(_ id: OrderID, into effects: inout Effects) {
        if let (waiter, body) = table.endIfAnswered(id) { effects.reply(body, to: waiter) }
    }

    mutating func due(_ id: OrderID, into effects: inout Effects) {
        if let (waiter, body) = table.end(id) { effects.reply(body, to: waiter) }
    }

    // MARK: Retirements

    mutating func recordRetirement(at now: MonotonicTime, in fleet: inout Fleet) {
        if lastRetirement == nil {
            fleet.timers.set(.retirementsOver, at: now.advanced(by: Self.retirementPause))
        }
        lastRetirement = now
    }

    /// Stores the device lists once no device has retired for ``retirementPause``.
    mutating func retirementsDue(at now: MonotonicTime, in fleet: inout Fleet, into effects: inout Effects) {
        guard let last = lastRetirement else { return }
        let due = last.advanced(by: Self.retirementPause)
        guard due <= now else { return fleet.timers.set(.retirementsOver, at: due) }
        storeRetirements(in: &fleet, into: &effects)
    }

    /// Stores the device lists if devices have retired since they were stored.
    mutating func storeRetirements(in fleet: inout Fleet, into effects: inout Effects) {
        guard lastRetirement != nil else { return }
        lastRetirement = nil
        fleet.directory.storeShrunk(into: &effects)
    }
}

/// The orders of operators that some nodes have not answered.
struct OrderTable: Sendable {
    enum Kind: Sendable {
        /// Faults or a scenario, which only nodes have.
        case nodesAlone
        /// Devices that leave: they are removed when their node answers.
        case retirement
        case faultList

        func reply(_ report: OrderReport, _ faults: FaultList = FaultList()) -> ClientReply.Body {
            switch self {
            case .nodesAlone, .retirement: .carriedOut(report)
            case .faultList: .faults(faults)
            }
        }
    }

    private struct Pending: Sendable {
        let kind: Kind
        let waiter: Waiter
        /// Nodes that have not answered, each with the devices that the order named there.
        var unanswered: [NodeSlot: [DeviceID]]
        var report: OrderReport
        var faults = FaultList()
    }

    private var pending: [OrderID: Pending] = [:]

    var isFull: Bool { pending.count >= Limits.orders }

    /// Adds an order to nodes, with the results so far for devices of unreachable nodes.
    mutating func begin(
        _ id: OrderID, of kind: Kind, at nodes: [(NodeSlot, [DeviceID])], for waiter: Waiter,
        report: OrderReport
    ) {
        let unanswered = Dictionary(nodes, uniquingKeysWith: +)
        pending[id] = Pending(kind: kind, waiter: waiter, unanswered: unanswered, report: report)
    }

    /// Records a node's answer to an order. Returns the devices that have retired with the answer, in the
    /// order of the request.
    mutating func answered(
        _ id: OrderID, by node: NodeSlot, devices: UInt32, _ remark: OrderRemark?
    ) -> [DeviceID] {
        guard var order = pending[id], let named = order.unanswered.removeValue(forKey: node) else {
            return []
        }
        order.report.devices += devices
        switch remark {
        case .unreadable, .notLast: order.report.refusingNodes += 1
        case .populationUnchanged:
            order.report.nodes += 1
            order.report.unchangedPopulations += 1
        case nil: order.report.nodes += 1
        }
        pending[id] = order
        return order.kind == .retirement && remark == nil ? named : []
    }

    mutating func listed(_ id: OrderID, by node: NodeSlot, _ list: FaultList) {
        guard pending[id]?.unanswered.removeValue(forKey: node) != nil else { return }
        pending[id]?.faults.add(list)
    }

    /// Ends an order that every node has answered; returns the client that waits for the reply, and the
    /// reply.
    mutating func endIfAnswered(_ id: OrderID) -> (Waiter, ClientReply.Body)? {
        pending[id]?.unanswered.isEmpty == true ? end(id) : nil
    }

    /// Ends an order, with or without all answers; nil if it has ended.
    mutating func end(_ id: OrderID) -> (Waiter, ClientReply.Body)? {
        guard var order = pending.removeValue(forKey: id) else { return nil }
        let silentNodes = UInt32(order.unanswered.count)
        (order.report.silentNodes, order.faults.silentNodes) = (silentNodes, silentNodes)
        return (order.waiter, order.kind.reply(order.report, order.faults))
    }
}
