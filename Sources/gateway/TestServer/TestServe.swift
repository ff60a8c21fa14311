import ArgumentParser
import Bus
import ControllerSupport
import DeviceCore
import FleetClient
import FleetProtocol
import GatewayCore
import Glibc
import Logging
import ProcessSupport
import ServiceLifecycle
import Synchronization
import UnixSignals
import UserFiles
import UserText
import VirtualFleet

/// `gateway test-server`: a fleet within the gateway's process, for one run of tests.
struct TestServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-server", abstract: "Serve Sensibo's API from a fleet of its own, for a test run.",
        discussion: """
            Prints one line when it is ready: the URL and a key of Sensibo's API, and the URL and the token \
            of the control API. Through that a test resets the fleet, moves its clock, injects faults, uses \
            hand remotes and reads which requests came.

            The server ends, and its temporary directory is removed, when the process that started this \
            one ends, however it ends; with --exit-with, when another one ends. So a test framework \
            starts it as a child, reads a line, and need not stop it.

            With --json the line is an object: url, key, controlUrl, controlToken, runDir and pid.

            EXAMPLES
              fleet test-server --json
              fleet test-server --devices 3 --scenario quiet --seed 7
              fleet test-server --pods pods.json
              fleet test-server --at 2026-03-29T00:30:00Z
              fleet test-server --port 8702 --exit-with 1234
            """)

    static let deviceLimit = 10_000

    @Option(
        name: .customLong("devices"),
        help: ArgumentHelp(
            "Number of devices: 1 to 10,000 (default: 20, or those of --pods).", valueName: "count"))
    var deviceCount: Int?

    @Option(
        help: ArgumentHelp(
            "Start with the pods of a file: an answer to users/me/pods?fields=*, or the diagnostics of Home Assistant's integration.",
            valueName: "file.json"),
        transform: { try PodFile($0) })
    var pods: PodFile?

    @Option(
        name: .customLong("seed"),
        help: "The random seed for names, IDs and events (default: 1; with --pods one from their IDs).")
    var givenSeed: UInt64?

    @Option(
        help: ArgumentHelp(
            "The scenario: \(ReadyMadeScenario.names); or a file (default: quiet).",
            valueName: "name|file"),
        transform: { try ScenarioChoice($0, zones: Environment.timeZones) })
    var scenario: ScenarioChoice?

    @Option(help: "Port to listen on; 0 for any free one.") var port: UInt16 = 0

    @Option(help: "Port of the control API; 0 for any free one.") var controlPort: UInt16 = 0

    @Option(
        name: .customLong("at"),
        help: ArgumentHelp(
            "The time that the fleet's clock shows at the start, such as 2026-03-29T00:30:00Z (default: now).",
            valueName: "time"),
        transform: TestServe.time)
    var start: WallTime?

    @Flag(help: "Hold the fleet's clock at the start, until a test lets time pass.") var held = false

    @OptionGroup var lifetime: LifetimeOption

    @Flag(help: "Print a JSON object.") var json = false

    private static func time(_ text: String) throws -> WallTime {
        guard let time = TimeText.moment(written: text), ClockChange.allows(time) else {
            throw ValidationError("expected a time such as 2026-03-29T00:30:00Z, from 2000 to 2099")
        }
        return time
    }

    private var seed: UInt64 { givenSeed ?? pods?.seed ?? 1 }

    private var devices: Int { deviceCount ?? pods?.records.count ?? 20 }

    func validate() throws {
        guard (1...Self.deviceLimit).contains(devices) else {
            throw ValidationError("--devices \(devices): expected 1 to \(Self.deviceLimit)")
        }
    }

    func run() async throws {
        do {
            try await serve()
        } catch let error as RuntimeError {
            try Serve.end(printing: "\(error)", code: 69)
        } catch let error as GatewayError {
            try Serve.end(printing: "\(error)", code: 69)
        }
    }

    private func serve() async throws {
        let process = Companion(process: try watched())
        // Before there are files to remove: a signal to a starting server waits until it listens.
        let signal = StopSignal(signals: await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup))
        let directory = try ScratchDirectory.make(for: "test", environment: Environment.current)
        // The processes that it has in its own seem to run as long as the directory exists.
        var locks: [FileLock] = []
        defer {
            directory.remove()
            for lock in locks { lock.close() }
        }
        locks = try ["supervisor", "controller"].map {
            try FileLock(path: directory.runDirectory.lockFile(for: $0))
        }
        Logs.bootstrap(process: "gateway")
        let clock = TestClock(showing: start, past: scenario?.scenario.clock.past ?? .zero)
        try await Loop.withThread(name: "fleet") { fleetLoop in
            try await Loop.withThread(name: "gateway") { loop in
                try await serve(in: directory, fleetLoop, on: loop, clock, until: [process, signal])
            }
        }
    }

    /// The process with which the server ends. Nil for the first process of a container: the container ends
    /// with it.
    private func watched() throws -> WatchedProcess? {
        if let processID = lifetime.processID { return try WatchedProcess(id: processID) }
        guard StartingProcess.id != 1 else {
            throw ValidationError(
                "the process that started this one has ended, or is process 1: name the process with which to stop with --exit-with"
            )
        }
        return StartingProcess.id == 0 ? nil : try WatchedProcess(id: StartingProcess.id)
    }

    private func serve(
        in temporary: ScratchDirectory, _ fleetLoop: Loop, on loop: Loop, _ clock: TestClock,
        until ends: [any Service]
    ) async throws {
        let directory = temporary.runDirectory
        let names = directory.demo
        let owner = TestOwner(of: names)
        try directory.record(names)
        try directory.writeDemoPassword(owner.password)
        let host = try await FleetHost.open(
            configuration(of: owner, at: clock.now.wall), in: directory, on: fleetLoop, clock: clock)
        let gatewayClock: @Sendable () -> Moment = { clock.gatewayTime }
        let seed = World.randomNumber()
        let client = try await FleetClient.open(
            try FleetConnection(directory).clientEndpoints, on: loop, context: loop.context,
            credentials: owner.credentials, clock: gatewayClock, seed: seed)
        let cells = CellClients(own: client, of: nil, clock: gatewayClock, seed: seed)
        let cloud = Cloud(clock: { clock.now })
        let faults = TestCloudFaults(seed: self.seed, day: scenario?.cloudDay ?? CloudDay(), at: clock.now)
        cloud.restart(with: faults.plan(at: clock.now))
        let server = TestServer(
            host: host, clock: clock, client: client, owner: owner,
            fleet: FleetLink(
                cells: cells,
                replicas: AccountReplicas(
                    clock: gatewayClock, seed: seed,
                    records: PodRecords(pods?.records ?? [], seed: self.seed))),
            cloud: cloud, keys: IdempotencyKeys(in: directory, clock: gatewayClock),
            journal: RequestJournal(clock: { clock.now }), directory: directory, faults: faults)
        try server.writeSession()
        let result: Result<Void, any Error>
        do {
            result = .success(try await serve(server, in: temporary, until: ends))
        } catch {
            result = .failure(error)
        }
        await client.close()
        await host.close()
        try result.get()
    }

    private func configuration(of owner: TestOwner, at start: WallTime) throws -> VirtualFleet.Configuration {
        var begun = (scenario?.scenario ?? .quiet).answeringAtOnce
        begun.population = pods?.population ?? begun.population
        return VirtualFleet.Configuration(
            node: NodeConfiguration(
                name: .first, account: owner.session.account, devices: devices, seed: seed,
                scenario: begun, zones: Environment.timeZones),
            controller: owner.controller(seed: seed, at: start),
            readScenario: { try? ScenarioChoice($0).scenario.answeringAtOnce }, makeToken: { .make() })
    }

    private func serve(
        _ server: TestServer, in temporary: ScratchDirectory, until ends: [any Service]
    ) async throws {
        let directory = temporary.runDirectory
        let url = Mutex("")
        let control = ControlServer(
            server: server, isHeld: held, port: controlPort, logger: Self.quietLogger,
            announce: { controlURL, token in
                try announce(url.withLock { $0 }, server.owner, controlURL, token, directory)
            })
        var gateway = Gateway(
            options: try Serve.parse(["--run-dir", directory.path, "--port", "\(port)"]),
            clock: { server.clock.gatewayTime })
        gateway.companions = [control, try await TestSupervisor(of: server)] + ends
        gateway.journal = server.journal
        gateway.leave = { temporary.remove() }
        gateway.announce = { served in url.withLock { $0 = String(served.dropLast()) } }
        try await gateway.serve(server.fleet, server.cloud, server.keys, directory)
    }

    /// A logger for the libraries of the control API.
    private static var quietLogger: Logger {
        var logger = Logger(label: "gateway")
        logger.logLevel = .warning
        return logger
    }

    /// Prints the line that says where the API is; if it cannot be printed, the server ends.
    private func announce(
        _ url: String, _ owner: TestOwner, _ controlURL: String, _ controlToken: Token,
        _ directory: RunDirectory
    ) throws {
        let (key, token) = (CellToken(owner.key, in: nil).text, CellToken(controlToken, in: nil).text)
        let object: JSONObject = [
            "url": url, "key": key, "controlUrl": controlURL, "controlToken": token,
            "runDir": directory.path, "pid": getpid(),
        ]
        let text =
            "Sensibo's API: \(url)/api/v2, key \(key); control API: \(controlURL), token \(token); files in \(directory)"
        try TextOutput.standardOutput.writeLine(json ? object.line : text)
    }

    /// Ends at a stop signal.
    private struct StopSignal: Service {
        let signals: UnixSignalsSequence

        func run() async throws {
            for await _ in signals.cancelOnGracefulShutdown() { return }
        }
    }

    /// Ends with a process.
    private struct Companion: Service {
        private static let interval: Duration = .milliseconds(100)

        let process: WatchedProcess?

        func run() async throws {
            guard let process else { return try await gracefulShutdown() }
            try? await cancelWhenGracefulShutdown {
                while !process.hasEnded { try await World.sleep(Self.interval) }
            }
        }
    }
}

extension Scenario {
    /// The scenario with devices that answer at once: a clock that is held would keep their answers.
    fileprivate var answeringAtOnce: Scenario {
        var scenario = self
        scenario.answer = .fixed(.zero)
        return scenario
    }
}
