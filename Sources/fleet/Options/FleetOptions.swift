import ArgumentParser
import FleetProtocol
import ProcessSupport
import UserFiles
import UserText

struct FleetOptions: ParsableArguments {
    @Option(
        name: .customLong("devices"),
        help: .value("count", "Number of devices: 1 to 1,000,000 (default: 100, or those of --pods)."))
    var deviceCount: Int?

    @Option(help: .value("count", "Number of node processes: 1 to 64.")) var nodes = 1

    @Flag(
        name: .customLong("no-nodes"),
        help: "Start no nodes: they join from other machines (`fleet join-command`).")
    var hasNoNodes = false

    @Option(
        help: .value(
            "tcp://HOST:PORT",
            "Listen on the network too, for peers with a key: the first of five consecutive ports (default: "
                + "SENSIBUS_LISTEN, else not)."),
        transform: { try NetworkAddress($0) })
    var listen: NetworkAddress?

    @Option(
        help: """
            The random seed for names, IDs and events (default: 1; with --pods one from their IDs, in a cell one \
            from its name).
            """)
    var seed: UInt64?

    @OptionGroup var cell: CellArguments

    @Option(
        help: .value("name|file", "The scenario: \(ReadyMadeScenario.names); or a file (default: quiet)."),
        completion: .scenarios, transform: { try ScenarioChoice($0, zones: Environment.timeZones) })
    var scenario: ScenarioChoice?

    @Option(
        help: .value(
            "file.json",
            "Start with the pods of a file: an answer to users/me/pods?fields=*, or the diagnostics of Home "
                + "Assistant's integration."),
        completion: .file(extensions: ["json"]), transform: { try PodFile($0) })
    var pods: PodFile?

    @Option(
        name: .customLong("run-dir"),
        help: .value(
            "directory",
            "The directory for sockets, logs and the journal (default: SENSIBUS_RUN_DIR, else .sensibus)."))
    var runDirectory: String?

    @Flag(
        name: .customLong("restart-nodes"), inversion: .prefixedNo,
        help: "Restart nodes that die (default: only if the scenario crashes them).")
    var restartsNodes: Bool?

    @OptionGroup var gateway: GatewayArguments

    @OptionGroup var lifetime: LifetimeOption

    @Option(
        help: """
            What requests and devices' memory survive: none (nothing), process (the death of any process), \
            or power (a power failure, too).
            """,
        transform: Durability.named)
    var durability: Durability = .process

    @OptionGroup var retained: RetentionOptions

    @Option(
        help: .value(
            "size",
            "Memory limit of the controller, which restarts beyond it: \(MemoryLimit.text) (default: 2G)."),
        transform: MemoryLimit.named)
    var memoryLimit: MemoryLimit?

    @OptionGroup var selfService: SelfServiceArguments

    @Flag(
        name: .customLong("on-duty-only"),
        help: "Let only owners and people on duty, by their account's roster, switch devices.")
    var isOnDutyOnly = false

    private var devices: Int { deviceCount ?? pods?.records.count ?? 100 }

    func validate() throws {
        try require(
            pods == nil || !hasNoNodes, "--pods: leave --no-nodes out, as nodes of this machine have them")
        try require(
            (1...FleetPlan.deviceLimit).contains(devices),
            "--devices \(devices): expected 1 to \(FleetPlan.deviceLimit)")
        try require(
            (1...FleetPlan.nodeLimit).contains(nodes),
            "--nodes \(nodes): expected 1 to \(FleetPlan.nodeLimit)")
        try require(nodes <= devices, "--nodes \(nodes): each node needs a device, and there are \(devices)")
    }

    var plan: FleetPlan {
        get throws {
            FleetPlan(
                devices: hasNoNodes ? 0 : devices, nodes: hasNoNodes ? 0 : nodes, seed: try chosenSeed,
                scenario: scenarioArgument,
                restartsNodes: restartsNodes, hasCrashes: scenario?.hasCrashes ?? false,
                durability: durability, retention: chosenRetention,
                gateway: gateway.plan,
                cloudDay: scenario?.cloudDay ?? CloudDay(), cell: try ownCell,
                controllerArguments: controllerArguments, pods: pods?.bytes)
        }
    }

    /// The seed: with pods, that of their IDs; in a cell without an option, that of the devices in the run
    /// directory, which may be older than the cell.
    private var chosenSeed: UInt64 {
        get throws {
            if let seed = seed ?? pods?.seed { return seed }
            guard let name = cell.cell else { return 1 }
            let directory = RunDirectory(
                named: runDirectory, environment: Environment.current,
                startingAt: try Environment.workingDirectory)
            return try directory.seed() ?? name.seed
        }
    }

    private var ownCell: OwnCell? {
        get throws { cell.own(relativeTo: try Environment.workingDirectory) }
    }

    private var chosenRetention: Retention {
        var chosen = Retention()
        (chosen.time, chosen.results) = (retained.retention, retained.retentionResults)
        return chosen
    }

    private var controllerArguments: [String] {
        selfService.arguments + (isOnDutyOnly ? ["--on-duty-only"] : [])
            + (memoryLimit.map { ["--memory-limit", $0.argument] } ?? [])
            + (listen.map { ["--listen", $0.description] } ?? [])
    }

    /// The scenario's name or absolute path, for processes that may run in another working directory.
    private var scenarioArgument: String { scenario?.argument ?? ReadyMadeScenario.quiet.rawValue }

    /// Returns the run directory that `--run-dir` or the environment names, or the default one.
    func directory(in surroundings: Surroundings) -> RunDirectory {
        surroundings.runDirectory(named: runDirectory)
    }

    private var restartArguments: [String] {
        restartsNodes.map { [$0 ? "--restart-nodes" : "--no-restart-nodes"] } ?? []
    }

    /// The options as arguments for `fleet supervise` in the same working directory.
    var arguments: [String] {
        get throws {
            let seed = try String(chosenSeed)
            let own = try ownCell?.arguments ?? []
            return [
                "--devices", String(devices), "--nodes", String(nodes), "--seed", seed,
                "--scenario", scenarioArgument, "--durability", durability.rawValue,
            ] + chosenRetention.arguments + (runDirectory.map { ["--run-dir", $0] } ?? []) + restartArguments
                + (pods.map { ["--pods", $0.path] } ?? [])
                + own + controllerArguments + (hasNoNodes ? ["--no-nodes"] : []) + gateway.arguments
                + lifetime.arguments
        }
    }
}

struct GatewayArguments: ParsableArguments {
    @Option(
        name: .customLong("gateway-port"),
        help: .value(
            "port",
            "The port of the page and Sensibo's API; an error if it is taken; 0 for any free port (default: "
                + "\(FleetGateway.port), or the next free one)."))
    var port: UInt16?

    @OptionGroup var reach: GatewayOptions

    @Option(
        help: .value(
            "name",
            "Serve TLS with a certificate for this name, such as home.sensibo.com, and for this machine, by an "
                + "authority of the fleet's own. Needs the program openssl."),
        transform: GatewayArguments.tlsName(in:))
    var tlsName: NetworkHost?

    @Flag(name: .customLong("no-gateway"), help: "Do not serve the page and Sensibo's API.")
    var isOmitted = false

    @Option(
        name: .customLong("build-gateway"),
        help: .value(
            "command",
            "Run this shell command, and start the gateway after it; the rest of the fleet does not wait."))
    var build: String?

    func validate() throws {
        try require(build == nil || !isOmitted, "--build-gateway: leave --no-gateway out")
        try require(reach.arguments.isEmpty || !isOmitted, "\(reach.arguments[0]): leave --no-gateway out")
        try require(tlsName == nil || !isOmitted, "--tls-name: leave --no-gateway out")
        try require(
            tlsName == nil || !reach.isSecure, "--tls-name: leave --tls-certificate and --tls-key out")
        try require(
            tlsName == nil || reach.host.isLoopback || reach.host.isUnspecified,
            "--tls-name: its certificate is for this machine: give --host 0.0.0.0, or omit --host")
        try reach.check(port: port ?? FleetGateway.port, of: "--gateway-port", isCertified: tlsName != nil)
    }

    private static func tlsName(in text: String) throws -> NetworkHost {
        guard let name = NetworkHost(text.lowercased()), GatewayCertificate.isPossible(name) else {
            throw ValidationError("\(text) is not a name of DNS other than localhost: give home.sensibo.com")
        }
        return name
    }

    var plan: FleetPlan.Gateway? {
        isOmitted
            ? nil
            : FleetPlan.Gateway(
                port: port.map(GatewayPort.fixed) ?? .standard, build: build, arguments: reach.arguments,
                tlsName: tlsName)
    }

    /// The options as arguments for `fleet supervise` in the same working directory.
    var arguments: [String] {
        let options = [
            ("--build-gateway", build), ("--gateway-port", port.map { String($0) }),
            ("--tls-name", tlsName?.name),
        ]
        return options.flatMap { name, value in value.map { [name, $0] } ?? [] } + reach.arguments
            + (isOmitted ? ["--no-gateway"] : [])
    }
}
