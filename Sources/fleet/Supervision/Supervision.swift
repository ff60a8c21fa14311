import FleetProtocol
import UserText

/// The rules that keep a local fleet running: they receive events and requests, and return effects.
///
/// A controller or gateway that dies is restarted, and so is a node if the scenario crashes nodes or
/// `--restart-nodes` is set: at once if a signal ended it while it served, and otherwise after 100 ms,
/// doubling to 2 s. A stop ends the processes in order: observer, gateway, nodes, controller.
struct Supervision: Sendable {
    var plan: FleetPlan
    /// Devices that nodes may still host: more than the plan's until the last have been retired.
    var hosted: Int
    /// Tickets of requests that wait until nodes without devices have ended.
    var trimTickets: [UInt64] = []
    /// The machine's limits at the last request to scale the fleet.
    var machine = MachineLimits()
    /// Whether the scenario of the last request crashes nodes.
    var hasCrashes = false
    var cloud: CloudFaultTable
    private(set) var startedAt: MonotonicTime?
    var processes: [SupervisedProcess]
    private(set) var phase = Phase.starting
    /// Why the fleet did not get ready; nil without a failure.
    private(set) var failure: Failure?

    /// The rules for the processes of a plan, which include an observer if `isShown`.
    init(_ plan: FleetPlan, isShown: Bool) {
        self.plan = plan
        hosted = plan.devices
        cloud = CloudFaultTable(seed: plan.seed, day: plan.cloudDay, beganAt: plan.dayBeganAt)
        let nodes = plan.shares.map { SupervisedProcess(name: $0.name, role: .node) }
        processes = [SupervisedProcess(name: "controller", role: .controller)] + nodes
        if plan.gateway != nil { processes.append(SupervisedProcess(name: "gateway", role: .gateway)) }
        if isShown { processes.append(SupervisedProcess(name: "observer", role: .observer)) }
    }

    var hasEnded: Bool { phase == .ended }

    /// Whether an observer runs, which then draws on the terminal.
    var hasObserver: Bool { processes.contains { $0.role == .observer && $0.isAlive } }

    mutating func step(_ event: Event, at now: MonotonicTime) -> [Effect] {
        startedAt = startedAt ?? now
        cloud.pass(to: now)
        return effects(of: event, at: now) + releaseGateway(at: now)
    }

    private mutating func effects(of event: Event, at now: MonotonicTime) -> [Effect] {
        switch event {
        case .saw(let machine): saw(machine)
        case .read(let hasCrashes): read(hasCrashes: hasCrashes)
        case .started(let name, let processID): started(name, processID, at: now)
        case .ended(let name, let end, let hasServed): ended(name, end, hasServed: hasServed, at: now)
        case .built(let end): built(end)
        case .becameReady: becameReady()
        case .wasLate(let reason): fail(Failure(text: reason, process: nil), at: now)
        case .asked(let request, let ticket): asked(request, ticket, at: now)
        case .endWanted: beginEnd(at: now)
        case .timePassed: timePassed(at: now)
        }
    }

    private mutating func becameReady() -> [Effect] {
        guard phase == .starting else { return [] }
        phase = .running
        return [.announce] + start(where: { $0.role == .observer })
    }

    private mutating func fail(_ failure: Failure, at now: MonotonicTime) -> [Effect] {
        guard phase == .starting else { return [] }
        self.failure = failure
        return beginEnd(at: now)
    }

    mutating func start(where isMeant: (SupervisedProcess) -> Bool) -> [Effect] {
        var effects: [Effect] = []
        for index in processes.indices where processes[index].runState == .idle && isMeant(processes[index]) {
            effects.append(start(index))
        }
        return effects
    }

    mutating func start(_ index: Int) -> Effect {
        processes[index].runState = .starting
        return .start(processes[index].name)
    }

    private mutating func startAgain(_ index: Int) -> Effect {
        processes[index].restarts += 1
        return start(index)
    }

    private func index(of name: String) -> Int {
        guard let index = processes.firstIndex(where: { $0.name == name }) else {
            preconditionFailure("an event of process \(name), which is not supervised")
        }
        return index
    }
}

// Start and death of processes.
extension Supervision {
    private mutating func started(_ name: String, _ processID: Int32, at now: MonotonicTime) -> [Effect] {
        let index = index(of: name)
        switch processes[index].runState {
        case .starting:
            processes[index].runState = .running(processID: processID, since: now)
            return answerWaiting(index, failure: nil)
        case .stopping(_, let thenStart):
            processes[index].runState = .stopping(processID: processID, thenStart: thenStart)
            return []
        case .idle, .building, .running, .waiting, .dead, .stopped:
            preconditionFailure("process \(name) started while \(processes[index].runState)")
        }
    }

    private mutating func ended(
        _ name: String, _ end: ProcessEnd, hasServed: Bool, at now: MonotonicTime
    ) -> [Effect] {
        let index = index(of: name)
        let runState = processes[index].runState
        processes[index].lastEnd = end
        if case .stopping(let role, let until) = phase {
            processes[index].runState = .stopped
            return advanceEnd(from: role, until: until, at: now)
        }
        if processes[index].isSurplus { return surplusEnded(index) }
        if case .stopping(_, thenStart: true) = runState { return [startAgain(index)] }
        return died(index, end, hasServed: hasServed, after: runState, at: now)
    }

    private mutating func died(
        _ index: Int, _ end: ProcessEnd, hasServed: Bool, after runState: SupervisedProcess.RunState,
        at now: MonotonicTime
    ) -> [Effect] {
        let process = processes[index]
        processes[index].runState = .dead
        let answers = answerWaiting(index, failure: "\(process.name) \(end.text)")
        switch process.role {
        case .observer where end.isUserDecision:
            let text = "observer \(end.text): stopping the fleet"
            return answers + (end == .exited(0) ? [] : [.notify(text)]) + beginEnd(at: now)
        case .controller, .node, .gateway:
            if phase == .starting {
                let text = "\(process.name) \(end.text) before the fleet was ready"
                return answers + fail(Failure(text: text, process: process.name), at: now)
            }
            if process.role == .node && !plan.restartsNodes {
                let advice = "restart it with `fleet restart \(process.name)`"
                return answers + [.notify("\(process.name) \(end.text); its devices are offline: \(advice)")]
            }
            return answers + scheduleRestart(index, end, hasServed: hasServed, after: runState, at: now)
        case .observer:
            return answers + scheduleRestart(index, end, hasServed: hasServed, after: runState, at: now)
        }
    }

    private mutating func scheduleRestart(
        _ index: Int, _ end: ProcessEnd, hasServed: Bool, after runState: SupervisedProcess.RunState,
        at now: MonotonicTime
    ) -> [Effect] {
        let delay = processes[index].restartDelay(
            after: end, hasServed: hasServed, lived: runState.length(until: now))
        processes[index].runState = .waiting(until: now.advanced(by: delay))
        let text =
            "\(processes[index].name) \(end.text); restarting it in \(delay.wholeMilliseconds) ms"
        return [.notify(text), .wake(now.advanced(by: delay))]
    }

    private mutating func timePassed(at now: MonotonicTime) -> [Effect] {
        if case .stopping(let role, let until) = phase {
            return advanceEnd(from: role, until: until, at: now)
        }
        var effects = answerLate(at: now)
        for index in processes.indices {
            guard case .waiting(let until) = processes[index].runState, until <= now else { continue }
            effects.append(startAgain(index))
        }
        return effects
    }
}

// Requests.
extension Supervision {
    private mutating func asked(
        _ request: SupervisorRequest, _ ticket: UInt64, at now: MonotonicTime
    ) -> [Effect] {
        switch request {
        case .processes: [.answer(ticket, SupervisorReply(processes: rows, fleet: summary(at: now)))]
        case .restart(let name): restart(name, ticket)
        case .endFleet: [answer(ticket)] + beginEnd(at: now)
        case .reset: [answer(ticket, failure: "only a test server can begin again while it runs")]
        case .scenario(let scenario, let day, let beganAt):
            change(to: scenario, day, beganAt: beganAt, ticket, at: now)
        case .scale(let devices): scale(to: Int(devices), ticket)
        case .trim: trim(ticket)
        case .injectCloud(let fault, let time): inject(fault, for: time, ticket, at: now)
        case .healCloud: healCloud(ticket, at: now)
        case .cloud: [.answer(ticket, SupervisorReply(cloud: cloud.plan(at: now)))]
        case .cloudReport(let report): receive(report, ticket, at: now)
        }
    }

    private mutating func restart(_ name: String, _ ticket: UInt64) -> [Effect] {
        guard phase == .starting || phase == .running else {
            return [answer(ticket, failure: "the fleet is ending")]
        }
        guard let index = processes.firstIndex(where: { $0.name == name }) else {
            let names = processes.map(\.name).joined(separator: ", ")
            return [answer(ticket, failure: "no process \"\(SafeText.of(name))\"; processes: \(names)")]
        }
        guard processes[index].runState != .idle else {
            return [answer(ticket, failure: "\(name) starts when the fleet is ready")]
        }
        guard processes[index].runState != .building else {
            return [answer(ticket, failure: "\(name) starts when it is built")]
        }
        guard !processes[index].isSurplus else {
            return [answer(ticket, failure: "\(name) is ending: its devices leave the fleet")]
        }
        processes[index].tickets.append(ticket)
        switch processes[index].runState {
        case .running(let processID, _):
            processes[index].runState = .stopping(processID: processID, thenStart: true)
            return [.end(name)]
        case .waiting, .dead, .stopped: return [startAgain(index)]
        case .starting, .stopping, .idle, .building: return []
        }
    }

    func answer(_ ticket: UInt64, failure: String? = nil, size: FleetSize? = nil) -> Effect {
        .answer(ticket, SupervisorReply(failure: failure, processes: rows, size: size))
    }

    private mutating func answerWaiting(_ index: Int, failure: String?) -> [Effect] {
        defer {
            processes[index].tickets = []
            processes[index].sizeTickets = []
        }
        return processes[index].tickets.map { answer($0, failure: failure) }
            + processes[index].sizeTickets.map { answer($0, failure: failure, size: size) }
    }
}

// The end of the fleet.
extension Supervision {
    private mutating func beginEnd(at now: MonotonicTime) -> [Effect] {
        guard phase == .starting || phase == .running else { return [] }
        var effects = trimTickets.map { answer($0, failure: "the fleet is ending") }
        trimTickets = []
        for index in processes.indices {
            effects += answerWaiting(index, failure: "the fleet is ending")
            if processes[index].runState == .building { effects.append(.end(processes[index].name)) }
            if !processes[index].isAlive { processes[index].runState = .stopped }
        }
        return effects + end(.observer, at: now)
    }

    /// Ends the processes of a role, and those of the next roles while there is none to wait for.
    private mutating func end(_ role: ProcessRole, at now: MonotonicTime) -> [Effect] {
        let until = now.advanced(by: SupervisionPolicy.headStarts[role] ?? .zero)
        phase = .stopping(role, until: until)
        var effects: [Effect] = []
        for index in processes.indices where processes[index].role == role && processes[index].stop() {
            effects.append(.end(processes[index].name))
        }
        let followUp = advanceEnd(from: role, until: until, at: now)
        return effects + (followUp.isEmpty && !hasEnded ? [.wake(until)] : followUp)
    }

    private mutating func advanceEnd(
        from role: ProcessRole, until: MonotonicTime, at now: MonotonicTime
    ) -> [Effect] {
        if !processes.contains(where: \.isAlive) {
            phase = .ended
            return []
        }
        let isWaitedFor = processes.contains { $0.role == role && $0.isAlive }
        if isWaitedFor && now < until { return [] }
        guard let next = ProcessRole.allCases.first(where: { $0 > role }) else { return [] }
        return end(next, at: now)
    }
}
