import FleetProtocol
import ReplicaTestSupport
import Testing

@testable import FleetReplica

@Suite("Snapshots of a controller that sends more than it announces")
struct SnapshotBoundsTests {
    /// What the chunks have too much of.
    enum Excess: CaseIterable {
        case rows, nodes, groups, cursors
    }

    private static let announced = 1_000
    private static let chunksAtMost = 1_000

    /// A chunk before others, with content of its own.
    private static func chunk(
        _ number: Int, answering pull: Replica.Pull, _ excess: Excess
    ) throws -> SnapshotChunk {
        let fresh = number * 400..<(number + 1) * 400
        let group = DeviceGroup(model: .sky, site: "", firmware: "\(number)", remote: .toggle)
        return try SnapshotChunk(
            epoch: Epoch(7), sequence: StreamSequence(10), nextCursor: pull.cursor + 400, isLast: false,
            endCursor: excess == .cursors ? 100_000 + 400 * UInt32(number) : .max,
            deviceCount: UInt32(announced),
            nodes: excess == .nodes ? fresh.map { try Fixture.node(UInt64($0), "node-\($0)") } : [],
            groups: excess == .groups ? fresh.map { _ in .init(number: GroupNumber(1), group: group) } : [],
            rows: excess == .rows ? fresh.map { Fixture.row($0 + 1) } : [])
    }

    /// Answers all pulls of 20 s; returns the number of chunks, and the largest number of rows and nodes.
    private static func flood(
        _ driver: inout ReplicaDriver, with excess: Excess
    ) throws -> (chunks: Int, largest: Int) {
        var (chunks, largest) = (0, 0)
        for _ in 0..<200 {
            while chunks < driver.pulls.count, chunks < chunksAtMost {
                let pull = driver.pulls[chunks]
                driver.step(.chunk(try chunk(chunks, answering: pull, excess), answering: pull))
                chunks += 1
                largest = max(largest, driver.replica.deviceCount, driver.replica.tables.nodes.nodes.count)
            }
            driver.receive(Fixture.update(7, 10, .beat))
            driver.pass(.milliseconds(100))
        }
        return (chunks, largest)
    }

    @Test(
        "a snapshot without an end is given up, pulled again ever more seldom, and takes bounded memory",
        arguments: Excess.allCases)
    func endless(excess: Excess) throws {
        var driver = ReplicaDriver.joining()
        driver.receive(Fixture.update(7, 10, .beat))
        let (chunks, largest) = try Self.flood(&driver, with: excess)
        #expect(chunks < Self.chunksAtMost)
        #expect(largest <= 2 * (Self.announced + Self.announced / 8 + SnapshotBounds.additions) + 400)
        // Without backoff there are five passes a second.
        #expect(driver.pulls.count { $0.cursor == 0 } < 20)
        // Devices in slots that were added later come with the stream.
        #expect(driver.replica.isWhole == (excess == .cursors))
    }

    @Test("a replica is whole with the next right snapshot, and has the rows of that one only")
    func recovery() throws {
        var driver = ReplicaDriver.joining()
        driver.receive(Fixture.update(7, 10, .beat))
        _ = try Self.flood(&driver, with: .rows)
        let count = driver.pulls.count
        while driver.pulls.count == count { driver.pass(.seconds(1)) }
        driver.receive(Fixture.update(7, 10, .beat))
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1), Fixture.row(2)]))
        #expect(driver.replica.isWhole && driver.replica.deviceCount == 2)
    }
}
