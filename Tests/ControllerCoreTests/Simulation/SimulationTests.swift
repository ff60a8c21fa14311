import FleetProtocol
import Simulation
import Testing

@Suite("Simulated fleets with faults")
struct SimulationTests {
    /// Seeds that once broke an invariant: they always run.
    private static let corpus: [UInt64] = [
        3_885, 2_508, 6_994, 432, 1_082, 1_262, 1_320, 183, 257, 473, 508, 904, 1_186, 30, 33, 40, 7, 4, 17,
        9_008, 104_355, 135_910, 139_688, 4_634, 21_239, 1_772, 27_614, 28_261, 24_174,
        2_580, 2_588, 4_232, 4_476, 10_840, 21_528, 24_392,
    ]

    @Test("300 seeds and all earlier failures keep every invariant")
    func promises() async {
        // Each seed of the corpus also runs without account clients, because most are older than these.
        let runs =
            (UInt64(1)...300).map { (seed: $0, hasAccountClients: Bool?.none) }
            + Self.corpus.flatMap {
                [(seed: $0, hasAccountClients: false), (seed: $0, hasAccountClients: nil)]
            }
        let seen = await withTaskGroup(of: Set<String>.self) { group in
            for part in 0..<40 {
                group.addTask {
                    var seen: Set<String> = []
                    for index in stride(from: part, to: runs.count, by: 40) {
                        let (seed, hasAccountClients) = runs[index]
                        let report = Simulation.run(seed: seed, hasAccountClients: hasAccountClients)
                        seen.formUnion(report.seen)
                        #expect(report.violations.isEmpty, "fleet simulate --seed \(report.seed) --trace")
                    }
                    return seen
                }
            }
            return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        #expect(Simulation.requiredEvents.subtracting(seen).isEmpty, "the faults have no effect")
    }

    @Test("faults include the packets that the network loses, duplicates and delays")
    func faults() {
        let faults = (UInt64(1)...20).map { Simulation.run(seed: $0).faults }
        #expect(faults.reduce(0, +) > 20 * 60)
    }

    @Test("a seed gives the same trace each time", arguments: UInt64(1)...5)
    func repeatable(seed: UInt64) {
        var traces: [[String]] = []
        for _ in 0..<2 {
            var trace: [String] = []
            _ = Simulation.run(seed: seed) { trace.append("\($0.monotonic.nanoseconds) \($1)") }
            traces.append(trace)
        }
        #expect(traces[0] == traces[1])
        #expect(traces[0].count > 100)
    }
}
