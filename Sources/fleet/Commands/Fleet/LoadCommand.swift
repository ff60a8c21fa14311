import ArgumentParser
import FleetClient
import FleetProtocol
import LoadCore
import ProcessSupport
import UserFiles
import UserText

struct LoadCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Toggle many devices, and measure the latency.",
        discussion: """
            Latency is measured from the time when a toggle was due, not from when it was sent: a \
            stall of the fleet or of the tester shows in full. A closed loop (--in-flight) finds \
            the maximum throughput, and understates latency during stalls. Ctrl-C stops the load \
            and reports the result so far; a second Ctrl-C does not wait for replies. The command \
            exits with 1 if an objective (--slo) was missed.

            The warm-up is measured like the rest and discarded. --self-test measures the tester \
            alone: a server that answers at once replaces the fleet. Its latencies are \
            the lowest that can be measured on this machine.

            Whether a change is more than noise shows in several runs of each version: at least \
            \(ChangeEstimate.fewestRuns), with --repeat. Runs that alternate (--compare with a directory) \
            are the most precise, because what slows the machine affects both versions.

            With --target http, the toggles go to the gateway over keep-alive connections, as those of an \
            integrator do. A toggle that waits for an idle connection is late from its due time. The hops \
            within the fleet are not known, and cancels, repeats and several testers need the bus.

            With --testers, several testers share the rate and the devices, start at one instant, \
            and their results are added: run `fleet load agent` on each machine. If a tester is lost, \
            the command exits with 1.

            EXAMPLES
              fleet load --rate 5000 --duration 30s --slo 'p99<5ms'
              fleet load --with-fleet 1000 --in-flight 64 --json -
              fleet load --with-fleet 500 --scenario flaky-wifi --rate 200
              fleet load --rate 5000 --duration 10m --abort-on 'p99>50ms/5s'
              fleet load --sweep 1000,2000,5000,10000 --html load.html --csv seconds.csv
              fleet load --ramp 100..5000/60s,5000/30s --abort-on 'p99>50ms/5s' --html load.html
              fleet load --mix toggle=6,set=2,read=1,cancel=1 --rate 1000 --html load.html
              fleet load --rate 2000 --cancel-ratio 0.1 --retry-ratio 0.1 --compare old.json
              fleet load --with-fleet 100 --repeat 7 --compare ../old/.build/release
              fleet load --rate 500 --metrics-file load.prom
              fleet load --target http --rate 500 --slo 'p99<20ms'
              fleet load --target http --url https://fleet.example.org --ca ca.pem --in-flight 16
              fleet load --self-test --rate 10000 --slo 'p99.9<=200us'
              fleet load --testers 3 --rate 30000 --html load.html
            """,
        subcommands: [LoadAgentCommand.self])

    @OptionGroup var load: LoadOptions

    @Option(help: .value("selector", "Selectors of the devices, as for `fleet devices` (default: all)."))
    var devices: String?

    @Option(
        name: .customLong("with-fleet"), parsing: .unconditional,
        help: .value("count", "Start a fleet of this many devices for the load, and stop it afterwards."))
    var ownDevices: Int?

    @Option(
        help: .value(
            "name|file",
            "The scenario of the fleet of --with-fleet: \(ReadyMadeScenario.names); or a file (default: "
                + "quiet)."),
        completion: .scenarios, transform: { try ScenarioChoice($0, zones: Environment.timeZones) })
    var scenario: ScenarioChoice?

    @Flag(help: "Measure the tester itself: a server in this process replaces the fleet.")
    var selfTest = false

    @Option(
        parsing: .unconditional,
        help: .value(
            "count",
            "Share the load among this many testers, 1 to \(Limits.loadTesters), on this and other machines.")
    )
    var testers: Int?

    @Option(
        help: "An objective, such as p99<5ms, p99.9<=10ms or max<50ms; may be repeated.",
        transform: { text in try valid { try Objective(text) } })
    var slo: [Objective] = []

    @Option(
        name: .customLong("abort-on"),
        help: .value(
            "condition",
            "End the load early, with status 1, when this holds for that time: p99>50ms/5s; may be repeated."),
        transform: { text in try valid { try AbortCondition(text) } })
    var abortConditions: [AbortCondition] = []

    @Flag(
        name: .customLong("no-screen"),
        help: "Show the progress as one line instead of live figures and plots.")
    var hasNoScreen = false

    @OptionGroup var files: LoadFiles
    @OptionGroup var user: UserOption
    @OptionGroup var runDirectory: RunDirectoryOption

    func validate() throws {
        if let ownDevices {
            try require(
                (1...FleetPlan.deviceLimit).contains(ownDevices),
                "--with-fleet \(ownDevices): 1 to \(FleetPlan.deviceLimit) devices are possible")
            try require(
                runDirectory.path == nil, "--with-fleet uses its own run directory: leave --run-dir out")
            try require(user.user == nil, "--with-fleet uses its own account: leave --as out")
        }
        try require(
            scenario == nil || ownDevices != nil,
            "--scenario is for the fleet that the load starts: add --with-fleet COUNT, or switch the running "
                + "fleet with `fleet scenario`")
        if let testers {
            try require(
                (1...Limits.loadTesters).contains(testers),
                "--testers \(testers): 1 to \(Limits.loadTesters) are possible")
            try require(ownDevices == nil, "--testers loads a running fleet: leave --with-fleet out")
            try require(abortConditions.isEmpty, "--abort-on is for a load of one tester")
        }
        if load.interface.target == .http {
            try require(testers == nil, "--testers share a load of the bus: leave --target http out")
            try require(!selfTest, "--self-test is for the bus: leave --target http out")
            try require(
                load.interface.url == nil || ownDevices == nil,
                "--with-fleet has its own gateway: leave --url out")
        }
        if selfTest {
            let others = [
                ("--devices", devices != nil), ("--with-fleet", ownDevices != nil),
                ("--run-dir", runDirectory.path != nil), ("--testers", testers != nil),
                ("--as", user.user != nil),
            ]
            if let other = others.first(where: \.1) {
                throw ValidationError("--self-test uses no fleet: leave \(other.0) out")
            }
        }
        try require(
            files.hgrm == nil || (load.sweep == nil && load.runs == 1),
            "--hgrm: the file holds one load, and --sweep and --repeat run several")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await LoadRun(
            plans: try load.plans(), objectives: slo, abortConditions: abortConditions,
            selectors: devices.map { [$0] } ?? [], target: target,
            gateway: load.interface.gateway(in: surroundings), user: user, runDirectory: runDirectory,
            outputs: LoadOutputs(files, in: surroundings), export: files.export(in: surroundings),
            isScreenWanted: !hasNoScreen,
            surroundings: surroundings
        ).run()
    }

    var target: LoadRun.Target {
        if selfTest { return .echo }
        if let testers { return .testers(testers) }
        guard let ownDevices else { return .runningFleet }
        return .ownFleet(
            FleetPlan(
                forLoadOf: ownDevices, scenario: scenario, hasGateway: load.interface.target == .http))
    }
}

struct LoadAgentCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Take part in loads of several testers.",
        discussion: """
            The tester waits until `fleet load --testers N` is started with a session of the same account, \
            on this machine or another one. It then carries out its part of the load, and sends its \
            result there. It waits for the next load until Ctrl-C, or ends after one run with --once. \
            Ctrl-C during a load stops its part, which still counts; another one ends the tester.

            EXAMPLES
              fleet load agent
              fleet load agent --once --name rack-7
            """)

    @Option(
        help: "The name of this tester in the report (default: that of this machine).",
        transform: { try NodeName($0).orInvalid("--name: 1 to 32 characters of [A-Za-z0-9._-]") })
    var name: NodeName?

    @Flag(help: "End after one run, with status 0.") var once = false
    @OptionGroup var user: UserOption
    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, as: user, in: surroundings).allowingLoad()
        let interruption = LoadInterruption()
        let signals = await surroundings.stopSignals()
        let agent = LoadAgent(
            name: name ?? Self.nameOfMachine, isOnce: once, surroundings: surroundings,
            interruption: interruption, agent: surroundings.makeRequestID())
        return try await interruption.count(signals) { try await agent.run(with: access) }
    }

    private static var nameOfMachine: NodeName {
        let name = Environment.hostName.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        guard let name = NodeName(String(name.prefix(32))) else {
            preconditionFailure("a machine has a name")
        }
        return name
    }
}

enum LoadDevices {
    /// Finds the selected devices; offline ones are included, and their toggles are refused.
    static func find(
        _ selectors: [String], with client: FleetClient, in surroundings: Surroundings
    ) async throws -> [ListedDevice] {
        let devices = try await DeviceDirectory.search(with: client, in: surroundings) {
            directory throws(CommandFailure) in
            let devices = try directory.listed(by: selectors)
            guard devices.isEmpty else { return devices }
            let what = selectors.first.map { "no device \"\(SafeText.of($0))\"" } ?? "no device"
            throw CommandFailure(
                .notPermitted, "\(what) in this account (notFound)",
                advice: "list the devices with `fleet devices`")
        }
        let offline = devices.count { $0.presence.reason != nil }
        if offline > 0 {
            surroundings.notify(
                "fleet: offline: \(offline) of \(devices.count) devices; their toggles are refused")
        }
        return devices
    }
}

extension ControllerAccess {
    /// This access, if the key of this machine permits a load, as that of an observer does not.
    func allowingLoad() throws(CommandFailure) -> ControllerAccess {
        guard connection.membership?.rights.role != .observer else {
            throw CommandFailure(
                .notPermitted, "the key of this machine is an observer's, which changes nothing",
                advice: "join as a client, in another run directory")
        }
        return self
    }
}
