import DeviceCore
import FleetProtocol
import Stepping

/// One run of a world: a stormy time, then calm, then the accounts are closed.
struct Run {
    private static let storm: Duration = .seconds(4)
    /// Rows and presence are right this long after the storm, and every request has ended after the other.
    private static let repair: Duration = .seconds(2)
    private static let settlement: Duration = .milliseconds(5_200)

    let violations: [String]
    let seen: Set<String>
    let steps: Int

    init(seed: UInt64) {
        let world = World(seed: seed)
        world.run(until: Self.storm)
        world.heal()
        // Hanging and disconnected devices recover, and late messages arrive, until a little later.
        let healed = Self.storm + .milliseconds(2_500)
        world.run(until: healed + Self.repair - .milliseconds(100))
        let before = world.truth
        world.run(until: healed + Self.repair)
        Self.compare(world, with: before)
        world.run(until: healed + Self.settlement)
        if world.pending != 0 { world.ledger.violate("\(world.pending ?? 0) requests have not ended") }
        world.run(until: healed + Self.settlement + .milliseconds(100))
        Self.compare(world, with: world.truth)
        world.ledger.close()
        (violations, seen, steps) = (world.ledger.violations, world.ledger.seen, world.steps)
    }

    /// The controller's rows lie between what was true a moment ago and what is true now.
    private static func compare(_ world: World, with before: [DeviceID: DeviceRow]) {
        let after = world.truth
        var rows = 0
        for index in [0, 3] {
            let view = world.snapshot(of: index)
            for node in view.nodes where node.presence.kind != .online {
                world.ledger.violate("\(node.name) is \(node.presence.kind)")
            }
            for row in view.rows {
                rows += 1
                guard let early = before[row.device], let late = after[row.device] else {
                    world.ledger.violate("\(row.device) is nowhere")
                    continue
                }
                let isRight =
                    row.reported.incarnation == late.reported.incarnation
                    && row.reported.version >= early.reported.version
                    && row.reported.version <= late.reported.version
                    && row.isConnected == late.isConnected
                if !isRight
                    || (row.reported.version == late.reported.version && row.reported != late.reported)
                {
                    world.ledger.violate("\(row.device) is shown as \(row.reported), and is \(late)")
                }
            }
        }
        if rows != after.count { world.ledger.violate("\(rows) devices are shown of \(after.count)") }
    }
}

extension World {
    /// Every device as it is.
    var truth: [DeviceID: DeviceRow] {
        let rows = hosts.flatMap { $0.node?.truth ?? [] }
        return Dictionary(rows.map { ($0.device, $0) }, uniquingKeysWith: { _, last in last })
    }
}
