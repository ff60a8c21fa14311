import Bus
import FleetClient
import FleetProtocol
import Glibc
import ProcessSupport
import UserText

/// Runs a local fleet from its start until a user ends it: the shell around ``Supervision``.
struct Supervisor: Sendable {
    /// Descriptors that a supervisor needs for itself, its clients and the output of its processes.
    private static let neededDescriptors = 256

    private(set) var plan: FleetPlan
    private(set) var directory: RunDirectory
    let display: FleetPlan.Display
    /// The clocks, output, signals and limits of this process.
    let surroundings: Surroundings
    /// The ID of the process with which the fleet ends; nil without one.
    var companion: Int32?
    /// Whether its files are removed when it has ended.
    var isTemporary = false
    /// Called with the processes once every device has come up.
    let announce: @Sendable ([FleetProcess]) throws(CommandFailure) -> Void

    func run() async throws {
        let companion = try companion.map { try WatchedProcess(id: $0) }
        try FleetNeeds(devices: plan.devices, nodes: plan.nodes).check(against: surroundings.limits())
        try directory.create()
        var supervisor = self
        supervisor.directory = try directory.opened()
        supervisor.plan.dayBeganAt = surroundings.now().wall
        try await supervisor.runOpened(until: companion)
    }

    /// Runs the fleet with the files of its open directory.
    private func runOpened(until companion: WatchedProcess?) async throws {
        let lock = try acquireLock()
        try directory.removeGateway()
        try directory.claim(seed: plan.seed)
        try plan.storePods(in: directory)
        if !directory.hasStore, try directory.fleetName() == nil { try directory.record(.new()) }
        try directory.recordStart(devices: plan.startedDevices)
        try directory.record(plan.cell)
        try await plan.certificate(in: directory)?.make(serial: surroundings.randomBits())
        let secret = try directory.nodeSecret()
        let processes = processes(of: plan, with: secret)
        for process in processes where plan.gateway?.build == nil || process.role != .gateway {
            try Executable.check(process.executable)
        }
        let logSizes = processes.reduce(into: [:]) { sizes, process in
            sizes[process.name] = FileTail.size(of: directory.logFile(of: process.name))
        }
        let rules = try await supervise(with: secret, until: companion)
        try directory.removeSockets()
        try directory.removeGateway()
        lock.close()
        try directory.confirm()
        if let failure = rules.failure { throw explained(failure, logSizes) }
    }

    private func processes(of plan: FleetPlan, with secret: NodeSecret) -> [ProcessPlan] {
        plan.processes(
            in: directory, binaries: surroundings.executableDirectory, supervisor: surroundings.processID,
            display: display, secret: secret)
    }

    private func acquireLock() throws -> FileLock {
        do throws(RuntimeError) {
            return try FileLock(path: directory.lockFile(for: "supervisor"))
        } catch {
            guard case .locked(_, let holder) = error else { throw error }
            let who = holder.map { "supervisor pid \($0)" } ?? "supervisor pid unknown"
            throw CommandFailure(
                .refused, "a fleet is already running here (\(who))",
                advice: "use `fleet status`, `fleet down`, or another --run-dir")
        }
    }

    /// Opens the socket, runs the rules until every process has ended, and closes the socket again.
    private func supervise(
        with secret: NodeSecret, until companion: WatchedProcess?
    ) async throws -> Supervision {
        _ = try DescriptorLimit.raise(needing: Self.neededDescriptors)
        let log =
            display == .screen
            ? AppendedLog(path: directory.logFile(of: "supervisor"), process: "supervisor") : nil
        log?.append(
            SupervisorLogMark.text(of: surroundings.processID), isError: false, at: surroundings.now().wall)
        let endpoint = try directory.endpoint(.supervisor)
        return try await Loop.withThread(name: "supervisor") { loop in
            let (events, inbox) = AsyncStream.makeStream(of: Supervision.Event.self)
            let server = SupervisorServer(on: loop) {
                inbox.yield(.asked($0, ticket: $1))
            } everySecond: {
                if !directory.isPresent || companion?.hasEnded == true { inbox.yield(.endWanted) }
            }
            try await server.open(at: endpoint)
            let shell = SupervisionShell(
                processes: { processes(of: $0, with: secret) }, surroundings: surroundings,
                directory: directory, server: server, inbox: inbox, announce: announce, log: log)
            let probe = ReadinessProbe(plan: plan, directory: directory, surroundings: surroundings)
            let rules = Supervision(plan, isShown: display != .none)
            return await shell.run(rules, on: events) { await probe.run() }
        }
    }

    /// Returns the failure to start, with the lines that the log that explains it has since this start.
    private func explained(_ failure: Supervision.Failure, _ logSizes: [String: Int]) -> CommandFailure {
        let process = failure.process ?? "controller"
        let file = RunDirectory(path: directory.path).logFile(of: process)
        let tail = FileTail.lines(of: file, from: logSizes[process, default: 0])
        let log = tail.isEmpty ? "  (its log is empty)" : tail.map { "  | \($0)" }.joined(separator: "\n")
        return CommandFailure(
            .absent, "the fleet did not get ready, and was stopped: \(failure.text)\n\(log)",
            advice: isTemporary ? "" : "the whole log is in \(file)")
    }
}

struct SupervisorAccess: Sendable {
    let directory: RunDirectory

    /// The error when the supervisor does not answer: the process hangs, or no supervisor runs.
    var silence: CommandFailure {
        guard let holder = LockTable.holder(of: directory.lockFile(for: "supervisor")) else {
            return CommandFailure(
                .absent, "no fleet is running in \(directory)", advice: "start a fleet with `fleet up`")
        }
        return CommandFailure(
            .absent, "the supervisor (pid \(holder)) does not answer",
            advice: "find the cause with `fleet doctor`")
    }

    /// Sends a request to the supervisor; nil when none answers.
    func ask(_ request: SupervisorRequest, timeout: Duration = .seconds(1)) async throws -> SupervisorReply? {
        // A socket file left by a killed supervisor costs the full timeout.
        guard directory.hasFile(of: .supervisor) else { return nil }
        let endpoint = try directory.endpoint(.supervisor)
        return try await SupervisorClient.ask(request, at: endpoint, timeout: timeout)
    }
}

/// The last lines of a log file, shown when a process failed.
enum FileTail {
    static let lineLimit = 8
    /// The number of bytes read from the end of the file.
    static let byteLimit = 4_096

    static func size(of file: String) -> Int {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        return max(0, lseek(descriptor, 0, SEEK_END))
    }

    /// Returns the last lines of a file, made safe for terminals; an empty array if it cannot be read. Bytes
    /// before `offset`, where a line begins, are ignored.
    static func lines(of file: String, from offset: Int = 0) -> [String] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let start = max(offset, lseek(descriptor, 0, SEEK_END) - byteLimit)
        var bytes = [UInt8](repeating: 0, count: byteLimit)
        let count = pread(descriptor, &bytes, bytes.count, start)
        return last(of: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self), isCut: start > offset)
    }

    /// Returns the last lines of a text, without its first line if `isCut`, since that is incomplete.
    static func last(of text: String, isCut: Bool) -> [String] {
        let lines = text.split(separator: "\n")
        return (isCut ? lines.dropFirst() : lines[...]).suffix(lineLimit).map { SafeText.of(String($0)) }
    }
}

/// A program of the fleet, which is in the directory of `fleet`.
enum Executable {
    /// Checks that a program can be run, before any process starts.
    static func check(
        _ path: String,
        advice: String = "build everything with `swift build`: the programs must be in one directory"
    ) throws(CommandFailure) {
        guard access(path, X_OK) == 0 else {
            throw CommandFailure(.absent, "\(path) is missing, or cannot be run", advice: advice)
        }
    }
}
