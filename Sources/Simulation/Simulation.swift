public import FleetProtocol
import FleetReplica

/// Controllers, nodes, clients and observers on a network that loses, duplicates and reorders packets, in
/// virtual time. Everything follows from a seed: the same seed gives the same run, step by step, on any
/// machine.
public struct Simulation: Sendable {
    /// The result of one seed.
    public struct Report: Sendable {
        public let seed: UInt64
        /// The violated invariants, 20 at most; empty if all hold.
        public let violations: [String]
        /// The names of the kinds of events that occurred.
        public let seen: Set<String>
        public let steps: Int
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

    /// Runs a seed to its end. Users log in and use account services, or, for nil, in half of all seeds. A
    /// planted bug does nothing unless ``FleetProtocol/Planting/isPossible``. The trace receives each event
    /// as it happens, with its time.
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
            steps: run.world.events.steps + (cells?.events.steps ?? 0),
            faults: run.world.faultCount + (cells?.faults ?? 0), requests: run.world.ledger.requestCount,
            applied: run.world.ledger.appliedCount)
    }
}

/// One run of a world: a time with faults, a time without, and the final checks.
struct Run {
    private static let faultyTime: Duration = .seconds(4)
    /// After the faults two processes of a node run until `rivalry` ends; one is served from `decision` on.
    private static let decision: Duration = .seconds(2)
    private static let rivalry: Duration = .seconds(4)
    /// Hanging and disconnected devices recover, and late messages arrive, until this time after the faults.
    private static let aftermath: Duration = .milliseconds(2_500)
    /// Rows and presence are right after `repair`, and every request has ended after `settlement`.
    private static let repair: Duration = .seconds(2)
    private static let settlement: Duration = .milliseconds(5_200)
    /// The longest time of a toggle without faults.
    private static let liveness: Duration = .milliseconds(100)

    var world: World

    init(
        seed: UInt64, hasAccountClients: Bool?, planting bug: PlantedBug?,
        trace: ((Moment, String) -> Void)?
    ) {
        world = World(seed: seed, hasAccountClients: hasAccountClients, planting: bug, trace: trace)
        world.run(until: Self.faultyTime)
        world.heal()
        var healed = Self.faultyTime + Self.aftermath
        if let twin = world.twin {
            world.run(until: Self.faultyTime + Self.decision)
            // A process that has lost the memory ends, and takes it back when it starts again.
            if twin.processes.allSatisfy({ world.nodes[$0].isAlive && !world.nodes[$0].isTaken }) {
                world.ledger.nodes.observe(twin.processes)
            }
            world.run(until: Self.faultyTime + Self.rivalry)
            world.endTwin()
            healed += Self.rivalry
        }
        world.run(until: healed + Self.repair - .milliseconds(100))
        let before = world.nodes.truth()
        world.run(until: healed + Self.repair)
        compare(with: before)
        world.run(until: healed + Self.settlement)
        if world.pending != 0 { world.ledger.violate("\(world.pending ?? 0) requests have not ended") }
        var end = healed + Self.settlement
        for device in world.nodes.truth().keys.sorted() {
            world.toggleAfterHealing(device)
            end += Self.liveness
            world.run(until: end)
        }
        compare(with: world.nodes.truth())
        world.checkServedAccounts(when: "at the end")
        world.ledger.close()
    }

    /// Invariant: rows of the controller and of observers lie between the true ones of before and of now.
    private mutating func compare(with before: HashTable<DeviceID, DeviceRow>) {
        let after = world.nodes.truth()
        var rows = 0
        for index in [0, 3] {
            let view = world.snapshot(of: index)
            for node in view.nodes where node.presence.kind != .online {
                world.ledger.violate("\(node.name) is \(node.presence.kind)")
            }
            for row in view.rows {
                rows += 1
                check(row.reported, row.isConnected, of: row.device, "the controller", before, after)
                check(row.settings, at: row.reported.version, of: row.device, "the controller", after, after)
            }
        }
        if rows != after.count { world.ledger.violate("\(rows) devices are shown of \(after.count)") }
        var seen = 0
        for (index, observer) in world.observers.enumerated() {
            if let staleness = observer.replica.staleness {
                world.ledger.violate("observer \(index) is stale: \(staleness.text)")
            }
            observer.replica.forEachRow { row in
                seen += 1
                check(row.reported, row.isConnected, of: row.device, "observer \(index)", before, after)
                let settings = observer.replica.settings(of: row.device)
                check(settings, at: row.reported.version, of: row.device, "observer \(index)", before, after)
            }
        }
        if seen != after.count { world.ledger.violate("observers show \(seen) devices of \(after.count)") }
    }

    private mutating func check(
        _ shown: DeviceState, _ isConnected: Bool, of device: DeviceID, _ who: String,
        _ before: HashTable<DeviceID, DeviceRow>, _ after: HashTable<DeviceID, DeviceRow>
    ) {
        guard let early = before[device], let late = after[device] else {
            return world.ledger.violate("\(who) shows \(device), which does not exist")
        }
        let isRight =
            shown.incarnation == late.reported.incarnation && shown.version >= early.reported.version
            && shown.version <= late.reported.version && isConnected == late.isConnected
        if !isRight || (shown.version == late.reported.version && shown != late.reported) {
            world.ledger.violate("\(who) shows \(device) as \(shown), and it is \(late)")
        }
    }
}

extension Run {
    /// Invariant: a row with the true version of a device has its true settings. Observers receive a change
    /// in two messages, the settings in the second. Between them they show the settings of before.
    private mutating func check(
        _ settings: DeviceSettings?, at version: Version, of device: DeviceID, _ who: String,
        _ before: HashTable<DeviceID, DeviceRow>, _ after: HashTable<DeviceID, DeviceRow>
    ) {
        guard let early = before[device], let late = after[device], late.reported.version == version,
            late.settings != settings
        else { return }
        if early.reported.version < version, early.settings == settings { return }
        let shown = settings.map { "\($0)" } ?? "nothing"
        world.ledger.violate("\(who) shows \(device) with settings \(shown), and it is \(late)")
    }
}
