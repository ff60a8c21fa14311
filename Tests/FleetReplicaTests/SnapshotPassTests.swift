import FleetProtocol
import ReplicaTestSupport
import Testing

@testable import FleetReplica

@Suite("Snapshots in several parallel pulls")
struct SnapshotPassTests {
    private static let chunk = UInt32(Limits.chunkRows)

    /// A row for each of the slots.
    private static func rows(_ slots: Range<UInt32>) -> [SnapshotChunk.Row] {
        slots.map { Fixture.row(Int($0) + 1) }
    }

    private static func chunk(
        _ slots: Range<UInt32>, of count: UInt32, rows: [SnapshotChunk.Row]? = nil, sequence: UInt64 = 10
    ) throws -> SnapshotChunk {
        SnapshotChunk(
            epoch: Epoch(7), sequence: StreamSequence(sequence), nextCursor: slots.upperBound,
            isLast: slots.upperBound == count, endCursor: count,
            deviceCount: slots.lowerBound == 0 ? count : 0, nodes: [try Fixture.node()],
            rows: rows ?? Self.rows(slots))
    }

    /// A replica with the first chunk of a fleet of that many slots, and its next pulls.
    private static func begun(of count: UInt32) throws -> (driver: ReplicaDriver, pulls: [Replica.Pull]) {
        var driver = ReplicaDriver.joining()
        driver.receive(Fixture.update(7, 10, .beat))
        #expect(driver.pulls.map(\.cursor) == [0])
        try driver.answer(Self.chunk(0..<Self.chunk, of: count))
        return (driver, Array(driver.pulls.dropFirst()))
    }

    private static func slots(of pull: Replica.Pull, of count: UInt32) -> Range<UInt32> {
        pull.cursor..<(pull.end == 0 ? count : pull.end)
    }

    @Test("a replica pulls the rest in ranges of a chunk, the last one open-ended")
    func stretches() throws {
        let (_, pulls) = try Self.begun(of: 4 * Self.chunk + 10)
        #expect(pulls.map(\.cursor) == [1, 2, 3, 4].map { $0 * Self.chunk })
        #expect(pulls.map(\.end) == [2, 3, 4].map { $0 * Self.chunk } + [0])
    }

    @Test("a replica has a bounded number of pulls in flight, and sends half of them at a time")
    func bounded() throws {
        let count = 40 * Self.chunk
        var (driver, pulls) = try Self.begun(of: count)
        #expect(pulls.count == Replica.pullsAtMost)
        for pull in pulls.prefix(Replica.pullsAtMost / 2 - 1) {
            driver.step(.chunk(try Self.chunk(Self.slots(of: pull, of: count), of: count), answering: pull))
            #expect(driver.pulls.count == 1 + Replica.pullsAtMost)
        }
        pulls.removeFirst(Replica.pullsAtMost / 2 - 1)
        let next = pulls.removeFirst()
        driver.step(.chunk(try Self.chunk(Self.slots(of: next, of: count), of: count), answering: next))
        #expect(driver.pulls.count == 1 + Replica.pullsAtMost + Replica.pullsAtMost / 2)
    }

    @Test("chunks are applied in the order of slots, regardless of their arrival", arguments: UInt64(1)...20)
    func order(seed: UInt64) throws {
        let count = 30 * Self.chunk + 7
        var random = SeededGenerator(seed: seed)
        var (driver, open) = try Self.begun(of: count)
        var known = driver.pulls.count
        while !driver.replica.isWhole {
            let place = try #require(open.indices.randomElement(using: &random))
            let pull = open.remove(at: place)
            driver.step(.chunk(try Self.chunk(Self.slots(of: pull, of: count), of: count), answering: pull))
            open += driver.pulls[known...]
            known = driver.pulls.count
        }
        #expect(open.isEmpty)
        var seen: [DeviceID] = []
        driver.replica.forEachRow { seen.append($0.device) }
        #expect(seen == Self.rows(0..<count).map(\.device))
    }

    @Test("a chunk that ended before its range is continued at once")
    func short() throws {
        let count = 3 * Self.chunk
        var (driver, pulls) = try Self.begun(of: count)
        let middle = Self.chunk + 5
        driver.step(.chunk(try Self.chunk(Self.chunk..<middle, of: count), answering: pulls[0]))
        let more = try #require(driver.pulls.last)
        #expect((more.cursor, more.end) == (middle, 2 * Self.chunk))
        driver.step(.chunk(try Self.chunk(2 * Self.chunk..<count, of: count), answering: pulls[1]))
        #expect(!driver.replica.isWhole)
        driver.step(.chunk(try Self.chunk(middle..<2 * Self.chunk, of: count), answering: more))
        #expect(driver.replica.isWhole && driver.replica.deviceCount == Int(count))
    }

    @Test("ranges grow when few slots belong to the account")
    func sparse() throws {
        let count = 1_000 * Self.chunk
        var (driver, pulls) = try Self.begun(of: count)
        var asked = 1
        while !driver.replica.isWhole {
            asked += 1
            let pull = pulls.removeFirst()
            let before = driver.pulls.count
            driver.step(
                .chunk(try Self.chunk(Self.slots(of: pull, of: count), of: count, rows: []), answering: pull))
            pulls += driver.pulls[before...]
        }
        #expect(asked < 60)
        #expect(driver.replica.deviceCount == Int(Self.chunk))
    }

    @Test("only unanswered ranges are pulled again when a pull fails or all are late")
    func again() throws {
        let count = 4 * Self.chunk
        var (driver, pulls) = try Self.begun(of: count)
        driver.step(
            .chunk(try Self.chunk(Self.slots(of: pulls[1], of: count), of: count), answering: pulls[1]))
        driver.step(.pullFailed(pulls[2]))
        let before = driver.pulls.count
        driver.pass(.seconds(1))
        let repeated = Array(driver.pulls[before...].prefix(2))
        #expect(repeated.map(\.cursor) == [pulls[0].cursor, pulls[2].cursor])
        driver.step(
            .chunk(try Self.chunk(Self.slots(of: pulls[0], of: count), of: count), answering: pulls[0]))
        #expect(driver.replica.deviceCount == Int(Self.chunk), "a reply to an abandoned pull")
    }

    @Test("a device that a chunk contains twice is stored once")
    func twice() throws {
        var driver = ReplicaDriver.joining()
        driver.receive(Fixture.update(7, 10, .beat))
        let row = Fixture.row(1)
        try driver.answer(Self.chunk(0..<2, of: 2, rows: [row, row]))
        #expect(driver.replica.isWhole)
        #expect(driver.replica.deviceCount == 1 && driver.replica.onlineCount == 1)
    }
}
