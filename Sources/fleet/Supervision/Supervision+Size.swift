import FleetProtocol

/// A fleet that becomes larger or smaller while it runs.
///
/// For more devices there is one more node, so that those that run are not disturbed. For fewer the plan
/// changes first: a node that dies meanwhile does not bring devices back that are to leave. Whoever asked
/// retires them then, and asks for the nodes to end that host none.
extension Supervision {
    /// How large the fleet is.
    var size: FleetSize {
        FleetSize(
            seed: plan.seed, devices: UInt32(plan.devices), hosted: UInt32(hosted), nodes: UInt32(plan.nodes))
    }

    mutating func saw(_ machine: MachineLimits) -> [Effect] {
        self.machine = machine
        return []
    }

    mutating func scale(to devices: Int, _ ticket: UInt64) -> [Effect] {
        if let objection = objection(to: devices) { return [answer(ticket, failure: objection)] }
        guard devices <= plan.devices else { return grow(to: devices, ticket) }
        plan.scale(to: devices)
        let names = plan.shares.map(\.name)
        for index in processes.indices where processes[index].role == .node {
            processes[index].isSurplus = !names.contains(processes[index].name)
        }
        processes.removeAll { $0.isSurplus && !$0.isAlive }
        return [answer(ticket, size: size)]
    }

    /// Why a fleet cannot have so many devices now; nil when it can.
    private func objection(to devices: Int) -> String? {
        guard phase == .running else {
            return phase == .starting ? "the fleet is not ready yet" : "the fleet is ending"
        }
        guard (1...FleetPlan.deviceLimit).contains(devices) else {
            return "there can be 1 to \(FleetPlan.deviceLimit) devices"
        }
        guard devices > plan.devices else { return nil }
        guard hosted == plan.devices else {
            return "devices are still leaving: `fleet scale \(plan.devices)` brings that to its end"
        }
        guard plan.nodes < FleetPlan.nodeLimit else {
            return
                "each growth takes a node, and there are \(plan.nodes) already: `fleet down`, then `fleet up`"
        }
        do throws(CommandFailure) {
            try FleetNeeds(growth: devices - plan.devices, nodes: plan.nodes + 1).check(against: machine)
            return nil
        } catch {
            return "\(error.problem): \(error.advice)"
        }
    }

    /// Starts a node for what is new; the answer comes when it runs.
    private mutating func grow(to devices: Int, _ ticket: UInt64) -> [Effect] {
        plan.scale(to: devices)
        hosted = plan.devices
        guard let share = plan.shares.last else { preconditionFailure("a fleet has a node") }
        var node = SupervisedProcess(name: share.name, role: .node)
        node.sizeTickets = [ticket]
        let place = processes.lastIndex { $0.role != .observer }.map { $0 + 1 } ?? processes.endIndex
        processes.insert(node, at: place)
        return [start(place)]
    }

    /// Ends nodes that host no device of the plan; the answer comes when they have ended.
    mutating func trim(_ ticket: UInt64) -> [Effect] {
        guard phase == .running else { return [answer(ticket, failure: "the fleet is not running")] }
        hosted = plan.devices
        var effects: [Effect] = []
        for index in processes.indices where processes[index].isSurplus {
            switch processes[index].life {
            case .running(let processID, _):
                processes[index].life = .ending(processID: processID, thenStart: false)
                effects.append(.end(processes[index].name))
            case .starting:
                processes[index].life = .ending(processID: nil, thenStart: false)
                effects.append(.end(processes[index].name))
            case .ending, .idle, .waiting, .dead, .stopped: break
            }
        }
        trimTickets.append(ticket)
        return effects + answerTrimmed()
    }

    /// A node that has no devices any more is forgotten.
    mutating func surplusEnded(_ index: Int) -> [Effect] {
        let name = processes[index].name
        let waiting = processes[index].tickets + processes[index].sizeTickets
        let answers = waiting.map { answer($0, failure: "\(name) ends, for its devices leave") }
        processes.remove(at: index)
        return answers + answerTrimmed()
    }

    private mutating func answerTrimmed() -> [Effect] {
        guard !processes.contains(where: \.isSurplus) else { return [] }
        defer { trimTickets = [] }
        return trimTickets.map { answer($0, size: size) }
    }
}
