import Bus
import FleetClient
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

/// The socket at which a supervisor is asked.
///
/// Everything it has is the loop's thread's. A request gets a ticket, which goes to the rules and comes back
/// with the answer.
actor SupervisorServer {
    /// Requests that may wait for their answers; another one is refused at once.
    private static let ticketLimit = 64
    /// Messages taken in one turn of the loop.
    private static let messagesPerTurn = 64

    /// What those who ask may take of the supervisor: each asks little, and reads the answer.
    private static let bounds = {
        var bounds = ConnectionBounds(connections: connectionLimit)
        (bounds.unreadBytes, bounds.allUnreadBytes) = (4 << 20, 16 << 20)
        return bounds
    }()
    /// Connections at a time.
    private static let connectionLimit = 128
    /// How often it looks whether a flood is over.
    private static let lookInterval = Duration.seconds(1)

    private let loop: Loop
    private let onRequest: @Sendable (SupervisorRequest, _ ticket: UInt64) -> Void
    private var socket: Socket?
    private var waiting: [UInt64: RoutingID] = [:]
    private var lastTicket: UInt64 = 0
    private var lostConnections = LostConnections()

    /// A server on a started loop, not yet open.
    init(on loop: Loop, onRequest: @escaping @Sendable (SupervisorRequest, UInt64) -> Void) {
        self.loop = loop
        self.onRequest = onRequest
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Begins to take requests.
    ///
    /// - Precondition: It is not open.
    func open(at endpoint: Endpoint) throws(BusError) {
        precondition(socket == nil, "the supervisor's socket is open already")
        var options = SocketOptions.defaults(for: .router)
        options.bounds = Self.bounds
        let socket = try Socket(.router, context: loop.context, options: options)
        try socket.bind(endpoint)
        loop.register(socket) { self.assumeIsolated { $0.drain() } }
        self.socket = socket
        look()
    }

    /// Gives memory back after a flood, and looks again later.
    private func look() {
        guard let socket else { return }
        _ = lostConnections.count(over: [socket])
        if lostConnections.wereLongAgo(at: SystemClock().now().monotonic) { Allocator.giveBack() }
        _ = loop.schedule(after: Self.lookInterval) { self.assumeIsolated { $0.look() } }
    }

    /// Gives the answer to a request; nothing if whoever asked has gone.
    func answer(_ ticket: UInt64, with reply: SupervisorReply) {
        guard let peer = waiting.removeValue(forKey: ticket) else { return }
        send(reply, to: peer)
    }

    private func drain() {
        guard let socket else { return }
        var frames = Frames()
        do {
            for _ in 0..<Self.messagesPerTurn {
                guard try socket.receive(into: &frames) else { return }
                take(frames)
            }
        } catch {
            preconditionFailure("the supervisor's socket fails on its own thread: \(error)")
        }
    }

    /// Takes a peer's id, the empty delimiter and a request; drops what has another shape.
    private func take(_ frames: borrowing Frames) {
        guard frames.count == 3, frames.byteCount(at: 1) == 0, let peer = frames.routingID(at: 0) else {
            return
        }
        guard waiting.count < Self.ticketLimit else {
            return send(SupervisorReply(failure: "busy: \(Self.ticketLimit) requests wait already"), to: peer)
        }
        do {
            let request = try SupervisorRequest(wireBytes: frames[2])
            lastTicket += 1
            waiting[lastTicket] = peer
            onRequest(request, lastTicket)
        } catch {
            send(SupervisorReply(failure: "not accepted: \(error)"), to: peer)
        }
    }

    /// A peer that has gone, or does not read, goes without: the next request will have its own answer.
    private func send(_ reply: SupervisorReply, to peer: RoutingID) {
        do {
            _ = try socket?.send(to: peer, delimited: reply.wireBytes)
        } catch {
            preconditionFailure("the supervisor's socket fails on its own thread: \(error)")
        }
    }
}

/// The way to the supervisor of a local fleet.
struct SupervisorAccess: Sendable {
    /// Where the fleet is.
    let directory: RunDirectory

    /// The failure of a supervisor that did not answer: it hangs, or is not there.
    var silence: CommandFailure {
        guard let holder = LockTable.holder(of: directory.lockFile(for: "supervisor")) else {
            return CommandFailure(
                .absent, "no fleet is running in \(directory)", advice: "start a fleet with `fleet up`")
        }
        return CommandFailure(
            .absent, "the supervisor (pid \(holder)) does not answer",
            advice: "`fleet doctor` looks for the reason")
    }

    /// Asks the supervisor.
    ///
    /// - Parameter patience: The longest wait for the answer.
    /// - Returns: The answer; nil when no supervisor is there.
    /// - Throws: `RuntimeError` or `BusError` when its socket cannot be used.
    func ask(_ request: SupervisorRequest, patience: Duration = .seconds(1)) async throws -> SupervisorReply?
    {
        // A file that was left by a supervisor that was killed costs the wait.
        guard try directory.hasFile(of: .supervisor) else { return nil }
        let endpoint = try directory.endpoint(.supervisor)
        return try await SupervisorClient.ask(request, at: endpoint, patience: patience)
    }
}
