import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@Suite("Replica under random faults")
struct RandomHistoryTests {
    @Test(
        "a replica is consistent within 2 s of the links' return, and no version goes back",
        arguments: UInt64(1)...200)
    func converges(seed: UInt64) throws {
        let (driver, history) = try run(seed: seed)
        #expect(driver.replica.isWhole, "seed \(seed)")
        #expect(driver.replica.behind == 0, "seed \(seed)")
        compare(driver.replica, history, seed: seed)
        noVersionWentBack(driver.events, seed: seed)
    }

    @Test("random runs make the replica stale and repaired several times, so their faults are effective")
    func faultsBite() throws {
        var repairs = 0
        for seed in UInt64(1)...20 {
            repairs += try run(seed: seed).driver.events.count { event in
                if case .resync(let resync) = event.body { !resync.isFirst } else { false }
            }
        }
        #expect(repairs > 60)
    }

    /// Six seconds on faulty links, then two on good ones.
    private func run(seed: UInt64) throws -> (driver: ReplicaDriver, history: RandomHistory) {
        var history = RandomHistory(seed: seed)
        var driver = ReplicaDriver(seed: seed)
        var random = SeededGenerator(seed: seed &+ 1_000)
        driver.step(.connection(.established))
        for _ in 0..<600 {
            try turn(&driver, &history)
            if Int.random(in: 0..<3, using: &random) == 0 { try history.change(at: driver.now) }
            if Int.random(in: 0..<200, using: &random) == 0 { driver.step(.connection(.connecting)) }
            if Int.random(in: 0..<20, using: &random) == 0 { driver.step(.connection(.established)) }
        }
        history.isLossy = false
        driver.step(.connection(.established))
        for _ in 0..<200 { try turn(&driver, &history) }
        return (driver, history)
    }

    /// 10 ms.
    private func turn(_ driver: inout ReplicaDriver, _ history: inout RandomHistory) throws {
        driver.pass(.milliseconds(10))
        for pull in driver.pulls { history.ask(pull, at: driver.now) }
        driver.pulls = []
        for input in try history.deliver(at: driver.now) { driver.step(input) }
    }

    private func compare(_ replica: Replica, _ history: RandomHistory, seed: UInt64) {
        var seen: [DeviceID] = []
        replica.forEachRow { seen.append($0.device) }
        #expect(seen == history.slots.compactMap { $0 }, "seed \(seed)")
        #expect(seen.count == replica.deviceCount, "seed \(seed)")
        var online = 0
        for (id, device) in history.devices {
            let row = replica.row(of: id)
            #expect(row?.name == device.name, "seed \(seed)")
            #expect(row?.reported == device.state, "seed \(seed)")
            let node = Presence(history.presences[device.node] ?? .unknown, since: Fixture.start.wall)
            let presence = Presence.joined(
                node: node, isConnected: device.isConnected, connectedSince: Fixture.start.wall)
            #expect(replica.presence(of: id)?.kind == presence.kind, "seed \(seed)")
            online += presence.kind == .online ? 1 : 0
        }
        #expect(replica.onlineCount == online, "seed \(seed)")
    }

    private func noVersionWentBack(_ events: [FleetEvent], seed: UInt64) {
        struct DeviceIncarnation: Hashable {
            let device: DeviceID
            let incarnation: Incarnation
        }
        var highest: [DeviceIncarnation: Version] = [:]
        for event in events {
            guard case .reported(let reported) = event.body else { continue }
            let deviceIncarnation = DeviceIncarnation(
                device: reported.device.id, incarnation: reported.state.incarnation)
            let version = reported.state.version
            #expect(highest[deviceIncarnation].map { $0 < version } ?? true, "seed \(seed)")
            highest[deviceIncarnation] = version
        }
    }
}
