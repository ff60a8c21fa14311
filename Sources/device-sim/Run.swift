import ArgumentParser
import Bus
import DeviceCore
import FleetProtocol
import Logging
import ProcessSupport
import UserFiles
import UserText

/// `device-sim run`: a node that connects to the controller of a run directory and runs until a signal.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run one node until SIGINT or SIGTERM.",
        discussion: """
            IDs, names and events follow from the seed and the devices' indices in the whole fleet. The \
            run directory stores the devices' memory under the node's name: after a restart, the node has \
            its devices in the same state.

            EXAMPLES
              device-sim run --devices 100 --scenario lively
              device-sim run --name node-2 --devices 50 --first-index 50
              device-sim run --durability power
            """)

    /// Descriptors that a node needs at least: for its sockets, its memory file and its log.
    private static let neededDescriptors = 64

    @OptionGroup var runDirectory: RunDirectoryOption

    @Option(
        help: """
            The node's name, 1 to \(Limits.nodeNameBytes) characters of [A-Za-z0-9._-] (default: node-1, or that \
            of the key).
            """,
        transform: { try Run.checked(NodeName($0), "a node's name", $0) })
    var name: NodeName?

    @Option(help: "The number of devices, 1 to \(Limits.nodeDevices) (default: 100, or those of the key).")
    var devices: Int?

    @Option(help: "The index of the first device in the whole fleet (default: 0, or that of the key).")
    var firstIndex: UInt64?

    @Option(help: "The fleet's seed (default: 1, or that of the key).") var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "The scenario: \(ReadyMadeScenario.names); or a file (default: quiet).",
            valueName: "name|file"),
        transform: { try ScenarioChoice($0, zones: Environment.timeZones).scenario })
    var scenario: Scenario?

    @Option(
        help: ArgumentHelp(
            "The scenario of the devices' names and sites, if it differs from --scenario; or a .json file with pods.",
            valueName: "name|file"),
        transform: { try Scenario.Population.chosen($0) })
    var population: Scenario.Population?

    @Option(help: "When the scenario's first day began, Unix milliseconds (default: at the node's start).")
    var dayBeganAt: Int64?

    @Option(
        help: "The account that owns the devices (default: demo, or that of the key).",
        transform: { try Run.checked(AccountID($0), "an account's name", $0) })
    var account: AccountID?

    @Option(
        help: "Devices' memory outlives nothing (none), any process (process), or a power failure (power).",
        transform: Durability.named)
    var durability: Durability = .process

    @OptionGroup var memory: MemoryOptions

    @Option(help: "Exit when this process is no longer the parent.") var supervisorPid: Int32?

    @Option(help: "The log level: \(Logs.levelNames).", transform: Logs.level(named:))
    var logLevel: Logger.Level = .info

    private static func checked<Value>(_ value: Value?, _ what: String, _ text: String) throws -> Value {
        guard let value else { throw ValidationError("'\(text)' is not \(what)") }
        return value
    }

    func validate() throws {
        if let dayBeganAt, !Limits.wallMilliseconds.contains(dayBeganAt) {
            throw ValidationError("--day-began-at \(dayBeganAt): no clock shows that time")
        }
        guard let devices else { return }
        guard (1...Limits.nodeDevices).contains(devices) else {
            throw ValidationError("--devices \(devices): a node hosts 1 to \(Limits.nodeDevices) devices")
        }
    }

    /// The run directory; on a machine without a fleet it is created, if it is named.
    private func findRunDirectory() throws -> RunDirectory {
        let (environment, place) = (Environment.current, try Environment.workingDirectory)
        let network = runDirectory.network
        if network.connect != nil || network.keyFile != nil {
            let directory = RunDirectory(
                named: runDirectory.path, environment: environment, startingAt: place)
            try directory.create()
            return try directory.opened()
        }
        do throws(RuntimeError) {
            return try RunDirectory.find(
                explicit: runDirectory.path, environment: environment, startingAt: place
            ).opened()
        } catch {
            guard case .noFleet(let searched) = error else { throw error }
            throw MissingFleet(searched: searched)
        }
    }

    func run() throws {
        try Hardening.apply(environment: Environment.current)
        try Hardening.forbidNewPrivileges()
        _ = try DescriptorLimit.raise(needing: Self.neededDescriptors)
        let signals = try StopSignals()
        let directory = try findRunDirectory()
        let connection = try runDirectory.network.connection(of: directory, environment: Environment.current)
        var configuration = try configuration(in: connection)
        let name = configuration.name
        Logs.bootstrap(process: name.text, level: logLevel)
        let logger = Logger(label: name.text)
        let lock = try FileLock(path: directory.lockFile(for: name.text))
        defer { lock.close() }
        Logs.bound(directory.logFile(of: name.text))
        let register = try DeviceRegisterWatch(of: directory, logger)
        configuration.changes = register.changes
        let clock = SystemClock()
        let context = try Context()
        defer { context.terminate() }
        let loop = try Loop(name: name.text, context: context)
        let (node, memory) = try makeNode(configuration, in: directory, loop: loop, logger, at: clock.now())
        let watch = MemoryWatch(self.memory.memoryLimit, on: loop) { _ in loop.stop() }
        try watch.begin()
        // Speed: see performance.md, "copies".
        let cells = knownCells(beside: connection, logger)
        let server = try NodeServer(
            node: consume node, memory: memory, connection: connection,
            cells: cells.map { NodeCells($0, configuration, logger) }, loop: loop, clock: clock,
            logger: logger)
        defer { server.close() }
        loop.register(fileDescriptor: signals.fileDescriptor) {
            guard let signal = signals.read() else { return }
            logger.info("leaving", metadata: ["signal": "\(signal)"])
            server.leave()
        }
        try register.begin(on: loop) { server.changes = $0 }
        let parent = ParentWatch(expectedParent: supervisorPid)
        try server.serve(watching: parent)
        directory.recordService(of: name.text, under: parent, logger)
        logger.info(
            "running",
            metadata: [
                "devices": "\(configuration.devices)", "scenario": "\(configuration.scenario.name)",
                "seed": "\(configuration.seed)",
                "controller": "\(connection.membership?.address.description ?? directory.path)",
            ])
        loop.run()
        try server.checkEnd()
        try watch.end()
    }

    /// The cells; without a list that can be read, the node runs, and cannot follow its account elsewhere.
    private func knownCells(beside connection: FleetConnection, _ logger: Logger) -> CellConnections? {
        do throws(RuntimeError) {
            return try CellConnections(
                runDirectory.cells, beside: connection, environment: Environment.current,
                workingDirectory: Environment.workingDirectory)
        } catch {
            logger.error("the list of cells cannot be read", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    /// The node's configuration; of a node on another machine, its key decides.
    private func configuration(in connection: FleetConnection) throws -> NodeConfiguration {
        let rights = connection.membership?.rights
        if let rights, rights.role != .node {
            throw ValidationError(
                "the key of this machine has the role \(rights.role.name), and a node needs one of the role node"
            )
        }
        let given = rights?.grant?.range
        var scenario = scenario ?? .quiet
        if self.scenario == nil, let invited = rights?.scenario, !invited.isEmpty {
            scenario = try ScenarioChoice(invited).scenario
        }
        if let population { scenario.population = population }
        var configuration = NodeConfiguration(
            name: name ?? rights?.name ?? .first, account: account ?? rights?.account ?? .demo,
            devices: devices ?? given.map { Int($0.count) } ?? 100,
            firstIndex: firstIndex ?? given?.firstIndex ?? 0, seed: seed ?? given?.seed ?? 1,
            scenario: scenario, zones: Environment.timeZones)
        if let rights {
            guard rights.name == configuration.name, rights.account == configuration.account,
                given == configuration.range
            else {
                throw ValidationError("the key of this machine is that of \(rights.name), with other devices")
            }
        }
        configuration.dayBeganAt = dayBeganAt.map(WallTime.init(unixMilliseconds:))
        configuration.grant = rights?.grant
        if rights == nil { configuration.grant = try grant(of: configuration, in: connection.directory) }
        configuration.host = Environment.hostName
        return configuration
    }

    /// Returns the permission to host the devices: the launcher's token or, for a manual start, one that is
    /// created with the run directory's secret.
    private func grant(of node: NodeConfiguration, in directory: RunDirectory) throws -> NodeGrant {
        guard let text = Environment.current[NodeSecret.tokenVariable] else {
            return try directory.nodeSecret().grant(node.range, to: node.name, of: node.account)
        }
        guard let token = Token(hexadecimal: text) else {
            throw ValidationError(
                "\(NodeSecret.tokenVariable) is not \(2 * Token.length) hexadecimal digits: unset it")
        }
        return NodeGrant(range: node.range, token: token)
    }

    /// Creates the node with its devices from memory, and the memory file that it appends to.
    private func makeNode(
        _ configuration: NodeConfiguration, in directory: RunDirectory, loop: Loop, _ logger: Logger,
        at now: Moment
    ) throws -> (Node, NodeMemoryFile?) {
        let (path, fleet) = (directory.memoryFile(of: configuration.name.text), try directory.fleetName())
        var random = SystemRandomNumberGenerator()
        let run = NodeRun(host: configuration.host, bootID: BootID(bits: random.next()))
        if durability != .none { try directory.createMemoryDirectory() }
        // Before the read, so that no entry of a former owner is missed.
        let owner = durability == .none ? nil : try MemoryOwner(claiming: path, for: run)
        let known =
            durability == .none
            ? NodeMemory()
            : try NodeMemoryFile.read(path, of: fleet) { reason in
                logger.warning(
                    "the memory is not the latest: all devices begin new incarnations",
                    metadata: ["file": "\(path)", "reason": "\(reason)"])
            }
        let node = Node(configuration, bootID: run.bootID, memory: known, incarnations: random, at: now)
        guard durability != .none else { return (node, nil) }
        let file = try NodeMemoryFile(
            path, of: node, and: known, in: fleet, owner: owner, isSynced: durability == .power,
            wake: { loop.perform {} })
        return (node, file)
    }
}

extension AccountID {
    static var demo: AccountID {
        guard let account = AccountID("demo") else { preconditionFailure("demo is an account's name") }
        return account
    }
}

@main
struct DeviceSimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Program.deviceSim.command,
        abstract: Program.deviceSim.abstract,
        discussion: """
            `fleet up` starts one or more nodes.

            EXAMPLES
              device-sim run --devices 100 --scenario lively
              device-sim explain --scenario office-day
              device-sim rehearse --scenario office-day
            """,
        version: ProgramVersion.text(of: "device-sim"),
        subcommands: [Run.self, Explain.self, Rehearse.self])

    static func main() { runAsMain() }
}

private struct MissingFleet: Error, CustomStringConvertible {
    let searched: String

    var description: String { "\(RuntimeError.noFleet(searched: searched)): \(ShellAdvice.noFleet)" }
}
