import FleetTime
import Simulation
import Testing

@Suite("Controller, nodes, clients and observers over a hostile network")
struct SimulationTests {
    /// Seeds that once broke a promise: they always run.
    private static let corpus: [UInt64] = [
        3_885, 2_508, 6_994, 432, 1_082, 1_262, 1_320, 183, 257, 473, 508, 904, 1_186, 30, 33, 40, 7, 4, 17,
        9_008, 104_355, 135_910, 139_688, 4_634, 21_239, 1_772, 27_614, 28_261, 24_174,
    ]

    @Test("keep every promise, whatever is lost, doubled, late, frozen, killed, full or forgotten")
    func promises() async {
        let seeds = Array(UInt64(1)...2_000) + Self.corpus
        let seen = await withTaskGroup(of: Set<String>.self) { group in
            for part in 0..<40 {
                group.addTask {
                    var seen: Set<String> = []
                    for index in stride(from: part, to: seeds.count, by: 40) {
                        let report = Simulation.run(seed: seeds[index])
                        seen.formUnion(report.seen)
                        #expect(report.violations.isEmpty, "fleet simulate --seed \(report.seed) --trace")
                    }
                    return seen
                }
            }
            return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        #expect(Simulation.trouble.subtracting(seen).isEmpty, "the faults do not bite")
    }

    @Test("count what the network loses, doubles and holds up among the faults")
    func faults() {
        let faults = (UInt64(1)...20).map { Simulation.run(seed: $0).faults }
        #expect(faults.reduce(0, +) > 20 * 60)
    }

    @Test("go the very same way from the same seed", arguments: UInt64(1)...20)
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
