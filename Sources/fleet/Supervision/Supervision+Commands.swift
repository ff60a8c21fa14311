import FleetProtocol

/// Cloud faults: the supervisor stores them, and the gateway reports which revision of them it applies.
extension Supervision {
    mutating func inject(
        _ fault: CloudFault, for time: Duration, _ ticket: UInt64, at now: MonotonicTime
    ) -> [Effect] {
        if let objection = isStopping ? "the fleet is ending" : cloud.objection(to: fault) {
            return [.answer(ticket, SupervisorReply(failure: objection))]
        }
        cloud.inject(fault, for: time, ticket: ticket, at: now)
        return [.wake(now.advanced(by: CloudFaultTable.timeout))]
    }

    mutating func healCloud(_ ticket: UInt64, at now: MonotonicTime) -> [Effect] {
        guard !isStopping else { return [.answer(ticket, SupervisorReply(failure: "the fleet is ending"))] }
        guard cloud.heal(ticket: ticket, at: now) else {
            return [.answer(ticket, SupervisorReply(cloud: cloud.plan(at: now)))]
        }
        return [.wake(now.advanced(by: CloudFaultTable.timeout))]
    }

    /// Answers a gateway's report, or holds the answer until the plan changes if neither side has news.
    mutating func receive(_ report: CloudReport, _ ticket: UInt64, at now: MonotonicTime) -> [Effect] {
        let received = cloud.receive(report)
        let applied = answers(received.answers, at: now)
        let newPlan = cloud.newPlan(for: report, at: now)
        guard newPlan == nil, !received.hasNewCounts, !isStopping else {
            return [.answer(ticket, SupervisorReply(cloud: newPlan))] + applied
        }
        let (until, former) = cloud.listen(ticket, at: now)
        return (former.map { [.answer($0, SupervisorReply())] } ?? []) + applied + [.wake(until)]
    }

    /// Answers a held report of a gateway once the hold has expired or the plan has changed.
    mutating func releaseGateway(at now: MonotonicTime) -> [Effect] {
        cloud.release(at: now).map { [.answer($0.ticket, SupervisorReply(cloud: $0.plan))] } ?? []
    }

    /// Answers requests that no gateway has applied within ``CloudFaultTable/timeout``.
    mutating func answerLate(at now: MonotonicTime) -> [Effect] { answers(cloud.late(at: now), at: now) }

    private func answers(_ answers: [CloudFaultTable.Reply], at now: MonotonicTime) -> [Effect] {
        answers.map { answer in
            .answer(
                answer.ticket,
                SupervisorReply(
                    failure: answer.isApplied
                        ? nil : "no gateway has applied it yet; the next one does",
                    cloud: cloud.plan(at: now), endedFaults: answer.ended))
        }
    }

    private var isStopping: Bool {
        switch phase {
        case .starting, .running: false
        case .stopping, .ended: true
        }
    }
}

extension Supervision {
    enum Event: Equatable, Sendable {
        case started(String, processID: Int32)
        /// A process ended or could not be started; `hasServed` is true if it served before its end.
        case ended(String, ProcessEnd, hasServed: Bool = false)
        case built(ProcessEnd)
        case becameReady
        /// The fleet was not ready before the deadline; the reason.
        case wasLate(String)
        /// A request to the supervisor; the reply carries the same ticket.
        case asked(SupervisorRequest, ticket: UInt64)
        /// The machine's current limits; precedes each request to scale the fleet.
        case saw(MachineLimits)
        /// Whether a scenario has node crashes; precedes each request to change the scenario.
        case read(hasCrashes: Bool)
        /// A stop signal arrived, or the announcement failed: the fleet must end.
        case endWanted
        case timePassed
    }

    /// An action that the rules request of the shell.
    enum Effect: Equatable, Sendable {
        case start(String)
        case build(String)
        /// End that process: SIGTERM, and SIGKILL after ``SupervisionPolicy/grace``.
        case end(String)
        case wake(MonotonicTime)
        /// Send that reply to the request with that ticket.
        case answer(UInt64, SupervisorReply)
        case announce
        /// Print a message for the operator, or only log it while an observer draws on the terminal.
        case notify(String)
    }

    enum Phase: Equatable, Sendable {
        /// Not every device has come up yet: the death of a process fails the start.
        case starting
        case running
        /// Processes of that role are ending; the next role follows after them, or at that time.
        case stopping(ProcessRole, until: MonotonicTime)
        case ended
    }

    struct Failure: Equatable, Sendable {
        let text: String
        /// The process whose log explains the failure; nil if no single process caused it.
        let process: String?
    }

    mutating func read(hasCrashes: Bool) -> [Effect] {
        self.hasCrashes = hasCrashes
        return []
    }

    /// Stores the scenario for nodes that start later; running nodes receive it from the controller.
    mutating func change(
        to scenario: String, _ day: CloudDay, beganAt: WallTime?, _ ticket: UInt64, at now: MonotonicTime
    ) -> [Effect] {
        guard phase == .starting || phase == .running else {
            return [answer(ticket, failure: "the fleet is ending")]
        }
        plan.change(to: scenario, hasCrashes: hasCrashes, dayBeganAt: beganAt)
        cloud.begin(day, beganAt: beganAt, at: now)
        return [answer(ticket)]
    }

    var rows: [FleetProcess] { processes.map(\.row) }

    /// The scenario, and the time since the fleet began.
    func summary(at now: MonotonicTime) -> FleetSummary {
        FleetSummary(scenario: plan.scenario, uptime: (startedAt ?? now).duration(to: now))
    }
}

/// Scaling a running fleet. Growth starts one more node, so that running nodes are not disturbed. Shrinking
/// changes the plan first, so that a node that restarts does not bring retired devices back. The client then
/// retires the devices, and sends `trim` to end the nodes that host none.
extension Supervision {
    /// The numbers of devices and nodes in the plan, and of devices that nodes may still host.
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

    /// Returns why the fleet cannot be scaled to a number of devices; nil when it can.
    private func objection(to devices: Int) -> String? {
        guard phase == .running else {
            return phase == .starting ? "the fleet is not ready yet" : "the fleet is ending"
        }
        guard (1...FleetPlan.deviceLimit).contains(devices) else {
            return "1 to \(FleetPlan.deviceLimit) devices are possible"
        }
        guard devices > plan.devices else { return nil }
        guard hosted == plan.devices else {
            return "devices are still leaving: `fleet scale \(plan.devices)` completes that"
        }
        guard plan.nodes < FleetPlan.nodeLimit else {
            return
                "each growth adds a node, and there are \(plan.nodes) already: `fleet down`, then `fleet up`"
        }
        do throws(CommandFailure) {
            try FleetNeeds(growth: devices - plan.devices, nodes: plan.nodes + 1).check(against: machine)
            return nil
        } catch {
            return "\(error.problem): \(error.advice)"
        }
    }

    /// Starts a node for the additional devices; the reply follows when the node runs.
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

    /// Ends nodes that host no device of the plan; the reply follows when they have ended.
    mutating func trim(_ ticket: UInt64) -> [Effect] {
        guard phase == .running else { return [answer(ticket, failure: "the fleet is not running")] }
        hosted = plan.devices
        var effects: [Effect] = []
        for index in processes.indices where processes[index].isSurplus && processes[index].stop() {
            effects.append(.end(processes[index].name))
        }
        trimTickets.append(ticket)
        return effects + answerTrimmed()
    }

    /// Removes a surplus node that has ended, and fails the requests that wait for it.
    mutating func surplusEnded(_ index: Int) -> [Effect] {
        let name = processes[index].name
        let waiting = processes[index].tickets + processes[index].sizeTickets
        let answers = waiting.map { answer($0, failure: "\(name) is ending: its devices leave") }
        processes.remove(at: index)
        return answers + answerTrimmed()
    }

    private mutating func answerTrimmed() -> [Effect] {
        guard !processes.contains(where: \.isSurplus) else { return [] }
        defer { trimTickets = [] }
        return trimTickets.map { answer($0, size: size) }
    }
}

/// The start of the fleet, and of a gateway that is built while the fleet runs.
extension Supervision {
    /// Returns the first effects: every process starts, except the observer and a gateway to be built.
    mutating func begin() -> [Effect] {
        let isBuilt = plan.gateway?.build == nil
        return start(where: { $0.role != .observer && (isBuilt || $0.role != .gateway) })
            + (isBuilt ? [] : processes.indices.filter { processes[$0].role == .gateway }.map { build($0) })
    }

    private mutating func build(_ index: Int) -> Effect {
        processes[index].runState = .building
        return .build(processes[index].name)
    }

    /// Starts the gateway after its build; after a failed one it starts on request.
    mutating func built(_ end: ProcessEnd) -> [Effect] {
        guard let index = processes.firstIndex(where: { $0.runState == .building }) else { return [] }
        let name = processes[index].name
        if end == .exited(0) { return [start(index)] }
        processes[index].runState = .dead
        processes[index].lastEnd = end
        return [.notify("\(name) was not built, its build \(end.text): see `fleet logs \(name)`")]
    }
}
