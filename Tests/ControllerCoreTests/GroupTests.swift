import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Groups of devices")
struct GroupTests {
    private static let home = DeviceGroup(
        model: .sky, site: "Home", firmware: "SKY30046", remote: .discrete)
    private static let mill = DeviceGroup(model: .pure, site: "Mill Lane", firmware: "", remote: .toggle)

    private func row(_ index: Int) -> DeviceRow {
        DeviceRow(
            device: DeviceID(fleetSeed: 1, index: UInt64(index)), number: ChangeNumber(UInt64(index + 1)),
            reported: DeviceState(
                state: ACState(isOn: false, mode: .cool, targetTemperature: 22, fanLevel: .auto),
                version: Version(1), incarnation: Incarnation(bits: 0xabc)),
            epoch: .zero, lastCommandNumber: .zero, isConnected: true)
    }

    /// A node sends a hello with groups, again when asked, and answers the pull.
    private func come(
        _ name: String, _ groups: [DeviceGroup], _ rows: [RowChunk.Row], boot: UInt64, to bench: Bench
    ) throws {
        let connection = ConnectionID(high: 9, low: boot)
        let hello = NodeHello(
            node: try #require(NodeName(name)), account: try #require(AccountID("demo")),
            devices: UInt32(rows.count), groups: groups)
        func send(_ body: NodeMessage.Body) {
            let number = rows.map(\.device.number).max() ?? .zero
            bench.step(
                .node(
                    connection, NodeMessage(bootID: BootID(bits: boot), lastNumber: number, body: body)))
        }
        send(.hello(hello))
        send(.hello(hello))
        // The former boot is dead, and does not answer.
        bench.pass(Limits.bootTimeout)
        send(.hello(hello))
        send(.rows(bench.chunk(nextCursor: UInt32(rows.count), on: connection, rows: rows)))
    }

    private func snapshot(of bench: Bench) -> (groups: [SnapshotChunk.Group], rows: [SnapshotChunk.Row]) {
        var (groups, rows, cursor) = ([SnapshotChunk.Group](), [SnapshotChunk.Row](), UInt32(0))
        while case .snapshot(let chunk)? = bench.replies(to: bench.ask(.snapshot(cursor: cursor))).first {
            groups += chunk.groups
            rows += chunk.rows
            cursor = chunk.nextCursor
            if chunk.isLast { break }
        }
        return (groups, rows)
    }

    private func updates(_ bench: Bench) -> [StreamUpdate.Body] {
        bench.effects.compactMap { if case .publish(_, let update) = $0 { update.body } else { nil } }
    }

    private func labelled(_ group: UInt8, _ index: Int) -> RowChunk.Row {
        RowChunk.Row(device: row(index), name: "Room \(index)", group: group)
    }

    @Test("a group is published before the first device in it, and is in the snapshot")
    func reported() throws {
        let bench = try Bench()
        try come(
            "node-1", [Self.home, Self.mill], [labelled(0, 0), labelled(1, 1), labelled(1, 2)], boot: 1,
            to: bench)
        let reported = updates(bench)
        let numbers = [Self.home, Self.mill].enumerated().map {
            SnapshotChunk.Group(number: GroupNumber(UInt16($0 + 1)), group: $1)
        }
        #expect(reported.prefix(2) == [.group(numbers[0]), .group(numbers[1])])
        let added = reported.compactMap { if case .added(let row) = $0 { row.group.value } else { nil } }
        #expect(added == [1, 2, 2])
        #expect(snapshot(of: bench).groups == numbers)
        #expect(snapshot(of: bench).rows.map(\.group.value) == [1, 2, 2])
    }

    @Test("equal groups are shared by an account's nodes, regardless of their positions")
    func shared() throws {
        let bench = try Bench()
        try come("node-1", [Self.home, Self.mill], [labelled(1, 0)], boot: 1, to: bench)
        try come("node-2", [Self.mill, Self.home], [labelled(0, 1)], boot: 2, to: bench)
        #expect(snapshot(of: bench).groups.count == 2)
        #expect(snapshot(of: bench).rows.map(\.group.value) == [2, 2])
    }

    @Test("a node that returns with another scenario may have other groups and device names")
    func changed() throws {
        let bench = try Bench()
        try come("node-1", [Self.home], [labelled(0, 0)], boot: 1, to: bench)
        bench.effects = []
        let renamed = RowChunk.Row(device: row(0), name: "Loft", group: 0)
        try come("node-1", [Self.mill], [renamed], boot: 2, to: bench)
        let added = updates(bench).compactMap { if case .added(let row) = $0 { row } else { nil } }
        #expect(added.map(\.name) == ["Loft"])
        #expect(added.map(\.group.value) == [2])
        let rows = snapshot(of: bench).rows
        #expect(rows == added)
    }

    @Test("a chunk with a group that its node has not named is refused as a whole")
    func hostile() throws {
        let bench = try Bench()
        try come("node-1", [Self.home, Self.mill], [labelled(0, 0), labelled(2, 1)], boot: 1, to: bench)
        #expect(snapshot(of: bench).rows.isEmpty)
        let silent = try Bench()
        try come("node-1", [], [labelled(1, 0)], boot: 1, to: silent)
        #expect(snapshot(of: silent).rows.isEmpty)
        try come("node-2", [], [labelled(0, 0)], boot: 2, to: silent)
        #expect(snapshot(of: silent).rows.map(\.group) == [.none])
    }

    @Test("an account has a bounded number of groups, and further devices have none")
    func bounded() throws {
        let bench = try Bench()
        let count = Limits.nodeGroups
        for run in 0..<3 {
            let groups = (0..<count).map {
                DeviceGroup(
                    model: .sky, site: String(repeating: "s", count: 60), firmware: "\(run) \($0)",
                    remote: .toggle)
            }
            try come("node-\(run)", groups, [labelled(255, run)], boot: UInt64(run + 1), to: bench)
        }
        let (groups, rows) = snapshot(of: bench)
        #expect(groups.map(\.number.value) == Array(1...UInt16(Limits.accountGroups)))
        #expect(rows.map(\.group.value) == [256, 512, 0])
    }
}
