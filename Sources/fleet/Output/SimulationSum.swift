import FleetProtocol
import Simulation
import UserText

/// The totals of the simulation runs of many seeds.
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

    /// The required events that occurred in no seed, sorted.
    var missing: [String] { Simulation.requiredEvents.subtracting(seen.keys).sorted() }

    /// The number of steps per second of processor time.
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
