import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Devices of earlier runs that are awaited after a restart")
struct AwaitedDevicesTests {
    private let bench = Bench.withDevices()
    private let other = (boot: BootID(bits: 2), connection: ConnectionID(high: 3, low: 3))

    @Test("after a restart, devices whose node does not return are offline and never unknown")
    func offline() throws {
        try bench.restart()
        #expect(try bench.status().unknown == 3)
        bench.pass(.milliseconds(1_600))
        #expect(bench.refusal(of: bench.toggle().correlation) == .offline(lastSeen: nil))
        let fault = bench.ask(.inject(.flip, devices: [Bench.device(0)], duration: .zero))
        #expect(bench.refusal(of: fault) == .offline(lastSeen: nil))
        #expect(try bench.status().offline == 3)
        #expect(try bench.status().devices == 3)
        #expect(bench.refusal(of: bench.toggle(7).correlation) == .notFound)
        #expect(bench.refusal(of: bench.toggle(token: Bench.strangerToken).correlation) == .notFound)
        #expect(bench.controller.engine.directory.devices.isEmpty, "nothing is stored for a refusal")
    }

    @Test("commands to awaited devices are queued while their node may be late, and sent when it returns")
    func late() throws {
        try bench.restart()
        let toggle = bench.toggle()
        bench.pass(.milliseconds(1_600))
        #expect(bench.replies(to: toggle.correlation).isEmpty)
        #expect(bench.refusal(of: bench.toggle().correlation) == .offline(lastSeen: nil))
        bench.join()
        bench.carryOutNewest()
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
        #expect(try bench.status().online == 3)
        #expect(try bench.status().devices == 3)
    }

    @Test("a command to an awaited device expires if its node does not return")
    func neverCame() throws {
        try bench.restart()
        let toggle = bench.toggle(timeout: .seconds(3))
        bench.pass(.seconds(3))
        #expect(bench.outcome(of: toggle.correlation) == .expired)
    }

    @Test("devices are stored before they are published, and not again when they return")
    func retainedOnce() throws {
        let bench = Bench()
        bench.bringUp(3)
        let name = valid(NodeName("node-1"))
        let list = NodeDevices(account: .demo, node: name, devices: bench.rows.map(\.device))
        #expect(bench.directoryEntries == [.added(list)])
        let stored = try #require(
            bench.effects.firstIndex { if case .store(.directory) = $0 { true } else { false } })
        let reported = try #require(
            bench.effects.firstIndex {
                if case .publish(_, let update) = $0, case .added = update.body { true } else { false }
            })
        #expect(stored < reported)
        try bench.restartWithNode()
        #expect(bench.directoryEntries == [.confirmed(.demo, name)])
    }

    @Test("a device that its node returns without is removed, and a request for it ends")
    func removed() throws {
        let toggle = bench.toggle(2)
        try bench.restart()
        let lost = bench.rows.removeLast().device
        bench.join(boot: other.boot)
        #expect(bench.lists == ["demo/node-1": bench.rows.map(\.device)])
        #expect(bench.updates.contains { $0.body == .removed(lost) })
        #expect(bench.outcome(of: toggle.id) == .undetermined(.deviceGone))
        bench.passWithPings(.seconds(2))
        #expect(bench.refusal(of: bench.toggle(2).correlation) == .notFound)
        #expect(try bench.status().devices == 2)
    }

    @Test("if a node returns without devices, all are removed, and so is its stored list")
    func allRemoved() throws {
        try bench.restart()
        bench.rows = []
        bench.join(boot: other.boot)
        #expect(bench.lists.isEmpty)
        bench.passWithPings(.seconds(2))
        #expect(bench.refusal(of: bench.toggle().correlation) == .notFound)
    }

    @Test("an awaited device that another node of the account reports moves to that node")
    func moved() throws {
        let all = bench.rows
        try bench.restart()
        let toggle = bench.toggle(2)
        bench.rows = Array(all[1...])
        bench.join("node-2", boot: other.boot, on: other.connection)
        #expect(bench.lists == ["demo/node-1": [all[0].device], "demo/node-2": all[1...].map(\.device)])
        #expect(bench.commands(to: other.connection).map(\.identity.requestID) == [toggle.id])
        bench.pass(.milliseconds(1_600))
        #expect(bench.refusal(of: bench.toggle(0).correlation) == .offline(lastSeen: nil))
    }

    @Test("devices that moved while their node was away are stored with the new node")
    func movedInThisRun() {
        bench.send(.leaving)
        bench.join("node-2", boot: other.boot, on: other.connection)
        #expect(bench.lists == ["demo/node-2": bench.rows.map(\.device)])
    }

    @Test("awaited devices stay with their account: another account's node does not get them")
    func foreign() throws {
        try bench.restart()
        bench.join(account: .other, boot: other.boot, on: other.connection)
        #expect(bench.sent(to: other.connection).contains(.claimsRefused(bench.rows.map(\.device))))
        #expect(bench.lists == ["demo/node-1": bench.rows.map(\.device)])
        bench.pass(.milliseconds(1_600))
        #expect(bench.refusal(of: bench.toggle(token: Bench.strangerToken).correlation) == .notFound)
        #expect(bench.refusal(of: bench.toggle().correlation) == .offline(lastSeen: nil))
    }

    @Test("awaited devices are offline if their node is lost while it sends its table")
    func lostMidway() throws {
        try bench.restart()
        bench.hello()
        let row = RowChunk.Row(device: bench.rows[0], name: "Room 1")
        bench.send(.rows(bench.chunk(nextCursor: 1, isLast: false, rows: [row])))
        bench.pass(.milliseconds(1_600))
        #expect(bench.refusal(of: bench.toggle(0).correlation) != .offline(lastSeen: nil))
        #expect(bench.refusal(of: bench.toggle(2).correlation) == .offline(lastSeen: nil))
        #expect(try bench.status().devices == 3)
        bench.send(.ping())
        bench.answerPull()
        bench.toggle(2)
        #expect(bench.commands.count == 1)
    }

    @Test("awaited devices that are missing from a table sent in two parts on two connections are removed")
    func twoParts() throws {
        try bench.restart()
        bench.rows.removeLast()
        bench.hello()
        let row = RowChunk.Row(device: bench.rows[0], name: "Room 1")
        bench.send(.rows(bench.chunk(nextCursor: 1, isLast: false, rows: [row])))
        bench.hello(on: other.connection)
        #expect(bench.pulls(to: other.connection).last == PullRange(since: ChangeNumber(1), cursor: 0))
        bench.answerPull(on: other.connection)
        #expect(bench.lists == ["demo/node-1": bench.rows.map(\.device)])
        #expect(try bench.status().devices == 2)
    }

    @Test("devices in two stored lists, because one was not rewritten in time, end up in one")
    func twice() {
        let ids = (0..<100).map { DeviceID(fleetSeed: 1, index: $0) }
        let keys = ["a", "b"].compactMap(NodeName.init).map { NodeKey(account: 0, name: $0) }
        var awaited = AwaitedDevices([(keys[0], ids), (keys[1], Array(ids[50...]))])
        #expect(awaited.count(of: 0) == 150)
        #expect(awaited.name(ids[60], at: keys[1]) == .known)
        #expect(awaited.robbed == [keys[0]])
        #expect(awaited.account(of: ids[60]) == nil)
        #expect(awaited.name(ids[60], at: keys[1]) == .new)
        #expect(awaited.name(ids[10], at: NodeKey(account: 1, name: keys[0].name)) == .refused)
        awaited.end(keys[0])
        #expect(awaited.account(of: ids[10]) == nil)
        #expect(awaited.account(of: ids[99]) == 0)
        #expect(Set(awaited.devices(of: keys[1])) == Set(ids[50...]).subtracting([ids[60]]))
        awaited.end(keys[1])
        #expect(awaited.count(of: 0) == 0)
    }
}
