import FleetProtocol
import ReplicaTestSupport
import Testing

@testable import FleetReplica

@Suite("Groups in a replica")
struct ReplicaGroupTests {
    private func group(_ number: UInt16, _ site: String) -> SnapshotChunk.Group {
        SnapshotChunk.Group(
            number: GroupNumber(number),
            group: DeviceGroup(model: .sky, site: site, firmware: "", remote: .toggle))
    }

    private func site(of number: Int, in driver: ReplicaDriver) -> String? {
        driver.replica.row(of: Fixture.device(number)).flatMap { driver.replica.group(of: $0)?.site }
    }

    @Test("groups come with the snapshot, in a row's chunk or an earlier one, and with the stream")
    func stored() throws {
        var driver = ReplicaDriver.joining()
        driver.receive(Fixture.update(7, 10, .beat))
        try driver.answer(
            Fixture.chunk(
                7, 10, rows: [Fixture.row(1, group: 1)], groups: [group(1, "Mill"), group(2, "Quay")],
                next: 1))
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(2, group: 2), Fixture.row(3)]))
        #expect((1...3).map { site(of: $0, in: driver) } == ["Mill", "Quay", nil])
        driver.receive(Fixture.update(7, 11, .group(group(3, "Dock"))))
        driver.receive(Fixture.update(7, 12, .added(Fixture.row(4, group: 3))))
        driver.receive(Fixture.update(7, 13, .added(Fixture.row(1, name: "Loft", group: 3))))
        #expect(site(of: 4, in: driver) == "Dock")
        #expect(site(of: 1, in: driver) == "Dock")
        #expect(driver.replica.row(of: Fixture.device(1))?.name == "Loft")
        #expect(driver.replica.isWhole)
    }

    @Test("groups have other numbers in another epoch, and rows keep theirs until they are sent again")
    func renumbered() throws {
        var driver = ReplicaDriver.joining()
        driver.receive(Fixture.update(7, 10, .beat))
        try driver.answer(
            Fixture.chunk(
                7, 10, rows: [Fixture.row(1, group: 1), Fixture.row(2, group: 2)],
                groups: [group(1, "Mill"), group(2, "Quay")]))
        driver.receive(Fixture.update(8, 1, .group(group(1, "Quay"))))
        driver.receive(Fixture.update(8, 2, .added(Fixture.row(3, group: 2))))
        #expect((1...3).map { site(of: $0, in: driver) } == ["Mill", "Quay", nil])
        driver.passUntilPull()
        try driver.answer(
            Fixture.chunk(
                8, 2,
                rows: [Fixture.row(1, group: 2), Fixture.row(2, group: 1), Fixture.row(3, group: 2)],
                groups: [group(1, "Quay"), group(2, "Mill")]))
        #expect((1...3).map { site(of: $0, in: driver) } == ["Mill", "Quay", "Mill"])
    }

    @Test("a replica that continues from a recorded state has the same groups and rows")
    func continued() throws {
        var driver = ReplicaDriver.joining()
        driver.receive(Fixture.update(7, 10, .beat))
        try driver.answer(
            Fixture.chunk(
                7, 10, rows: [Fixture.row(1, group: 2), Fixture.row(2)],
                groups: [group(1, "Mill"), group(2, "Quay")]))
        let chunks = driver.replica.chunks()
        let state = try #require(
            ReplicaState(of: &driver.replica, seed: 1, chunkCount: chunks.count, at: driver.now))
        driver.replica = try Replica(state, chunks: chunks)
        #expect((1...2).map { site(of: $0, in: driver) } == ["Quay", nil])
        driver.receive(Fixture.update(7, 11, .added(Fixture.row(3, group: 1))))
        #expect(site(of: 3, in: driver) == "Mill")
    }
}
