import Simulation
import Testing

@Suite("Controller, nodes, clients and observers over a hostile network")
struct SimulationTests {
    @Test("keep every promise, whatever is lost, doubled, late, frozen, killed, full or forgotten")
    func promises() {
        var seen: Set<String> = []
        for seed in UInt64(1)...300 {
            let report = Simulation.run(seed: seed)
            seen.formUnion(report.seen)
            #expect(report.violations.isEmpty, "seed \(seed)")
        }
        // The faults must bite: each of these has to have happened to somebody.
        let wanted: Set = [
            "applied", "unchanged", "conflict", "rejected", "cancelled", "expired", "undetermined", "unknown",
            "cancelPending", "tooLate", "abort", "pull", "busy", "offline", "idMismatch", "notFound",
            "idTooOld", "remembered", "forgotten", "dead unheard", "torn", "disk full", "second controller",
            "resync", "stale: gap", "stale: silence", "stale: disconnected",
        ]
        #expect(wanted.subtracting(seen).isEmpty, "\(wanted.subtracting(seen).sorted())")
    }
}
