import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Presence of nodes")
struct PresenceTests {
    private let bench = Bench.withDevices()

    private var presences: [Presence.Kind] {
        bench.updates.compactMap { if case .node(let node, _) = $0.body { node.presence.kind } else { nil } }
    }

    @Test("a silent node is stale after 1 s and lost after 1.5 s, in one update each")
    func lease() {
        bench.pass(.milliseconds(999))
        #expect(presences == [])
        bench.pass(.milliseconds(1))
        #expect(presences == [.stale])
        bench.pass(.milliseconds(500))
        #expect(presences == [.stale, .offline(.nodeLost)])
        let updates = bench.updates.filter { if case .beat = $0.body { false } else { true } }
        #expect(updates.count == 2)
    }

    @Test("a node's lease is renewed by pings and by every other message")
    func heartbeats() {
        bench.passWithPings(.seconds(10))
        bench.pass(.milliseconds(900))
        bench.publish(0)
        bench.pass(.milliseconds(900))
        #expect(presences == [])
    }

    @Test("a lost node is online after its next message, and its ping is answered with the epoch")
    func back() {
        bench.pass(.seconds(5))
        bench.effects = []
        bench.send(.ping())
        #expect(presences == [.online])
        #expect(bench.sent() == [.pong(helloWanted: false)])
    }

    @Test("a node that leaves is offline at once")
    func leaving() {
        bench.send(.leaving)
        #expect(presences == [.offline(.nodeLeft)])
        #expect(bench.refusal(of: bench.toggle().correlation) == .offline(lastSeen: bench.now.wall))
    }

    @Test("a node whose key was revoked is lost at once, and online again after its next message")
    func revoked() {
        var effects = Controller.Effects()
        bench.controller.lose(Bench.boot, at: bench.now, into: &effects)
        bench.effects = effects.all
        bench.send(.ping())
        #expect(presences == [.offline(.nodeLost), .online])
    }

    @Test("a late hello of an earlier run, which the node does not confirm, does not change its presence")
    func lateHello() {
        let next = (boot: BootID(bits: 2), connection: ConnectionID(high: 3, low: 3))
        bench.join(boot: next.boot, on: next.connection)
        bench.effects = []
        bench.answersHello = false
        bench.hello()
        for boot in UInt64(10)..<20 {
            bench.hello(boot: BootID(bits: boot), on: ConnectionID(high: 9, low: boot))
        }
        #expect(bench.sent(to: Bench.node).first == .pong(helloWanted: true))
        #expect(!bench.sent(to: Bench.node).contains(.pong(helloWanted: false)))
        let toggle = bench.toggle()
        #expect(bench.commands(to: next.connection).count == 1)
        bench.send(.ping(), boot: next.boot, on: next.connection)
        #expect(bench.sent(to: next.connection).last == .pong(helloWanted: false))
        #expect(presences == [])
        #expect(bench.replies(to: toggle.correlation).isEmpty)
    }

    @Test("a node's other run that answers is accepted, also one that was considered ended")
    func answeredHello() {
        for (place, boot) in [BootID(bits: 2), Bench.boot, BootID(bits: 3)].enumerated() {
            let connection = ConnectionID(high: 3, low: UInt64(place))
            bench.join(boot: boot, on: connection)
            bench.send(.ping(), boot: boot, on: connection)
            #expect(bench.sent(to: connection).suffix(2).contains(.pong(helloWanted: false)))
        }
    }

    @Test("nodes stay online when the controller itself was frozen")
    func frozen() {
        bench.passWithPings(.seconds(1))
        bench.now = bench.now.advanced(by: .seconds(20))
        bench.step(.turn(lastTook: .zero))
        #expect(presences == [])
        bench.pass(.seconds(2))
        #expect(presences == [.stale, .offline(.nodeLost)])
    }

    @Test("an unknown node that pings is asked for a hello")
    func stranger() {
        bench.send(.ping(), boot: BootID(bits: 5), on: ConnectionID(high: 7, low: 7))
        #expect(bench.sent(to: ConnectionID(high: 7, low: 7)) == [.pong(helloWanted: true)])
    }

    @Test("the status counts all devices, and those without a connection apart from those of lost nodes")
    func counts() throws {
        func counts() throws -> [UInt32] {
            let status = try bench.status()
            return [status.devices, status.online, status.offline, status.disconnected]
        }
        bench.setConnection(1, false)
        #expect(try counts() == [3, 2, 1, 1])
        bench.pass(Limits.lease + .milliseconds(100))
        #expect(try counts() == [3, 0, 3, 0])
    }

    @Test("a node that reconnects without changes is not asked for its table")
    func reconnected() {
        let elsewhere = ConnectionID(high: 8, low: 8)
        bench.hello(on: elsewhere)
        #expect(bench.sent(to: elsewhere) == [.pong(helloWanted: false)])
    }

    @Test("a restarted node's rows replace the former ones, and devices it no longer has are removed")
    func restarted() throws {
        let elsewhere = ConnectionID(high: 8, low: 8)
        let removed = bench.rows.removeLast().device
        bench.rows = bench.rows.map { row in
            let reported = DeviceState(
                state: row.reported.state, version: Version(1), incarnation: Incarnation(bits: 0xeee))
            return row.with(number: ChangeNumber(1), reported: reported)
        }
        bench.join(boot: BootID(bits: 2), on: elsewhere)
        let bodies = bench.updates.map(\.body)
        #expect(bodies.contains(.removed(removed)))
        #expect(bodies.contains(.reports(bench.reports)))
        let status = try bench.status()
        #expect((status.devices, status.online) == (2, 2))
    }

    @Test("a device stays with the first node that claims it as long as that node is alive")
    func ownership() {
        let thief = ConnectionID(high: 6, low: 6)
        bench.join("thief", boot: BootID(bits: 66), on: thief)
        #expect(bench.sent(to: thief).last == .claimsRefused(bench.rows.map(\.device)))
        bench.toggle(0)
        #expect(bench.commands.count == 1)
        bench.answer(bench.commands[0].identity, .applied)
        for _ in 0..<4 {
            bench.pass(.milliseconds(500))
            bench.send(.ping(), boot: BootID(bits: 66), on: thief)
        }
        bench.hello("thief", boot: BootID(bits: 66), on: thief)
        #expect(bench.sent(to: thief).contains { if case .pull = $0 { true } else { false } })
    }
}

@Suite("Rows of nodes")
struct RowTests {
    private let bench = Bench.withDevices()

    @Test("lost rows are pulled within 0.5 s of the next message")
    func gap() {
        bench.change(0, isOn: true)
        bench.change(1, isOn: true)
        bench.publish(1)
        bench.pass(.milliseconds(150))
        #expect(bench.sent().isEmpty)
        bench.pass(.milliseconds(100))
        #expect(bench.sent().count == 1)
        #expect(bench.pulls() == [PullRange(since: ChangeNumber(3), cursor: 0)])
        bench.answerPull()
        #expect(bench.updates.contains { $0.body == .reported(bench.rows[0].device, bench.rows[0].reported) })
        bench.effects = []
        bench.passWithPings(.seconds(3))
        #expect(!bench.sent().contains { if case .pull = $0 { true } else { false } })
    }

    @Test("lost rows that only a ping reveals are pulled too")
    func lastLost() {
        bench.change(0, isOn: true)
        bench.send(.ping())
        bench.pass(.milliseconds(250))
        #expect(bench.pulls().contains(PullRange(since: ChangeNumber(3), cursor: 0)))
    }

    @Test("older rows never overwrite newer ones")
    func older() {
        let old = bench.rows[0]
        bench.change(0, isOn: true)
        bench.publish(0)
        bench.effects = []
        bench.publish([old])
        #expect(bench.updates.isEmpty)
    }

    @Test("a chunk that does not arrive is requested again")
    func chunkLost() {
        let bench = Bench()
        bench.rows = []
        bench.bringUp(2)
        let other = Bench()
        other.rows = bench.rows
        other.hello()
        other.passWithPings(.seconds(2))
        #expect(other.pulls().count { $0 == PullRange(since: .zero, cursor: 0) } >= 2)
    }

    @Test(
        "the window of row numbers closes regardless of their order",
        arguments: 1...100 as ClosedRange<UInt64>)
    func window(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var window = ArrivalWindow(from: ChangeNumber(10))
        for number in (11...60 as ClosedRange<UInt64>).shuffled(using: &generator) {
            window.arrive(ChangeNumber(number))
            window.arrive(ChangeNumber(number))
        }
        #expect(window.contiguous == ChangeNumber(60))
        #expect(!window.hasGap)
        window.announce(ChangeNumber(61))
        #expect(window.hasGap)
        window.pulled(upTo: ChangeNumber(70))
        #expect(window.contiguous == ChangeNumber(70))
    }
}
