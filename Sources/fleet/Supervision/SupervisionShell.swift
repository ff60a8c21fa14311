import FleetProtocol
import ProcessSupport
import Synchronization
import UnixSignals
import UserFiles
import UserText

struct SupervisionShell: Sendable {
    let processes: @Sendable (FleetPlan) -> [ProcessPlan]
    let surroundings: Surroundings
    /// The run directory, in which processes record that they serve.
    let directory: RunDirectory
    let server: SupervisorServer
    let inbox: AsyncStream<Supervision.Event>.Continuation
    let announce: @Sendable ([FleetProcess]) throws(CommandFailure) -> Void
    /// The log whose messages the observer shows while it draws on the terminal; nil for a fleet without one.
    var log: AppendedLog?

    /// For each running process, the stream whose end stops it.
    private typealias Orders = [String: AsyncStream<Never>.Continuation]

    /// Runs the rules until every process has ended, and returns them in their final state. The probe returns
    /// the result of the start; nil if its task was cancelled.
    func run(
        _ start: Supervision, on events: AsyncStream<Supervision.Event>,
        probe: @escaping @Sendable () async -> Supervision.Event?
    ) async -> Supervision {
        var rules = start
        let signals = await surroundings.stopSignals()
        // Discarding, because a fleet that runs for weeks keeps starting tasks.
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await _ in signals { inbox.yield(.endWanted) }
            }
            group.addTask {
                if let event = await probe() { inbox.yield(event) }
            }
            var orders: Orders = [:]
            for effect in rules.begin() { await perform(effect, rules, &orders, in: &group) }
            for await event in events {
                let now = surroundings.now().monotonic
                var effects = briefings(for: event, rules).flatMap { rules.step($0, at: now) }
                effects += rules.step(event, at: now)
                for effect in effects { await perform(effect, rules, &orders, in: &group) }
                if rules.hasEnded { break }
            }
            group.cancelAll()
        }
        return rules
    }

    /// Returns the events with facts that the rules need before an event.
    private func briefings(for event: Supervision.Event, _ rules: Supervision) -> [Supervision.Event] {
        guard case .asked(let request, _) = event else { return [] }
        if case .scale = request { return [.saw(surroundings.limits())] }
        if case .scenario(let name, _, _) = request { return [.read(hasCrashes: hasCrashes(name, rules))] }
        return []
    }

    /// Returns whether a scenario crashes nodes; false for a file that cannot be read.
    private func hasCrashes(_ scenario: String, _ rules: Supervision) -> Bool {
        do {
            return try ScenarioChoice(scenario).hasCrashes
        } catch {
            notify("cannot read the scenario \(SafeText.of(scenario)): \(error)", rules)
            return false
        }
    }

    private func perform(
        _ effect: Supervision.Effect, _ rules: Supervision, _ orders: inout Orders,
        in group: inout DiscardingTaskGroup
    ) async {
        switch effect {
        case .start(let name): start(name, of: rules.plan, &orders, in: &group)
        case .build(let name):
            notify("the page opens when the gateway is built: `fleet logs \(name) -f` shows its build", rules)
            build(name, of: rules.plan, &orders, in: &group)
        case .end(let name): orders.removeValue(forKey: name)?.finish()
        case .wake(let moment):
            let delay = surroundings.now().monotonic.duration(to: moment)
            group.addTask { await wake(after: delay) }
        case .answer(let ticket, let reply): await server.answer(ticket, with: reply)
        case .announce: announceReadiness(of: rules)
        case .notify(let text): notify(text, rules)
        }
    }

    /// Prints a message for people, or only logs it while an observer draws on the terminal.
    private func notify(_ text: String, _ rules: Supervision) {
        log?.append(text, isError: true, at: surroundings.now().wall)
        if log == nil || !rules.hasObserver { surroundings.notify("fleet: \(text)") }
    }

    private func start(
        _ name: String, of plan: FleetPlan, _ orders: inout Orders, in group: inout DiscardingTaskGroup
    ) {
        guard let plan = processes(plan).first(where: { $0.name == name }) else {
            preconditionFailure("the rules start process \(name), which has no plan")
        }
        guard directory.isPresent else {
            // The process would open the directory that is now at the path, or create one.
            inbox.yield(.endWanted)
            let end = ProcessEnd.neverStarted("the run directory was moved, replaced or removed")
            inbox.yield(.ended(name, end, hasServed: false))
            return
        }
        let (stream, order) = AsyncStream.makeStream(of: Never.self)
        orders[name] = order
        group.addTask {
            let started = Mutex<Int32?>(nil)
            let end = await ProcessRunner(plan: plan).run(until: stream) { processID in
                started.withLock { $0 = processID }
                inbox.yield(.started(name, processID: processID))
            }
            let hasServed = started.withLock { $0 }.map { directory.hasServed(name, as: $0) } ?? false
            inbox.yield(.ended(name, end, hasServed: hasServed))
        }
    }

    private func build(
        _ name: String, of plan: FleetPlan, _ orders: inout Orders, in group: inout DiscardingTaskGroup
    ) {
        guard let command = plan.gateway?.build else { preconditionFailure("\(name) has a build command") }
        let (stream, order) = AsyncStream.makeStream(of: Never.self)
        orders[name] = order
        let runner = ProcessRunner(
            plan: ProcessPlan(
                name: name, role: .gateway, executable: "/bin/sh", arguments: ["-c", command],
                stdio: .log(file: directory.logFile(of: name))),
            grace: SupervisionPolicy.buildGrace)
        group.addTask {
            let end = await runner.run(until: stream) { _ in }
            inbox.yield(.built(end))
            if end == .exited(0) { await announceLatePage(of: plan) }
        }
    }

    /// Prints or logs the address of the page once a gateway that was built first listens.
    private func announceLatePage(of plan: FleetPlan) async {
        let deadline = surroundings.now().monotonic.advanced(by: SupervisionPolicy.gatewayStart)
        while FleetGateway.url(in: directory) == nil, surroundings.now().monotonic < deadline {
            do {
                try await surroundings.pause(.milliseconds(100))
            } catch {
                return  // The fleet has ended.
            }
        }
        if log == nil { FleetGateway.notify(plan.gateway?.port, from: directory, in: surroundings) }
        logPage()
    }

    private func wake(after delay: Duration) async {
        do {
            try await surroundings.pause(delay)
        } catch {
            return  // The fleet has ended, so no wake-up is needed.
        }
        inbox.yield(.timePassed)
    }

    private func announceReadiness(of rules: Supervision) {
        do {
            try announce(rules.rows)
            logPage()
        } catch {
            surroundings.notify("fleet: \(error)")
            inbox.yield(.endWanted)
        }
    }

    /// Logs the address of the page, because the observer covers announcements. The password stays out of
    /// logs.
    private func logPage() {
        guard let page = FleetGateway.url(in: directory) else { return }
        log?.append(
            "page at \(page), log in as \(directory.demo.email): ? shows the password", isError: false,
            at: surroundings.now().wall)
    }
}

enum SupervisionPolicy {
    /// The delay before the restart of a process that died before it served; it doubles with each such death.
    /// Also the shortest time between two starts.
    static let firstDelay: Duration = .milliseconds(100)
    static let longestDelay: Duration = .seconds(2)
    /// A run of this length resets the delay to ``firstDelay``, however it ended.
    static let steadyRun: Duration = .seconds(10)
    static let grace: Duration = .seconds(2)
    /// The time from SIGTERM to SIGKILL of a build, which has nothing to store.
    static let buildGrace: Duration = .seconds(1)
    /// The time after which a gateway that was built first is expected to listen.
    static let gatewayStart: Duration = .seconds(30)
    /// How long the next role waits for the observer, the gateway and the nodes at the end of the fleet.
    /// Processes that hang are not waited for longer: with ``grace``, all processes have ended within 3 s.
    static let headStarts: [ProcessRole: Duration] = [
        .observer: .milliseconds(300), .gateway: .milliseconds(300), .node: .milliseconds(600),
        .controller: grace,
    ]
}
