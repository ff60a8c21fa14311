import ArgumentParser
import FleetProtocol
import Runtime
import Simulation
import Stepping
import Wording

/// `fleet simulate`: the fleet on a network that is none, from a seed.
struct SimulateCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Runs controller, nodes, clients and observers on a hostile simulated network.",
        discussion: """
            Everything follows from the seed: messages that are lost, doubled and late,
            parties that are cut off, processes that die and freeze, full disks, clocks
            that jump. Each run is checked against what the fleet promises; one that breaks
            a promise is printed with the command that replays it.

            EXAMPLES
              fleet simulate --seeds 2000
              fleet simulate --seed 42 --trace
            """)

    @Option(help: ArgumentHelp("The first seed, or the only one.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("How many seeds, from the first on: 1 to 100,000,000.", valueName: "count"))
    var seeds = 1

    @Flag(help: "Print all that happens, a line each; with one seed only.")
    var trace = false

    @Flag(help: "Plant each known mistake in turn, and find the first seed that shows it.")
    var planted = false

    func validate() throws {
        guard (1...100_000_000).contains(seeds) else {
            throw ValidationError("--seeds \(seeds): there can be 1 to 100,000,000")
        }
        guard !trace || seeds == 1 else {
            throw ValidationError("--trace: with one seed only, and --seeds says \(seeds)")
        }
        guard !planted || Planting.isPossible else {
            throw ValidationError("--planted: this program was built without mistakes; use `make sim`")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        if planted { return findPlanted(in: surroundings) }
        var sum = SimulationSum()
        let start = surroundings.now().monotonic
        var told = start
        for seed in seed..<seed + UInt64(seeds) {
            let report = Simulation.run(
                seed: seed, trace: trace ? { surroundings.print(line(at: $0, $1)) } : nil)
            sum.add(report)
            if !report.violations.isEmpty { surroundings.print(words(about: report)) }
            let now = surroundings.now().monotonic
            if told.duration(to: now) >= .seconds(5) {
                told = now
                surroundings.say("\(sum.seeds) of \(seeds) seeds, \(sum.brokenSeeds) broke a promise\n")
            }
        }
        surroundings.print(sum.text(took: start.duration(to: surroundings.now().monotonic)))
        guard sum.brokenSeeds == 0 else { return .refused }
        let missing = sum.missing
        guard seeds < SimulationSum.seedsThatBite || missing.isEmpty else {
            surroundings.say(
                "these never happened, so the faults did not bite: \(missing.joined(separator: ", "))")
            return .refused
        }
        return .done
    }

    private func line(at now: Moment, _ what: String) -> String {
        "\(TimeText.span(microseconds: MonotonicTime.zero.duration(to: now.monotonic).wholeMicroseconds)) \(what)"
    }

    private func words(about report: Simulation.Report) -> String {
        (["seed \(report.seed) broke a promise; fleet simulate --seed \(report.seed) --trace shows how:"]
            + report.violations.map { "  \($0)" }).joined(separator: "\n")
    }

    private func findPlanted(in surroundings: Surroundings) -> ExitStatus {
        var status = ExitStatus.done
        for bug in PlantedBug.allCases {
            var found: Simulation.Report?
            for seed in seed..<seed + 5_000 where found == nil {
                let report = Simulation.run(seed: seed, planting: bug)
                if !report.violations.isEmpty { found = report }
            }
            if let found {
                surroundings.print("\(bug.rawValue): seed \(found.seed): \(found.violations[0])")
            } else {
                surroundings.print("\(bug.rawValue): not found in 5,000 seeds")
                status = .refused
            }
        }
        return status
    }
}
