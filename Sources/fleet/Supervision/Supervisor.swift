import Bus
import FleetProtocol
import Runtime
import Stepping

/// Keeps a local fleet running, from its start until somebody ends it: the shell around ``Supervision``.
struct Supervisor: Sendable {
    /// Descriptors that a supervisor needs: its own, and those of its clients and its processes' output.
    private static let neededDescriptors = 256

    /// What is to run.
    let plan: FleetPlan
    /// Where.
    let directory: RunDirectory
    /// How it is shown.
    let display: FleetPlan.Display
    /// The world.
    let surroundings: Surroundings
    /// Told once every device has come up.
    let announce: @Sendable ([FleetProcess]) throws(CommandFailure) -> Void

    /// Runs the fleet, and returns when it has ended because somebody wanted it to.
    ///
    /// - Throws: `CommandFailure` when the machine is too small for it, a fleet runs there already or this
    ///   one did not get ready; `RuntimeError` or `BusError` when its directory or socket cannot be used.
    func run() async throws {
        try FleetNeeds(devices: plan.devices, nodes: plan.nodes).check(against: surroundings.limits())
        try directory.create(environment: surroundings.environment)
        let lock = try takeLock()
        try directory.forgetGateway()
        try directory.claim(seed: plan.seed)
        let secret = try directory.nodeSecret()
        let processes = processes(of: plan, with: secret)
        try Executables.check(processes)
        let logSizes = processes.reduce(into: [:]) { sizes, process in
            sizes[process.name] = FileTail.size(of: directory.logFile(of: process.name))
        }
        let rules = try await supervise(with: secret)
        try directory.removeSockets()
        try directory.forgetGateway()
        lock.close()
        if let failure = rules.failure { throw explained(failure, logSizes) }
    }

    private func processes(of plan: FleetPlan, with secret: NodeSecret) -> [ProcessPlan] {
        plan.processes(
            in: directory, binaries: surroundings.executableDirectory, supervisor: surroundings.processID,
            display: display, secret: secret)
    }

    private func takeLock() throws -> FileLock {
        do throws(RuntimeError) {
            return try FileLock(path: directory.lockFile(for: "supervisor"))
        } catch {
            guard case .locked(_, let holder) = error else { throw error }
            let who = holder.map { "supervisor pid \($0)" } ?? "its supervisor has not said its pid"
            throw CommandFailure(
                .refused, "a fleet is already running here (\(who))",
                advice: "`fleet status`, `fleet down`, or another --run-dir")
        }
    }

    /// Opens the socket, runs the rules to their end, and closes the socket again.
    private func supervise(with secret: NodeSecret) async throws -> Supervision {
        _ = try DescriptorLimit.raise(needing: Self.neededDescriptors)
        let log =
            display == .screen
            ? AppendedLog(path: directory.logFile(of: "supervisor"), process: "supervisor") : nil
        log?.append(
            SupervisorLogMark.text(of: surroundings.processID), isError: false, at: surroundings.now().wall)
        let endpoint = try directory.endpoint(.supervisor)
        return try await Loop.withThread(name: "supervisor") { loop in
            let (events, inbox) = AsyncStream.makeStream(of: Supervision.Event.self)
            let server = SupervisorServer(on: loop) { inbox.yield(.asked($0, ticket: $1)) }
            try await server.open(at: endpoint)
            let shell = SupervisionShell(
                processes: { processes(of: $0, with: secret) }, surroundings: surroundings,
                directory: directory, server: server, inbox: inbox, announce: announce, log: log)
            let probe = ReadinessProbe(plan: plan, directory: directory, surroundings: surroundings)
            let rules = Supervision(plan, isShown: display != .none)
            return await shell.run(rules, on: events) { await probe.run() }
        }
    }

    /// A failure to get ready, with the end of the log that tells most.
    ///
    /// - Parameter logSizes: By process, where this fleet's part of the log begins.
    private func explained(_ failure: Supervision.Failure, _ logSizes: [String: Int]) -> CommandFailure {
        let process = failure.process ?? "controller"
        let file = directory.logFile(of: process)
        let tail = FileTail.lines(of: file, from: logSizes[process, default: 0])
        let log = tail.isEmpty ? "  (its log is empty)" : tail.map { "  | \($0)" }.joined(separator: "\n")
        return CommandFailure(
            .absent, "the fleet did not get ready, and was ended: \(failure.words)\n\(log)",
            advice: "all of it is in \(file)")
    }
}
