public import FleetProtocol

/// Controllers, nodes, clients and observers on a network that loses, duplicates and reorders packets, in
/// virtual time.
///
/// Everything follows from a seed: the same seed gives the same run, step by step, on any machine.
public struct Simulation: Sendable {
    /// The result of one seed.
    public struct Report: Sendable {
        /// The seed.
        public let seed: UInt64
        /// The violated invariants, 20 at most; empty if all hold.
        public let violations: [String]
        /// The names of the kinds of events that occurred.
        public let seen: Set<String>
        /// The number of events.
        public let steps: Int
        /// The number of injected faults.
        public let faults: Int
        /// The number of requests that were admitted.
        public let requests: Int
        /// The number of requests that devices applied.
        public let applied: Int
    }

    /// The kinds of events that must occur in any few hundred seeds; a missing kind shows faults without
    /// effect.
    public static let requiredEvents: Set = [
        "applied", "unchanged", "conflict", "rejected", "cancelled", "expired", "undetermined", "unknown",
        "cancelPending", "tooLate", "abort", "pull", "busy", "offline", "idMismatch", "notFound", "idTooOld",
        "remembered", "forgotten", "torn write", "disk full", "second controller", "segment replay", "resync",
        "stale: gap", "stale: silence", "stale: disconnected", "node cut off", "node half cut off",
        "client cut off", "observer cut off", "observer half cut off", "node clogged", "client clogged",
        "observer clogged", "clock step", "late message", "older copy", "older store", "older journal",
        "invalid", "awaited", "timer",
        "schedule", "queue done", "queue failed", "queue stopped", "queue cancelled",
        "between journal and store", "logged in", "logged out", "key added", "key revoked", "unauthenticated",
        "post stored", "comment stored", "post removed", "site stored", "site removed", "device assigned",
        "shifts stored", "labels stored", "account recovered", "signed up", "reset token sent",
        "password reset", "moved", "cell busy", "cell added", "late page", "logged in at a cell",
        "account created", "user added in a cell", "registered elsewhere", "toggle in a cell",
        "account moved",
        "node followed", "logged in after a move", "second process", "process refused", "memory taken",
    ]

    /// One of that many seeds also has several cells.
    private static let seedsOfCells: UInt64 = 4

    /// Runs a seed to its end.
    ///
    /// - Parameters:
    ///   - hasAccountClients: Whether users log in and use account services; nil: in half of all seeds.
    ///   - bug: A bug to plant; it does nothing unless ``PlantedBugs/Planting/isPossible``.
    ///   - trace: Receives each event as it happens, with its time.
    public static func run(
        seed: UInt64, hasAccountClients: Bool? = nil, planting bug: PlantedBug? = nil,
        trace: ((Moment, String) -> Void)? = nil
    ) -> Report {
        var cells = CellWorld(seed: seed, planting: bug, trace: trace)
        if seed % seedsOfCells == 0 || bug?.isOfCells == true { cells?.run() }
        let run = Run(seed: seed, hasAccountClients: hasAccountClients, planting: bug, trace: trace)
        var findings = run.world.ledger.findings
        if let cells { findings.append(cells.findings) }
        return Report(
            seed: seed, violations: findings.violations, seen: findings.seen,
            steps: run.world.totals.steps + (cells?.steps ?? 0),
            faults: run.world.faultCount + (cells?.faults ?? 0), requests: run.world.ledger.requestCount,
            applied: run.world.ledger.appliedCount)
    }
}
