import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Quotas of accounts")
struct QuotaTests {
    private let bench = Bench.withDevices()
    private var generator = SeededGenerator(seed: 3)

    @Test("an account's outcomes and horizon are not affected by another account")
    mutating func ends() {
        var retention = ControllerConfiguration.Retention()
        (retention.results, retention.tombstones, retention.tombstonesAtMost) = (100, 4, 1_000)
        var ended = EndedRequests(retention: retention)
        let own = (0..<50).map { ended.insertEnd($0, of: 0, using: &generator) }
        for account in AccountIndex(1)...64 {
            for second in 100..<110 {
                ended.insertEnd(second, of: account, isTombstone: true, using: &generator)
            }
        }
        let now = Bench.start.advanced(by: .seconds(500))
        for _ in 0..<200 { _ = ended.prune(at: now) }
        #expect(own.allSatisfy { ended[$0] != nil })
        #expect(ended.count == 50 + 64 * 4)
        #expect(ended.completeSince(of: 0) == nil)
        #expect(ended.completeSince(of: 64) == Bench.start.advanced(by: .seconds(105)))
        let old = RequestKey(account: 0, id: RequestID(at: Bench.start, using: &generator))
        #expect(ended.lag(of: old) == nil)
        #expect(ended.lag(of: RequestKey(account: 1, id: old.id)) == .seconds(105))
    }

    @Test("a flood of tombstones is refused for its account only, and others' cancels are accepted")
    mutating func flood() {
        var retention = ControllerConfiguration.Retention()
        (retention.tombstones, retention.tombstonesAtMost) = (10, 16)
        var ended = EndedRequests(retention: retention)
        var admitted = 0
        for _ in 0..<100 where ended.makeRoomForTombstone(of: 1, at: Bench.start).isAvailable {
            ended.insertEnd(0, of: 1, isTombstone: true, using: &generator)
            admitted += 1
        }
        #expect(admitted == 10)
        #expect(ended.makeRoomForTombstone(of: 0, at: Bench.start).isAvailable)
        let later = Bench.start.advanced(by: .seconds(60))
        let room = ended.makeRoomForTombstone(of: 1, at: later)
        #expect(room.isAvailable)
        #expect(room.horizon == Bench.start)
    }

    @Test("an account with too many recent outcomes is refused, and others are not")
    mutating func full() {
        var retention = ControllerConfiguration.Retention()
        retention.resultsAtMost = 20
        var ended = EndedRequests(retention: retention)
        for number in 0..<13 { ended.insertEnd(0, of: number < 3 ? 0 : 1, using: &generator) }
        #expect(ended.isFull(of: 1))
        #expect(!ended.isFull(of: 0))
    }

    @Test("quotas are divided among accounts with devices, and an account without gets a small share")
    func shares() {
        let quota = Quota(account: 100, all: 300, withoutDevices: 7)
        #expect(quota.share(hasDevices: true, ofAccounts: 1) == 100)
        #expect(quota.share(hasDevices: true, ofAccounts: 6) == 50)
        #expect(quota.share(hasDevices: false, ofAccounts: 6) == 7)
    }

    @Test("sixty-four accounts without devices do not reduce another account's share for posts")
    func posts() throws {
        #expect(bench.controller.engine.directory.share(of: 0, in: .logbook) == Limits.logbookBytes)
        for number in 0..<64 {
            let account = try #require(AccountID("guest-\(number)"))
            let index = bench.controller.engine.directory.accountMade(account)
            let share = bench.controller.engine.directory.share(of: try #require(index), in: .logbook)
            #expect(share == Limits.bytesWithoutDevices)
        }
        #expect(bench.controller.engine.directory.share(of: 0, in: .logbook) == Limits.logbookBytes)
        try bench.restart()
        let demo = try #require(bench.controller.engine.directory.account(.demo))
        // Its node is awaited.
        #expect(bench.controller.engine.directory.share(of: demo, in: .logbook) == Limits.logbookBytes)
    }

    @Test("quotas count the accounts with devices, including awaited ones")
    func holders() throws {
        let elsewhere = ConnectionID(high: 3, low: 3)
        func holders() -> Set<String> {
            let directory = bench.controller.engine.directory
            let known = directory.nodes.filter { $0.devices > 0 }.map(\.account)
            #expect(directory.accountsWithDevices == directory.awaited.accounts.union(known))
            return Set(directory.accountsWithDevices.map { directory.accounts[Int($0)].id.name })
        }
        func sendHello(of devices: [DeviceRow], boot: UInt64) {
            bench.rows = devices
            bench.join(account: .other, boot: BootID(bits: boot), on: elsewhere)
        }
        #expect(holders() == ["demo"])
        let others = [bench.rows[0].with(device: Bench.device(10))]
        sendHello(of: others, boot: 3)
        #expect(holders() == ["demo", "other"])
        try bench.restart()
        #expect(holders() == ["demo", "other"], "they are awaited")
        bench.toggle(10, token: Bench.strangerToken)
        #expect(holders() == ["demo", "other"])
        bench.rows = []
        bench.join()
        #expect(holders() == ["other"], "the node returned without devices")
        sendHello(of: others, boot: 3)
        #expect(holders() == ["other"])
        try bench.restart()
        bench.toggle(10, token: Bench.strangerToken)
        sendHello(of: [], boot: 4)
        #expect(holders().isEmpty)
    }

    @Test("an account with devices keeps its share of requests in flight when another fills its lanes")
    func requests() {
        let bench = Bench.withDevices { $0.requestsInFlight = 8 }
        bench.rows = [bench.rows[0].with(device: Bench.device(10))]
        bench.join(account: .other, boot: BootID(bits: 3), on: ConnectionID(high: 3, low: 3))
        let others = (0..<8).map { _ in bench.toggle(10, token: Bench.strangerToken) }
        #expect(others.count { bench.refusal(of: $0.correlation) == nil } == 4)
        let toggles = (0..<3).map { bench.toggle($0) }
        #expect(toggles.map { bench.refusal(of: $0.correlation) == nil } == [true, true, false])
        #expect(bench.commands.count == 2)
    }
}
