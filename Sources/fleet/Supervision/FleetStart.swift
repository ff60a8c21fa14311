import FleetClient
import FleetProtocol
import ProcessSupport
import Subprocess
import SystemPackage
import UserText

/// Starts `fleet supervise` in a session of its own, and waits until it reports that the fleet is ready.
struct DetachedStart: Sendable {
    /// Time from SIGTERM to SIGKILL after an aborted start; longer than a fleet takes to end.
    private static let grace: Duration = .seconds(4)

    let arguments: [String]
    let surroundings: Surroundings

    /// Prints the supervisor's report, and exits with status 0 while the supervisor keeps running. A stop
    /// signal aborts the start: the supervisor gets SIGTERM, and has ended before this returns. Returns the
    /// status of a supervisor that ended before its report.
    func run() async throws -> ExitStatus {
        if let status = try await surroundings.untilStopped({ try await start() }) { return status }
        surroundings.notify("fleet: interrupted: the processes of the fleet have ended")
        return .refused
    }

    private func start() async throws -> ExitStatus {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.send(signal: .terminate, allowedDurationToNextStep: Self.grace)]
        let result = try await Subprocess.run(
            .path(FilePath(surroundings.executable)), arguments: Arguments(arguments),
            platformOptions: options, input: .none, output: .sequence, error: .currentStandardError
        ) { execution in
            var (isReady, status) = (false, ExitStatus.done)
            for try await line in execution.standardOutput.strings() {
                isReady = true
                do throws(CommandFailure) {
                    if status == .done { try surroundings.print(line) }
                } catch {
                    status = surroundings.report(error)
                }
            }
            // The output ends when the supervisor redirects it to its log. `run` would then wait for the exit
            // of the supervisor, which must outlive this process.
            if isReady { surroundings.leave(status) }
        }
        guard case .exited(let status) = result.terminationStatus else { return .refused }
        return ExitStatus(rawValue: status) ?? .bug
    }
}

/// The open files and the memory that a fleet or its growth needs, compared with the machine's limits before
/// any process starts.
struct FleetNeeds: Sendable {
    /// Open files of the controller in any fleet: 192 of its own, and 80 for connections. Each of its four
    /// sockets has 16 connections, and a quarter more for those that are being replaced.
    static let ownOpenFiles: UInt64 = 272
    /// Open files of the controller for each node: one for each of its four sockets, with a quarter more. A
    /// node connects to two, but the controller divides its files equally among the sockets. Devices need
    /// none: they share the connections of their node.
    static let nodeOpenFiles: UInt64 = 5
    /// Memory of controller and supervisor: 64 MiB for hashing a password, and 64 MiB for everything else.
    static let ownBytes: UInt64 = 128 << 20
    /// Memory of a node without devices; most of its 24 MiB are libraries that all nodes share.
    static let nodeBytes: UInt64 = 8 << 20
    /// Memory of one device over all processes. Measured with 1,000,000 devices: about 115 bytes in a node,
    /// 150 in the controller, 230 in an observer.
    static let deviceBytes: UInt64 = 768

    let openFiles: UInt64
    let memoryBytes: UInt64

    /// Parts of the error message: the subject, the advice on open files and the advice on memory.
    private let texts: (who: String, files: String, memory: String)

    init(devices: Int, nodes: Int) {
        openFiles = Self.ownOpenFiles + UInt64(nodes) * Self.nodeOpenFiles
        memoryBytes = Self.ownBytes + UInt64(nodes) * Self.nodeBytes + UInt64(devices) * Self.deviceBytes
        texts = ("this fleet needs", "use fewer --nodes", "use fewer --devices")
    }

    /// The needs of one more node, with a number of devices, in a fleet of `nodes` with the new one.
    init(growth devices: Int, nodes: Int) {
        openFiles = Self.ownOpenFiles + UInt64(nodes) * Self.nodeOpenFiles
        memoryBytes = Self.nodeBytes + UInt64(devices) * Self.deviceBytes
        texts = ("this growth needs", "start a fleet with fewer nodes", "ask for fewer devices")
    }

    /// Compares the needs with the machine's limits; the failure has both amounts, and advice.
    func check(against limits: MachineLimits) throws(CommandFailure) {
        if let available = limits.openFiles, available < openFiles {
            throw CommandFailure(
                .refused, "a process may have \(available) files open, and \(texts.who) \(openFiles)",
                advice: "raise the limit: ulimit -n \(openFiles); or \(texts.files)")
        }
        if let available = limits.memoryBytes, available < memoryBytes {
            throw CommandFailure(
                .refused,
                "\(available >> 20) MiB of memory are free, and \(texts.who) \(memoryBytes >> 20) MiB",
                advice: "\(texts.memory), or stop programs that use much memory")
        }
    }
}

/// Decides whether a new fleet is ready: every device must come up before the deadline. A scenario may keep
/// some devices disconnected at any time. A device therefore counts, connected or not, once an online node
/// has named it.
struct Readiness: Sendable {
    enum Look: Equatable, Sendable {
        /// A session is missing or has ended, and the controller has not written the password to log in with.
        case noSession
        case noReply(String)
        case noGateway
        /// The number of devices that have come up, connected or not.
        case up(Int)
    }

    enum Decision: Equatable, Sendable {
        case ready
        /// The deadline has passed; a message about the missing part.
        case late(String)
        /// Query again after a pause, and print the progress message, if any.
        case again(notify: String?)
    }

    static let progressInterval: Duration = .seconds(1)

    private let devices: Int
    private let timeout: Duration
    private let startedAt: MonotonicTime
    private var nextProgressAt: MonotonicTime

    /// A judge for a fleet that starts now, with all devices of the plan unless a number is given.
    init(of plan: FleetPlan, devices: Int? = nil, at now: MonotonicTime) {
        self.devices = devices ?? plan.devices
        timeout = plan.timeout
        startedAt = now
        nextProgressAt = now.advanced(by: Self.progressInterval)
    }

    mutating func judge(_ look: Look, at now: MonotonicTime) -> Decision {
        if case .up(let count) = look, count >= devices { return .ready }
        if startedAt.duration(to: now) >= timeout { return .late(missing(look)) }
        guard now >= nextProgressAt else { return .again(notify: nil) }
        nextProgressAt = now.advanced(by: Self.progressInterval)
        return .again(notify: progress(look))
    }

    private func progress(_ look: Look) -> String {
        switch look {
        case .noSession, .noReply: "waiting for the controller"
        case .noGateway: "waiting for the gateway"
        case .up(let count): "\(count) of \(devices) devices have come up"
        }
    }

    private func missing(_ look: Look) -> String {
        let seconds = timeout.wholeMilliseconds / 1_000
        return switch look {
        case .noSession: "the controller left no session within \(seconds) s"
        case .noReply(let reason): "the controller did not answer within \(seconds) s: \(reason)"
        case .noGateway: "the gateway did not listen within \(seconds) s"
        case .up(let count): "only \(count) of \(devices) devices came up within \(seconds) s"
        }
    }
}

/// The summary that `fleet up --detach` prints once every device has come up.
struct ReadySummary: Sendable {
    let plan: FleetPlan
    let directory: RunDirectory
    let processes: [FleetProcess]

    /// The gateway's URL; nil for a fleet without a gateway.
    let gatewayURL: String?
    var register = DeviceRegister()

    /// The JSON object for scripts; `gateway` is null for a fleet without one.
    var json: JSONObject {
        [
            "runDir": directory.path,
            "controller": ["pid": processID(of: "controller")] as JSONObject,
            "nodes": plan.shares.map { share -> JSONObject in
                ["pid": processID(of: share.name), "name": share.name, "devices": devices(of: share)]
            },
            "gateway": gatewayURL.map { ["pid": processID(of: "gateway"), "url": $0] as JSONObject },
            "account": directory.demo.account.name,
            "email": directory.demo.email.address,
            "passwordFile": directory.demoPasswordFile,
        ]
    }

    var text: String {
        "\(Count.of(plan.shares.reduce(0) { $0 + devices(of: $1) }, "device")) up. "
            + (gatewayURL.map { "Page: \($0) " } ?? "")
            + Program.worded("Stop: `fleet down`")
    }

    private func devices(of share: FleetPlan.Share) -> Int {
        register.devices(among: share.endIndex, seed: plan.seed)
            - register.devices(among: share.firstIndex, seed: plan.seed)
    }

    private func processID(of name: String) -> Int32? {
        processes.first { $0.name == name }?.processID
    }
}

/// Asks the controller until a new fleet is ready, or its timeout has passed.
struct ReadinessProbe: Sendable {
    /// The interval between two queries.
    private static let interval: Duration = .milliseconds(50)

    let plan: FleetPlan
    let directory: RunDirectory
    let surroundings: Surroundings

    /// Asks until there is a result; nil if the task was cancelled.
    func run() async -> Supervision.Event? {
        do {
            return try await ControllerAccess(to: directory, in: surroundings).withClient(
                nil, reportsWait: false
            ) { client in
                let register = try directory.deviceRegister()
                return try await watch(register.devices(among: plan.devices, seed: plan.seed), with: client)
            }
        } catch {
            return Task.isCancelled ? nil : .wasLate("\(error)")
        }
    }

    /// Asks until that number of devices has come up.
    private func watch(_ devices: Int, with client: FleetClient) async throws -> Supervision.Event {
        var readiness = Readiness(of: plan, devices: devices, at: surroundings.now().monotonic)
        var hasSessions = false
        while true {
            let seen = try await look(for: devices, with: client, &hasSessions)
            switch readiness.judge(seen, at: surroundings.now().monotonic) {
            case .ready: return .becameReady
            case .late(let text): return .wasLate(text)
            case .again(let text):
                if let text { surroundings.notify("fleet: \(text)") }
                try await surroundings.pause(Self.interval)
            }
        }
    }

    private func look(
        for devices: Int, with client: FleetClient, _ hasSessions: inout Bool
    ) async throws -> Readiness.Look {
        do {
            if !hasSessions { hasSessions = try await DemoSessions(directory: directory).renew(with: client) }
            guard hasSessions else { return .noSession }
            let report = try await client.status()
            let count = Int(report.online + report.disconnected)
            if count >= devices, let gateway = plan.gateway, gateway.build == nil,
                try directory.gatewayURL() == nil
            {
                return .noGateway
            }
            return .up(count)
        } catch FleetError.cancelled {
            throw CancellationError()
        } catch let error as FleetError {
            return .noReply(error.explanation)
        }
    }
}
