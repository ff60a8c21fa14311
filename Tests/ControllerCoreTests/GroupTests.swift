import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Groups of devices")
struct GroupTests {
    private static let home = DeviceGroup(model: .sky, site: "Home", firmware: "SKY30046", remote: .discrete)
    private static let mill = DeviceGroup(model: .pure, site: "Mill Lane", firmware: "", remote: .toggle)

    private let bench = Bench()

    private func row(_ index: Int, in group: UInt8) -> RowChunk.Row {
        RowChunk.Row(device: .off(index), name: "Room \(index)", group: group)
    }

    private func snapshot() throws -> (groups: [SnapshotChunk.Group], rows: [SnapshotChunk.Row]) {
        let chunks = try bench.snapshotChunks()
        return (chunks.flatMap(\.groups), chunks.flatMap(\.rows))
    }

    @Test("a group is published before the first device in it, and is in the snapshot")
    func reported() throws {
        bench.join(with: [row(0, in: 0), row(1, in: 1), row(2, in: 1)], groups: [Self.home, Self.mill])
        let reported = bench.updates.map(\.body)
        let numbers = [Self.home, Self.mill].enumerated().map {
            SnapshotChunk.Group(number: GroupNumber(UInt16($0 + 1)), group: $1)
        }
        #expect(reported.prefix(2) == [.group(numbers[0]), .group(numbers[1])])
        #expect(bench.addedRows.map(\.group.value) == [1, 2, 2])
        #expect(try snapshot().groups == numbers)
        #expect(try snapshot().rows.map(\.group.value) == [1, 2, 2])
    }

    @Test("equal groups are shared by an account's nodes, regardless of their positions")
    func shared() throws {
        bench.join(with: [row(0, in: 1)], groups: [Self.home, Self.mill])
        bench.join("node-2", with: [row(1, in: 0)], groups: [Self.mill, Self.home], number: 2)
        #expect(try snapshot().groups.count == 2)
        #expect(try snapshot().rows.map(\.group.value) == [2, 2])
    }

    @Test("a node that returns with another scenario may have other groups and device names")
    func changed() throws {
        bench.join(with: [row(0, in: 0)], groups: [Self.home])
        bench.effects = []
        let renamed = RowChunk.Row(device: .off(0), name: "Loft", group: 0)
        bench.join(with: [renamed], groups: [Self.mill], number: 2)
        let added = bench.addedRows
        #expect(added.map(\.name) == ["Loft"])
        #expect(added.map(\.group.value) == [2])
        #expect(try snapshot().rows == added)
    }

    @Test("a chunk with a group that its node has not named is refused as a whole")
    func hostile() throws {
        bench.join(with: [row(0, in: 0), row(1, in: 2)], groups: [Self.home, Self.mill])
        #expect(try snapshot().rows.isEmpty)
    }

    @Test("a node that names no groups may report devices of the first group only, which have none")
    func groupless() throws {
        bench.join(with: [row(0, in: 1)])
        #expect(try snapshot().rows.isEmpty)
        bench.join("node-2", with: [row(0, in: 0)], number: 2)
        #expect(try snapshot().rows.map(\.group) == [.none])
    }

    @Test("an account has a bounded number of groups, and further devices have none")
    func bounded() throws {
        let count = Limits.nodeGroups
        for run in 0..<3 {
            let groups = (0..<count).map {
                DeviceGroup(
                    model: .sky, site: String(repeating: "s", count: 60), firmware: "\(run) \($0)",
                    remote: .toggle)
            }
            bench.join("node-\(run)", with: [row(run, in: 255)], groups: groups, number: UInt64(run + 1))
        }
        let (groups, rows) = try snapshot()
        #expect(groups.map(\.number.value) == Array(1...UInt16(Limits.accountGroups)))
        #expect(rows.map(\.group.value) == [256, 512, 0])
    }
}
