import DeviceCore
import FleetProtocol
import FleetReplica
import FleetTime
import PlantedBugs

/// One run of a world: a stormy time, then calm, then the accounts are closed.
struct Run {
    private static let storm: Duration = .seconds(4)
    /// Hanging and disconnected devices recover, and late messages arrive, until so long after the storm.
    private static let aftermath: Duration = .milliseconds(2_500)
    /// Rows and presence are right this long after that, and every request has ended after the other.
    private static let repair: Duration = .seconds(2)
    private static let settlement: Duration = .milliseconds(5_200)
    /// A toggle that nothing is in the way of takes no longer.
    private static let liveness: Duration = .milliseconds(100)

    var world: World

    init(seed: UInt64, planting bug: PlantedBug?, trace: ((Moment, String) -> Void)?) {
        world = World(seed: seed, planting: bug, trace: trace)
        world.run(until: Self.storm)
        world.heal()
        let healed = Self.storm + Self.aftermath
        world.run(until: healed + Self.repair - .milliseconds(100))
        let before = world.truth
        world.run(until: healed + Self.repair)
        compare(with: before)
        world.run(until: healed + Self.settlement)
        if world.pending != 0 { world.ledger.violate("\(world.pending ?? 0) requests have not ended") }
        var end = healed + Self.settlement
        for device in world.truth.keys.sorted() {
            world.toggleInPeace(device)
            end += Self.liveness
            world.run(until: end)
        }
        compare(with: world.truth)
        world.ledger.close()
    }

    /// The rows of the controller and of observers lie between what was true a moment ago and what is now.
    private mutating func compare(with before: [DeviceID: DeviceRow]) {
        let after = world.truth
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
        for (index, watcher) in world.watchers.enumerated() {
            if let staleness = watcher.replica.staleness {
                world.ledger.violate("observer \(index) is stale: \(staleness.words)")
            }
            watcher.replica.forEachRow { row in
                seen += 1
                check(row.reported, row.isConnected, of: row.device, "observer \(index)", before, after)
                let settings = watcher.replica.settings(of: row.device)
                check(
                    settings, at: row.reported.version, of: row.device, "observer \(index)", before, after)
            }
        }
        if seen != after.count { world.ledger.violate("observers show \(seen) devices of \(after.count)") }
    }

    private mutating func check(
        _ shown: DeviceState, _ isConnected: Bool, of device: DeviceID, _ who: String,
        _ before: [DeviceID: DeviceRow], _ after: [DeviceID: DeviceRow]
    ) {
        guard let early = before[device], let late = after[device] else {
            return world.ledger.violate("\(who) shows \(device), which is nowhere")
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
    /// Who shows a device as it is shows it set as it is.
    ///
    /// Observers are told of a change in two messages, the second of which is how it is set now: between them
    /// they show it set as it was.
    private mutating func check(
        _ settings: DeviceSettings?, at version: Version, of device: DeviceID, _ who: String,
        _ before: [DeviceID: DeviceRow], _ after: [DeviceID: DeviceRow]
    ) {
        guard let early = before[device], let late = after[device], late.reported.version == version,
            late.settings != settings
        else { return }
        if early.reported.version < version, early.settings == settings { return }
        let shown = settings.map { "\($0)" } ?? "nothing"
        world.ledger.violate("\(who) shows \(device) set to \(shown), and it is \(late)")
    }
}

extension World {
    /// Every device as it is.
    var truth: [DeviceID: DeviceRow] {
        let rows = hosts.flatMap { $0.node?.truth ?? [] }
        return Dictionary(rows.map { ($0.device, $0) }, uniquingKeysWith: { _, last in last })
    }
}
