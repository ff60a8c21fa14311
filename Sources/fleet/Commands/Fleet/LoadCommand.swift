import ArgumentParser
import LoadCore

/// `fleet load`: toggles many devices, and measures the latency.
struct LoadCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Toggle many devices, and measure how long that takes.",
        discussion: """
            Latency is counted from when a toggle was due, not from when it left: a stall \
            shows in full, the fleet's as the tester's own. A closed loop (--in-flight) finds \
            how much can be carried, and hides waiting. Ctrl-C ends it with what was measured \
            so far, a second one without waiting for answers. It exits with 1 when an \
            objective (--slo) was missed.

            The warm-up is measured like the rest and discarded. --self-test measures the tester \
            alone: a server that answers at once replaces the fleet. Its latencies are \
            the lowest that can be measured on this machine.

            EXAMPLES
              fleet load --rate 5000 --duration 30s --slo 'p99<5ms'
              fleet load --with-fleet 1000 --in-flight 64 --json -
              fleet load --sweep 1000,2000,5000,10000 --html load.html
              fleet load --rate 2000 --cancel-ratio 0.1 --retry-ratio 0.1 --compare old.json
              fleet load --self-test --rate 10000 --slo 'p99.9<=200us'
            """)

    @OptionGroup var load: LoadOptions

    @Option(
        help: ArgumentHelp(
            "Selectors of the devices, as for `fleet devices` (default: all).", valueName: "selector"))
    var devices: String?

    @Option(
        name: .customLong("with-fleet"), parsing: .unconditional,
        help: ArgumentHelp(
            "Bring up a fleet of so many devices for this load, and take it down again.", valueName: "count"))
    var ownDevices: Int?

    @Flag(help: "Measure the tester itself: a server in this process replaces the fleet.")
    var selfTest = false

    @Option(
        help: ArgumentHelp(
            "What is wanted, such as p99<5ms, p99.9<=10ms or max<50ms; may be repeated.", valueName: "slo"),
        transform: LoadCommand.objective)
    var slo: [Objective] = []

    @OptionGroup var files: LoadFiles
    @OptionGroup var runDirectory: RunDirectoryOption

    func validate() throws {
        if let ownDevices {
            guard (1...FleetPlan.deviceLimit).contains(ownDevices) else {
                throw ValidationError(
                    "--with-fleet \(ownDevices): there can be 1 to \(FleetPlan.deviceLimit) devices")
            }
            try require(
                runDirectory.path == nil, "--with-fleet has a run directory of its own: leave --run-dir out")
        }
        if selfTest {
            let others = [
                ("--devices", devices != nil), ("--with-fleet", ownDevices != nil),
                ("--run-dir", runDirectory.path != nil),
            ]
            if let other = others.first(where: \.1) {
                throw ValidationError("--self-test needs no fleet: leave \(other.0) out")
            }
        }
        guard files.hgrm == nil || load.sweep == nil else {
            throw ValidationError("--hgrm: the file has room for one load, and --sweep is several")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await LoadRun(
            plans: try load.plans(), objectives: slo, selectors: devices.map { [$0] } ?? [], target: target,
            runDirectory: runDirectory, outputs: LoadOutputs(files, in: surroundings),
            surroundings: surroundings
        ).run()
    }

    private var target: LoadRun.Target {
        if selfTest { return .echo }
        return ownDevices.map { .ownFleet(devices: $0) } ?? .runningFleet
    }

    private static func objective(_ text: String) throws -> Objective {
        do {
            return try Objective(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
