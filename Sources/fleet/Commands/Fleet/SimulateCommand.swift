import ArgumentParser
import FleetProtocol
import Simulation
import UserText

struct SimulateCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a fleet on a simulated network with faults, from a seed.",
        discussion: """
            The seed determines everything: lost, duplicated and delayed messages,
            partitions, processes that die and freeze, full disks, and wrong clocks. Each
            run is checked for the invariants of the fleet. A run that violates one is
            printed with the command that replays it.

            EXAMPLES
              fleet simulate --seeds 2000
              fleet simulate --seed 42 --trace
            """)

    @Option(help: .value("number", "The first seed, or the only one.")) var seed: UInt64 = 1
    @Option(help: .value("count", "The number of consecutive seeds: 1 to 100,000,000.")) var seeds = 1
    @Flag(help: "Print each event on a line; with one seed only.") var trace = false
    @Flag(help: "Plant each known bug in turn, and find the first seed that shows it.") var planted = false

    func validate() throws {
        try require((1...100_000_000).contains(seeds), "--seeds: expected 1 to 100,000,000, got \(seeds)")
        try require(!trace || seeds == 1, "--trace: works with one seed only, and --seeds is \(seeds)")
        try require(
            !planted || Planting.isPossible,
            "--planted: this program was built without planted bugs; use `make sim`")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        if planted { return try await findPlanted(in: surroundings) }
        var sum = SimulationSum()
        let start = surroundings.now().monotonic
        var reportedAt = start
        try await forEachSeed(in: surroundings) { seed in
            sum.add(seed.report, took: seed.took)
            if !seed.report.violations.isEmpty { try surroundings.print(Self.text(about: seed.report)) }
            let now = surroundings.now().monotonic
            guard reportedAt.duration(to: now) >= .seconds(5) else { return }
            reportedAt = now
            surroundings.notify("\(sum.seeds) of \(seeds) seeds, \(sum.failedSeeds) violated an invariant\n")
        }
        try surroundings.print(sum.text(took: start.duration(to: surroundings.now().monotonic)))
        guard sum.failedSeeds == 0 else { return .refused }
        let missing = sum.missing
        guard seeds < SimulationSum.seedsForAllEvents || missing.isEmpty else {
            surroundings.notify(
                "faults without effect: these events never occurred: \(missing.joined(separator: ", "))")
            return .refused
        }
        return .done
    }

    /// The number of consecutive seeds in one work item.
    private static let range: UInt64 = 16
    /// The report of a seed's run, and the thread time that the run took.
    private typealias Result = (report: Simulation.Report, took: Duration)

    /// Runs all seeds on all cores, and passes the results to `body` in the order of the seeds.
    private func forEachSeed(in surroundings: Surroundings, _ body: (Result) throws -> Void) async throws {
        let (first, end, isTraced) = (seed, seed + UInt64(seeds), trace)
        let ranges = (seeds + Int(Self.range) - 1) / Int(Self.range)
        try await SideBySide.forEach(ranges) { range in
            let begin = first + UInt64(range) * Self.range
            return try (begin..<min(end, begin + Self.range)).map { seed -> Result in
                let start = surroundings.threadTime()
                var failure: CommandFailure?
                let report = Simulation.run(
                    seed: seed,
                    trace: isTraced
                        ? { time, what in
                            do throws(CommandFailure) {
                                if failure == nil { try surroundings.print(Self.line(at: time, what)) }
                            } catch {
                                failure = error
                            }
                        } : nil)
                if let failure { throw failure }
                return (report, surroundings.threadTime() - start)
            }
        } then: {
            for result in $0 { try body(result) }
        }
    }

    private static func line(at now: Moment, _ what: String) -> String {
        "\(TimeText.span(microseconds: MonotonicTime.zero.duration(to: now.monotonic).wholeMicroseconds)) \(what)"
    }

    private static func text(about report: Simulation.Report) -> String {
        let replay = "fleet simulate --seed \(report.seed) --trace"
        return
            (["seed \(report.seed) violated an invariant; replay: \(replay)"]
            + report.violations.map { "  \($0)" }).joined(separator: "\n")
    }

    /// Searches 5,000 seeds for each planted bug, in parallel; fails if a bug is not found.
    private func findPlanted(in surroundings: Surroundings) async throws -> ExitStatus {
        var status = ExitStatus.done
        let (bugs, seeds) = (PlantedBug.allCases, seed..<seed + 5_000)
        try await SideBySide.forEach(bugs.count) { place in
            (bugs[place], Self.first(of: seeds, thatShows: bugs[place]))
        } then: { bug, found in
            if let found {
                try surroundings.print("\(bug.rawValue): seed \(found.seed): \(found.violations[0])")
            } else {
                try surroundings.print("\(bug.rawValue): not found in 5,000 seeds")
                status = .refused
            }
        }
        return status
    }

    private static func first(of seeds: Range<UInt64>, thatShows bug: PlantedBug) -> Simulation.Report? {
        for seed in seeds {
            let report = Simulation.run(seed: seed, planting: bug)
            if !report.violations.isEmpty { return report }
        }
        return nil
    }
}

struct SimulationSum {
    /// From this number of seeds on, each required event must occur in at least one.
    static let seedsForAllEvents = 300

    private(set) var seeds = 0
    private(set) var failedSeeds = 0
    private var steps = 0
    private var faults = 0
    private var requests = 0
    private var applied = 0
    private var processorTime = Duration.zero
    private var seen: [String: Int] = [:]

    /// - Parameter took: The thread time of the run.
    mutating func add(_ report: Simulation.Report, took: Duration) {
        processorTime += took
        seeds += 1
        if !report.violations.isEmpty { failedSeeds += 1 }
        steps += report.steps
        faults += report.faults
        requests += report.requests
        applied += report.applied
        for word in report.seen { seen[word, default: 0] += 1 }
    }

    var missing: [String] { Simulation.requiredEvents.subtracting(seen.keys).sorted() }

    private var stepsPerSecond: Int {
        processorTime > .zero ? Int(Double(steps) / (processorTime / .seconds(1))) : 0
    }

    /// Returns a line of totals, and a line with the number of seeds in which each event occurred.
    func text(took: Duration) -> String {
        let text = seen.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let time = TimeText.span(microseconds: took.wholeMicroseconds)
        return """
            \(Count.of(seeds, "seed")), \(failedSeeds) violated an invariant; \(Count.of(steps, "step")), \
            \(Count.of(faults, "fault")), \(Count.of(requests, "request")), \(applied) applied, in \(time), \
            \(Count.of(stepsPerSecond, "step")) a second of one core's time
            seeds with each event: \(text)
            """
    }
}
