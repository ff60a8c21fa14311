public import FleetTime
public import PlantedBugs

/// Controller, nodes, clients and observers on a network that loses, doubles and reorders, in virtual time.
///
/// Everything follows from a seed: the same seed gives the same run, step by step, on any machine.
public struct Simulation: Sendable {
    /// What came of one seed.
    public struct Report: Sendable {
        /// The seed.
        public let seed: UInt64
        /// What was promised and not kept, 20 at most; empty when all is well.
        public let violations: [String]
        /// What happened at all, by name.
        public let seen: Set<String>
        /// Events.
        public let steps: Int
        /// Things that went wrong on purpose.
        public let faults: Int
        /// Requests that were admitted, and those of them that were applied.
        public let requests: Int
        public let applied: Int
    }

    /// What must have happened in some of any few hundred seeds, or the faults do not bite.
    public static let trouble: Set = [
        "applied", "unchanged", "conflict", "rejected", "cancelled", "expired", "undetermined", "unknown",
        "cancelPending", "tooLate", "abort", "pull", "busy", "offline", "idMismatch", "notFound", "idTooOld",
        "remembered", "forgotten", "torn", "disk full", "second controller", "recall", "resync", "stale: gap",
        "stale: silence", "stale: disconnected", "node cut off", "node half cut off", "client cut off",
        "observer cut off", "observer half cut off", "node clogged", "client clogged", "observer clogged",
        "clock step", "late word", "older copy", "invalid", "awaited", "timer", "schedule",
        "sequence done", "sequence failed", "sequence stopped", "sequence cancelled",
        "between journal and store",
    ]

    /// Runs a seed to its end.
    ///
    /// - Parameters:
    ///   - bug: A mistake to plant; it does nothing unless ``FleetTime/Planting/isPossible``.
    ///   - trace: Told what happens, a line each, as it happens.
    public static func run(
        seed: UInt64, planting bug: PlantedBug? = nil, trace: ((Moment, String) -> Void)? = nil
    ) -> Report {
        let world = Run(seed: seed, planting: bug, trace: trace).world
        return Report(
            seed: seed, violations: world.ledger.violations, seen: world.ledger.seen, steps: world.steps,
            faults: world.faults, requests: world.ledger.requestCount, applied: world.ledger.appliedCount)
    }
}
