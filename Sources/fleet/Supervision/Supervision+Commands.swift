import FleetProtocol
import Stepping

/// Faults of the cloud: kept here, and told the gateway, which says when it goes by them.
extension Supervision {
    mutating func inject(
        _ fault: CloudFault, for time: Duration, _ ticket: UInt64, at now: MonotonicTime
    ) -> [Effect] {
        if let objection = isEnding ? "the fleet is ending" : cloud.objection(to: fault) {
            return [.answer(ticket, SupervisorReply(failure: objection))]
        }
        cloud.inject(fault, for: time, ticket: ticket, at: now)
        return [.wake(now.advanced(by: CloudFaultBook.patience))]
    }

    mutating func healCloud(_ ticket: UInt64, at now: MonotonicTime) -> [Effect] {
        guard !isEnding else { return [.answer(ticket, SupervisorReply(failure: "the fleet is ending"))] }
        guard cloud.heal(ticket: ticket, at: now) else {
            return [.answer(ticket, SupervisorReply(cloud: cloud.plan(at: now)))]
        }
        return [.wake(now.advanced(by: CloudFaultBook.patience))]
    }

    /// Answers a gateway's report, or holds the answer if neither side has anything new.
    mutating func hear(_ report: CloudReport, _ ticket: UInt64, at now: MonotonicTime) -> [Effect] {
        let heard = cloud.hear(report)
        let taken = answers(heard.answers, at: now)
        let news = cloud.news(for: report, at: now)
        guard news == nil, !heard.isNews, !isEnding else {
            return [.answer(ticket, SupervisorReply(cloud: news))] + taken
        }
        let (until, former) = cloud.listen(ticket, at: now)
        return (former.map { [.answer($0, SupervisorReply())] } ?? []) + taken + [.wake(until)]
    }

    /// Answers a gateway when its wait is over.
    mutating func releaseGateway(at now: MonotonicTime) -> [Effect] {
        cloud.release(at: now).map { [.answer($0.ticket, SupervisorReply(cloud: $0.plan))] } ?? []
    }

    /// Answers to those for whom no gateway has come in time.
    mutating func answerLate(at now: MonotonicTime) -> [Effect] {
        answers(cloud.late(at: now), at: now)
    }

    private func answers(_ answers: [CloudFaultBook.Answer], at now: MonotonicTime) -> [Effect] {
        answers.map { answer in
            .answer(
                answer.ticket,
                SupervisorReply(
                    failure: answer.isTaken
                        ? nil : "no gateway has heard of it yet; it holds as soon as one does",
                    cloud: cloud.plan(at: now), endedFaults: answer.ended))
        }
    }

    private var isEnding: Bool {
        switch phase {
        case .starting, .running: false
        case .ending, .ended: true
        }
    }
}

extension Supervision {
    /// What happens.
    enum Event: Equatable, Sendable {
        /// A process was started.
        case started(String, processID: Int32)
        /// A process ended, or could not be started; and whether it had begun to serve before.
        case ended(String, ProcessEnd, hasServed: Bool = false)
        /// Every device has come up.
        case becameReady
        /// The fleet did not get ready in time; why, in words.
        case wasLate(String)
        /// Somebody asks; the ticket goes back with the answer.
        case asked(SupervisorRequest, ticket: UInt64)
        /// What there is of the machine: told before somebody's wish for another size.
        case saw(MachineLimits)
        /// Whether nodes die by themselves in a scenario: told before somebody's wish for it.
        case read(hasCrashes: Bool)
        /// The fleet is to end.
        case endWanted
        /// A moment asked for has come.
        case timePassed
    }

    /// What is to be done.
    enum Effect: Equatable, Sendable {
        /// Start that process.
        case start(String)
        /// End that process: SIGTERM, and SIGKILL after ``SupervisionPolicy/grace``.
        case end(String)
        /// Tell me when that moment has come.
        case wake(MonotonicTime)
        /// Give that answer.
        case answer(UInt64, SupervisorReply)
        /// Tell whoever started the fleet that it is ready.
        case announce
        /// Tell people.
        case say(String)
    }

    /// Where the fleet stands.
    enum Phase: Equatable, Sendable {
        /// Not every device has been online yet: a death is a failure to start.
        case starting
        /// Ready.
        case running
        /// Those of that role are ending, and are waited for until that moment.
        case ending(ProcessRole, until: MonotonicTime)
        /// Nothing is left.
        case ended
    }

    /// Why a fleet did not get ready.
    struct Failure: Equatable, Sendable {
        /// The reason in words.
        let words: String
        /// Whose log tells more; nil when it is nobody's in particular.
        let process: String?
    }
}

/// A fleet that goes on with another scenario.
extension Supervision {
    mutating func read(hasCrashes: Bool) -> [Effect] {
        self.hasCrashes = hasCrashes
        return []
    }

    /// Nodes that run have heard of it from the controller, or soon will.
    mutating func change(
        to scenario: String, _ day: CloudDay, _ ticket: UInt64, at now: MonotonicTime
    ) -> [Effect] {
        guard phase == .starting || phase == .running else {
            return [answer(ticket, failure: "the fleet is ending")]
        }
        plan.change(to: scenario, hasCrashes: hasCrashes)
        cloud.begin(day, at: now)
        return [answer(ticket)]
    }
}

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

/// What `fleet status` shows of a fleet.
extension Supervision {
    /// The processes, in the order of their start.
    var rows: [FleetProcess] { processes.map(\.row) }

    /// What the fleet goes through, and since when.
    func summary(at now: MonotonicTime) -> FleetSummary {
        FleetSummary(scenario: plan.scenario, uptime: (startedAt ?? now).duration(to: now))
    }
}
