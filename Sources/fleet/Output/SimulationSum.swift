import FleetTime
import Simulation
import UserText

/// The totals of the simulation runs of many seeds.
struct SimulationSum {
    /// The number of seeds from which on each kind of trouble must occur at least once.
    static let seedsThatBite = 300

    private(set) var seeds = 0
    private(set) var brokenSeeds = 0
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
        if !report.violations.isEmpty { brokenSeeds += 1 }
        steps += report.steps
        faults += report.faults
        requests += report.requests
        applied += report.applied
        for word in report.seen { seen[word, default: 0] += 1 }
    }

    /// The kinds of trouble that occurred in no seed, sorted.
    var missing: [String] { Simulation.trouble.subtracting(seen.keys).sorted() }

    /// The number of steps per second of processor time.
    private var stepsPerSecond: Int {
        processorTime > .zero ? Int(Double(steps) / (processorTime / .seconds(1))) : 0
    }

    /// Returns a line of totals, and a line with the number of seeds in which each event occurred.
    func text(took: Duration) -> String {
        let words = seen.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let time = TimeText.span(microseconds: took.wholeMicroseconds)
        return """
            \(Count.of(seeds, "seed")), \(brokenSeeds) broke a promise; \(Count.of(steps, "step")), \
            \(Count.of(faults, "fault")), \(Count.of(requests, "request")), \(applied) applied, in \(time), \
            \(Count.of(stepsPerSecond, "step")) a second of one core's time
            seeds in which it happened: \(words)
            """
    }
}
