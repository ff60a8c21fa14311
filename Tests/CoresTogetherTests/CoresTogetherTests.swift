import ControllerCore
import FleetProtocol
import Stepping
import Testing

@Suite("Controller and nodes over a hostile network")
struct CoresTogetherTests {
    @Test("keep every promise, whatever is lost, doubled, late, frozen or killed")
    func promises() {
        var seen: Set<String> = []
        for seed in UInt64(1)...300 {
            let run = Run(seed: seed)
            seen.formUnion(run.seen)
            #expect(run.violations.isEmpty, "seed \(seed)")
        }
        // The faults must bite: each of these has to have happened to somebody.
        let wanted: Set = [
            "applied", "unchanged", "conflict", "rejected", "cancelled", "expired", "undetermined", "unknown",
            "cancelPending", "tooLate", "abort", "pull", "busy", "offline", "idMismatch", "notFound",
            "remembered", "forgotten", "dead unheard", "torn",
        ]
        #expect(wanted.subtracting(seen).isEmpty)
    }
}
