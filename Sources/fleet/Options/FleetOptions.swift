import ArgumentParser
import Runtime

/// What fleet is to be started, and where.
struct FleetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("How many devices: 1 to 1,000,000.", valueName: "count"))
    var devices = 100

    @Option(
        help: ArgumentHelp("Over how many processes they are split: 1 to 64.", valueName: "count"))
    var nodes = 1

    @Option(help: "What names, ids and chance follow from.")
    var seed: UInt64 = 1

    @Option(help: "What the devices go through: quiet, or lively (hand remotes and lost connections).")
    var scenario = FleetPlan.Scenario.quiet

    @Option(
        name: .customLong("run-dir"),
        help: ArgumentHelp(
            "Where sockets, logs and the journal go (default: SENSIBUS_RUN_DIR, else .sensibus).",
            valueName: "directory"))
    var runDirectory: String?

    @Flag(name: .customLong("restart-nodes"), help: "Start nodes again that die.")
    var restartsNodes = false

    @Option(
        help: """
            What requests and devices' memory outlive: none (nothing), process (the death of any process), or \
            power (loss of power, too).
            """,
        transform: Durability.named)
    var durability: Durability = .process

    func validate() throws {
        guard (1...FleetPlan.deviceLimit).contains(devices) else {
            throw ValidationError("--devices \(devices): there can be 1 to \(FleetPlan.deviceLimit)")
        }
        guard (1...FleetPlan.nodeLimit).contains(nodes) else {
            throw ValidationError("--nodes \(nodes): there can be 1 to \(FleetPlan.nodeLimit)")
        }
        guard nodes <= devices else {
            throw ValidationError("--nodes \(nodes): each needs a device, and there are \(devices)")
        }
    }

    /// What is to run.
    var plan: FleetPlan {
        FleetPlan(
            devices: devices, nodes: nodes, seed: seed, scenario: scenario, restartsNodes: restartsNodes,
            durability: durability)
    }

    /// Where it is to run.
    func directory(in surroundings: Surroundings) -> RunDirectory {
        let named = RunDirectory.named(runDirectory, environment: surroundings.environment)
        return RunDirectory(
            path: named ?? RunDirectory.defaultName, relativeTo: surroundings.workingDirectory)
    }

    /// The options as another `fleet` in the same directory would be given them.
    var arguments: [String] {
        [
            "--devices", String(devices), "--nodes", String(nodes), "--seed", String(seed),
            "--scenario", scenario.rawValue, "--durability", durability.rawValue,
        ] + (runDirectory.map { ["--run-dir", $0] } ?? []) + (restartsNodes ? ["--restart-nodes"] : [])
    }
}

extension FleetPlan.Scenario: ExpressibleByArgument {}
