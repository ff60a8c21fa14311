import FleetProtocol
import ReplicaTestSupport
import Testing

@testable import FleetReplica

@Suite("Replica")
struct ReplicaTests {
    @Test("a replica pulls when it first connects, chunk after chunk, and is whole after the last")
    func joins() throws {
        var driver = ReplicaDriver()
        #expect(driver.replica.staleness == .joining)
        driver.step(.connection(.established))
        driver.receive(Fixture.update(7, 10, .beat))
        #expect(driver.pulls.map(\.cursor) == [0])
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1)], next: 1))
        #expect(driver.pulls.map(\.cursor) == [0, 1])
        #expect(!driver.replica.isWhole)
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(2)]))
        #expect(driver.replica.isWhole)
        #expect(driver.replica.deviceCount == 2)
        #expect(driver.replica.onlineCount == 2)
        let resync = FleetEvent.Resync(
            devices: 2, position: StreamPosition(epoch: Epoch(7), sequence: StreamSequence(10)),
            isFirst: true,
            staleFor: .zero)
        #expect(driver.events.map(\.body) == [.connection(.established), .resync(resync)])
    }

    @Test(
        "a replica applies an update newer than the row, and ignores older and repeated ones",
        arguments: [(UInt64(9), UInt64(1)), (11, 2), (12, 2)])
    func newerOnly(sequence: UInt64, version: UInt64) throws {
        var driver = try ReplicaDriver.whole()
        let device = Fixture.device(1)
        driver.receive(Fixture.update(7, sequence, .reported(device, Fixture.state(on: true, version: 2))))
        driver.receive(Fixture.update(7, sequence, .reported(device, Fixture.state(version: 99))))
        #expect(driver.replica.row(of: device)?.reported.version == Version(version))
    }

    @Test("a replica keeps the newest measurements, from the stream or a snapshot")
    func measured() throws {
        func measured(_ deciCelsius: Int16) throws -> Measurements {
            try #require(
                Measurements(
                    deciCelsius: deciCelsius, feelsLikeDeciCelsius: deciCelsius, humidityPermille: 1,
                    rssiDBm: -60))
        }
        func row(_ deciCelsius: Int16) throws -> SnapshotChunk.Row {
            Fixture.row(
                1, measured: SnapshotChunk.Measured(try measured(deciCelsius), at: Fixture.start.wall))
        }
        func shown(_ driver: ReplicaDriver) -> Int16? {
            driver.replica.row(of: Fixture.device(1))?.measured?.measurements.deciCelsius
        }
        var driver = ReplicaDriver.joining()
        try driver.answer(Fixture.chunk(7, 10, rows: [row(200)], next: 1))
        #expect(shown(driver) == 200)
        let known = MeasuredDevice(device: Fixture.device(1), measurements: try measured(215))
        let unknown = MeasuredDevice(device: Fixture.device(9), measurements: try measured(300))
        driver.receive(Fixture.update(7, 12, .measured([unknown, known])))
        #expect(shown(driver) == 215)
        try driver.answer(Fixture.chunk(7, 11, rows: [row(200)]))
        #expect(shown(driver) == 215)
        #expect(driver.replica.row(of: Fixture.device(9)) == nil)
    }

    @Test("several reports in an update are each applied, and one for a row to come is kept")
    func reportsTogether() throws {
        var driver = ReplicaDriver.joining()
        driver.receive(Fixture.update(7, 10, .beat))
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1)], next: 1))
        let (on, off) = (Fixture.state(on: true, version: 2), Fixture.state(version: 3))
        let late = Fixture.state(on: true, version: 9)
        driver.receive(
            Fixture.update(
                7, 11,
                .reports([
                    ReportedDevice(device: Fixture.device(1), state: on),
                    ReportedDevice(device: Fixture.device(2), state: late),
                    ReportedDevice(device: Fixture.device(1), state: off),
                ])))
        let reported = driver.events.compactMap { event -> DeviceState? in
            if case .reported(let reported) = event.body { reported.state } else { nil }
        }
        #expect(reported == [on, off])
        #expect(driver.replica.updateCount == 3)
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(2)]))
        #expect(driver.replica.row(of: Fixture.device(1))?.reported == off)
        #expect(driver.replica.row(of: Fixture.device(2))?.reported == late)
        #expect(driver.replica.isWhole)
    }

    @Test("a replica pulls the next chunk before it writes the rows of one, and writes them first")
    func ahead() throws {
        var driver = ReplicaDriver.joining()
        let pull = try #require(driver.pulls.last)
        let chunk = try Fixture.chunk(7, 10, rows: [Fixture.row(1)], next: 1)
        var effects: [Replica.Effect] = []
        driver.replica.step(.chunk(chunk, answering: pull), at: driver.now, into: &effects)
        #expect(effects == [.pull(Replica.Pull(cursor: 1, number: pull.number + 1))])
        #expect(driver.replica.hasUnwrittenRows && driver.replica.deviceCount == 0)
        driver.receive(
            Fixture.update(7, 11, .reported(Fixture.device(1), Fixture.state(on: true, version: 5))))
        #expect(driver.replica.row(of: Fixture.device(1))?.reported.version == Version(5))
        #expect(!driver.replica.hasUnwrittenRows)
    }

    @Test("a chunk never overwrites a newer update, of a new or a known row")
    func chunkIsOlder() throws {
        var driver = ReplicaDriver.joining()
        driver.receive(
            Fixture.update(7, 11, .reported(Fixture.device(1), Fixture.state(on: true, version: 5))))
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1)], next: 1))
        #expect(driver.replica.row(of: Fixture.device(1))?.reported.version == Version(5))
        driver.receive(Fixture.update(7, 12, .reported(Fixture.device(1), Fixture.state(version: 6))))
        try driver.answer(Fixture.chunk(7, 11, rows: [Fixture.row(1, state: Fixture.state(version: 5))]))
        #expect(driver.replica.row(of: Fixture.device(1))?.reported.version == Version(6))
        #expect(driver.replica.isWhole)
    }

    @Test("a chunk repairs a lost connection of a row whose state is newer than the chunk")
    func partsApart() throws {
        var driver = try ReplicaDriver.whole()
        // 11 is lost: device 1 lost its connection.
        driver.receive(Fixture.update(7, 12, .beat))
        driver.passUntilPull()
        driver.receive(
            Fixture.update(7, 13, .reported(Fixture.device(1), Fixture.state(on: true, version: 2))))
        try driver.answer(Fixture.chunk(7, 12, rows: [Fixture.row(1, isConnected: false), Fixture.row(2)]))
        #expect(driver.replica.presence(of: Fixture.device(1))?.kind == .offline(.disconnected))
        #expect(driver.replica.row(of: Fixture.device(1))?.reported.version == Version(2))
        #expect(driver.replica.isWhole)
    }

    @Test(
        "a gap, a beat ahead or another epoch is reported at once, and repaired after a random delay",
        arguments: [
            (Fixture.update(7, 12, .removed(Fixture.device(9))), Staleness.gap),
            (Fixture.update(7, 11, .beat), .gap),
            (Fixture.update(8, 1, .beat), .otherEpoch),
        ])
    func repairs(update: StreamUpdate, reason: Staleness) throws {
        var driver = try ReplicaDriver.whole()
        driver.receive(update)
        #expect(driver.events.map(\.body) == [.stale(reason)])
        #expect(driver.pulls.isEmpty)
        driver.passUntilPull()
        #expect(driver.pulls.map(\.cursor) == [0])
        try driver.answer(
            Fixture.chunk(update.epoch.value, 12, rows: [Fixture.row(1, state: Fixture.state(version: 3))]))
        #expect(driver.replica.isWhole)
        #expect(driver.replica.row(of: Fixture.device(1))?.reported.version == Version(3))
        #expect(driver.replica.row(of: Fixture.device(2)) == nil)
    }

    @Test("a second without a beat is silence, and less is not")
    func silence() throws {
        var driver = try ReplicaDriver.whole()
        driver.pass(.milliseconds(990))
        #expect(driver.replica.isWhole)
        driver.receive(Fixture.update(7, 10, .beat))
        driver.pass(.milliseconds(990))
        #expect(driver.events.isEmpty)
        driver.pass(.milliseconds(10))
        #expect(driver.events.map(\.body) == [.stale(.silence)])
        driver.passUntilPull()
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1), Fixture.row(2)]))
        #expect(!driver.replica.isWhole, "a snapshot alone does not end the silence")
        driver.pass(.seconds(5))
        #expect(driver.pulls.count == 1, "no repeated pulls while the stream is silent")
        driver.receive(Fixture.update(7, 10, .beat))
        #expect(driver.replica.isWhole)
    }

    @Test("a lost connection makes the replica stale at once, and whole again after it returns")
    func reconnects() throws {
        var driver = try ReplicaDriver.whole()
        driver.step(.connection(.connecting))
        #expect(driver.replica.staleness == .disconnected)
        driver.pass(.seconds(10))
        #expect(driver.pulls.isEmpty)
        #expect(driver.replica.deviceCount == 2, "the last known state stays")
        driver.step(.connection(.established))
        driver.passUntilPull()
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1), Fixture.row(2)]))
        #expect(!driver.replica.isWhole)
        driver.receive(Fixture.update(7, 10, .beat))
        #expect(driver.replica.isWhole)
    }

    @Test("a replica is not whole before its first update, as earlier updates may be missing")
    func unreceived() throws {
        var driver = ReplicaDriver.joining()
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1)]))
        #expect(driver.replica.staleness == .joining)
        driver.receive(Fixture.update(7, 10, .beat))
        #expect(driver.replica.isWhole)
        driver.step(.connection(.connecting))
        driver.step(.connection(.established))
        driver.passUntilPull()
        try driver.answer(Fixture.chunk(8, 3, rows: [Fixture.row(1)]))
        driver.passUntilPull()
        try driver.answer(Fixture.chunk(8, 3, rows: [Fixture.row(1)]))
        #expect(driver.replica.staleness == .otherEpoch, "the new controller's stream has not arrived yet")
        driver.clear()
        driver.receive(Fixture.update(8, 3, .beat))
        #expect(driver.replica.isWhole)
        #expect(driver.pulls.isEmpty)
    }

    @Test("a pull that fails or has no reply for a second is repeated from the same slot")
    func retries() throws {
        var driver = ReplicaDriver.joining()
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1)], next: 400))
        driver.step(.pullFailed(try #require(driver.pulls.last)))
        driver.pass(.milliseconds(500))
        #expect(driver.pulls.map(\.cursor) == [0, 400, 400])
        driver.pass(.milliseconds(1_500))
        #expect(driver.pulls.count >= 4)
        #expect(driver.pulls.allSatisfy { [0, 400].contains($0.cursor) })
    }

    @Test("a reply to an earlier pull is ignored")
    func lateReply() throws {
        var driver = ReplicaDriver.joining()
        let first = try #require(driver.pulls.last)
        driver.step(.pullFailed(first))
        driver.pass(.milliseconds(500))
        driver.step(.chunk(try Fixture.chunk(7, 10, rows: [Fixture.row(1)]), answering: first))
        #expect(driver.replica.deviceCount == 0)
    }

    @Test("an update before the first chunk that shows a gap restarts the snapshot")
    func gapBeforeFirstChunk() throws {
        var driver = ReplicaDriver.joining()
        driver.receive(Fixture.update(7, 15, .removed(Fixture.device(9))))
        try driver.answer(Fixture.chunk(7, 12, rows: [Fixture.row(1)]))
        #expect(!driver.replica.isWhole)
        driver.passUntilPull()
        try driver.answer(Fixture.chunk(7, 15, rows: [Fixture.row(1)]))
        #expect(driver.replica.isWhole)
    }

    @Test("a snapshot across two epochs is restarted")
    func epochAmidSnapshot() throws {
        var driver = ReplicaDriver.joining()
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1)], next: 1))
        try driver.answer(Fixture.chunk(8, 1, rows: [Fixture.row(2)]))
        #expect(!driver.replica.isWhole)
        driver.passUntilPull()
        #expect(driver.pulls.last?.cursor == 0)
        driver.receive(Fixture.update(8, 1, .beat))
        try driver.answer(Fixture.chunk(8, 1, rows: [Fixture.row(2)]))
        #expect(driver.replica.isWhole)
        #expect(driver.replica.row(of: Fixture.device(1)) == nil)
    }

    @Test("a device removed during a snapshot does not return with an older chunk")
    func noResurrection() throws {
        var driver = ReplicaDriver.joining()
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1)], next: 1))
        driver.receive(Fixture.update(7, 11, .removed(Fixture.device(2))))
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(2)]))
        #expect(driver.replica.row(of: Fixture.device(2)) == nil)
        #expect(driver.replica.isWhole)
    }

    @Test("a device added during a snapshot stays, even if the snapshot does not contain it")
    func addedStays() throws {
        var driver = ReplicaDriver.joining()
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1)], next: 1))
        driver.receive(Fixture.update(7, 11, .added(Fixture.row(3))))
        try driver.answer(Fixture.chunk(7, 11, rows: [Fixture.row(2)]))
        var order: [DeviceID] = []
        driver.replica.forEachRow { order.append($0.device) }
        #expect(order == [1, 2, 3].map(Fixture.device), "in the order of slots, the new one last")
    }

    @Test("a lost node is one event, and its devices' presence follows it")
    func nodeLost() throws {
        var driver = try ReplicaDriver.whole([Fixture.row(1), Fixture.row(2, isConnected: false)])
        let lost = try Fixture.node(1, "node-1", .offline(.nodeLost))
        driver.receive(Fixture.update(7, 11, .node(lost, devices: 2)))
        let change = FleetEvent.NodeChange(node: lost.name, presence: lost.presence, devices: 2)
        #expect(driver.events.map(\.body) == [.node(change)])
        #expect(driver.replica.presence(of: Fixture.device(1))?.kind == .offline(.nodeLost))
        #expect(driver.replica.onlineCount == 0)
        driver.receive(Fixture.update(7, 12, .node(try Fixture.node(), devices: 2)))
        #expect(driver.replica.onlineCount == 1, "the disconnected device stays offline")
    }

    @Test("a device that disconnects while its node is lost is offline when the node returns")
    func connectionBehindNode() throws {
        var driver = try ReplicaDriver.whole()
        let lost = try Fixture.node(1, "node-1", .offline(.nodeLost))
        driver.receive(Fixture.update(7, 11, .node(lost, devices: 2)))
        driver.clear()
        driver.receive(Fixture.update(7, 12, .connection(Fixture.device(1), isConnected: false)))
        #expect(driver.events.isEmpty)
        driver.receive(Fixture.update(7, 13, .node(try Fixture.node(), devices: 2)))
        #expect(driver.replica.presence(of: Fixture.device(1))?.kind == .offline(.disconnected))
    }

    @Test("a node with another number in the next epoch is the same node")
    func nodeRenumbered() throws {
        var driver = try ReplicaDriver.whole()
        let renumbered = try Fixture.node(5, "node-1", .offline(.nodeLost))
        driver.receive(Fixture.update(8, 1, .node(renumbered, devices: 2)))
        #expect(driver.replica.presence(of: Fixture.device(1))?.kind == .offline(.nodeLost))
    }

    @Test("a node number of the last epoch is unknown in the next")
    func nodeNumberCleared() throws {
        var driver = try ReplicaDriver.whole()
        driver.receive(Fixture.update(8, 1, .added(Fixture.row(3, node: 1))))
        let row = try #require(driver.replica.row(of: Fixture.device(3)))
        #expect(driver.replica.node(of: row).name == nil)
        #expect(driver.replica.presence(of: Fixture.device(3))?.kind == .unknown)
    }

    @Test("updates of an older controller are ignored")
    func fenced() throws {
        var driver = try ReplicaDriver.whole()
        driver.receive(Fixture.update(6, 99, .reported(Fixture.device(1), Fixture.state(version: 50))))
        #expect(driver.replica.isWhole)
        #expect(driver.replica.row(of: Fixture.device(1))?.reported.version == Version(1))
    }

    @Test("a controller with a lower epoch is accepted once the old one is silent")
    func lowerEpoch() throws {
        var driver = try ReplicaDriver.whole()
        driver.pass(.seconds(2))
        try driver.answer(Fixture.chunk(3, 1, rows: [Fixture.row(1, state: Fixture.state(version: 4))]))
        driver.passUntilPull()
        try driver.answer(Fixture.chunk(3, 1, rows: [Fixture.row(1, state: Fixture.state(version: 4))]))
        driver.receive(Fixture.update(3, 1, .beat))
        #expect(driver.replica.isWhole)
        #expect(driver.replica.row(of: Fixture.device(1))?.reported.version == Version(4))
    }

    @Test(
        "an outcome is reported once with the settings before, in either order of updates",
        arguments: [true, false])
    func outcomeBefore(isStateFirst: Bool) throws {
        var driver = try ReplicaDriver.whole()
        let state = Fixture.state(on: true, version: 2)
        let report = try Fixture.report(.applied(state), device: Fixture.device(1), versionBefore: 1)
        let bodies: [StreamUpdate.Body] = [.reported(Fixture.device(1), state), .outcome(report)]
        for (offset, body) in (isStateFirst ? bodies : bodies.reversed()).enumerated() {
            driver.receive(Fixture.update(7, UInt64(11 + offset), body))
            driver.receive(Fixture.update(7, UInt64(11 + offset), body))
        }
        let outcomes = driver.events.compactMap { event in
            if case .outcome(let outcome) = event.body { outcome } else { nil }
        }
        #expect(outcomes.map(\.before) == [Fixture.state().state])
        #expect(driver.events.count == 2)
    }

    @Test("a replica reports by how many updates it is behind")
    func behind() throws {
        var driver = try ReplicaDriver.whole()
        driver.receive(Fixture.update(7, 11, .beat))
        #expect(driver.replica.behind == 1)
        driver.receive(Fixture.update(7, 15, .beat))
        #expect(driver.replica.behind == 5)
        driver.passUntilPull()
        try driver.answer(Fixture.chunk(7, 15, rows: []))
        #expect(driver.replica.behind == 0)
    }
}
