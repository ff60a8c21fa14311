import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Presence of nodes")
struct PresenceTests {
    private func presences(_ bench: Bench) -> [Presence.Kind] {
        bench.updates.compactMap { if case .node(let node, _) = $0.body { node.presence.kind } else { nil } }
    }

    @Test("a silent node is stale after 1 s and lost after 1.5 s, in one update each")
    func lease() throws {
        let bench = try Bench.withDevices(100)
        bench.pass(.milliseconds(999))
        #expect(presences(bench) == [])
        bench.pass(.milliseconds(1))
        #expect(presences(bench) == [.stale])
        bench.pass(.milliseconds(500))
        #expect(presences(bench) == [.stale, .offline(.nodeLost)])
        let updates = bench.updates.filter { if case .beat = $0.body { false } else { true } }
        #expect(updates.count == 2)
    }

    @Test("a node's lease is renewed by pings and by every other message")
    func heartbeats() throws {
        let bench = try Bench.withDevices()
        bench.passWithPings(.seconds(10))
        bench.pass(.milliseconds(900))
        bench.publish(0)
        bench.pass(.milliseconds(900))
        #expect(presences(bench) == [])
    }

    @Test("a lost node is online after its next message, and its ping is answered with the epoch")
    func back() throws {
        let bench = try Bench.withDevices()
        bench.pass(.seconds(5))
        bench.effects = []
        bench.send(.ping())
        #expect(presences(bench) == [.online])
        #expect(bench.sent() == [.pong(helloWanted: false)])
    }

    @Test("a node that leaves is offline at once")
    func leaving() throws {
        let bench = try Bench.withDevices()
        bench.send(.leaving)
        #expect(presences(bench) == [.offline(.nodeLeft)])
        #expect(bench.refusal(of: bench.toggle().correlation) == .offline(lastSeen: bench.now.wall))
    }

    @Test("a node whose key was revoked is lost at once, and online again after its next message")
    func revoked() throws {
        let bench = try Bench.withDevices()
        var effects = Controller.Effects()
        bench.controller.lose(Bench.boot, at: bench.now, into: &effects)
        let lost = effects.updates.map(\.update.body)
        #expect(
            lost.contains {
                if case .node(let node, _) = $0 { node.presence.kind == .offline(.nodeLost) } else { false }
            })
        bench.send(.ping())
        #expect(presences(bench) == [.online])
    }

    @Test("a late hello of an earlier run, which the node does not confirm, does not change its presence")
    func lateHello() throws {
        let bench = try Bench.withDevices()
        let next = (boot: BootID(bits: 2), connection: ConnectionID(high: 3, low: 3))
        bench.hello(boot: next.boot, on: next.connection)
        bench.answerPull(boot: next.boot, on: next.connection)
        bench.effects = []
        bench.answersHello = false
        bench.hello()
        for boot in UInt64(10)..<20 {
            bench.hello(boot: BootID(bits: boot), on: ConnectionID(high: 9, low: boot))
        }
        #expect(bench.sent(to: Bench.node).first == .pong(helloWanted: true))
        #expect(!bench.sent(to: Bench.node).contains(.pong(helloWanted: false)))
        let toggle = bench.toggle()
        #expect(
            bench.sent(to: next.connection).contains { if case .command = $0 { true } else { false } })
        bench.send(.ping(), boot: next.boot, on: next.connection)
        #expect(bench.sent(to: next.connection).last == .pong(helloWanted: false))
        #expect(presences(bench) == [])
        #expect(bench.replies(to: toggle.correlation).isEmpty)
    }

    @Test("a node's other run that answers is accepted, also one that was considered ended")
    func answeredHello() throws {
        let bench = try Bench.withDevices()
        for (place, boot) in [BootID(bits: 2), Bench.boot, BootID(bits: 3)].enumerated() {
            let connection = ConnectionID(high: 3, low: UInt64(place))
            bench.hello(boot: boot, on: connection)
            bench.answerPull(boot: boot, on: connection)
            bench.send(.ping(), boot: boot, on: connection)
            #expect(bench.sent(to: connection).suffix(2).contains(.pong(helloWanted: false)))
        }
    }

    @Test("nodes stay online when the controller itself was frozen")
    func frozen() throws {
        let bench = try Bench.withDevices()
        bench.passWithPings(.seconds(1))
        bench.now = bench.now.advanced(by: .seconds(20))
        bench.step(.turn(lastTook: .zero))
        #expect(presences(bench) == [])
        bench.pass(.seconds(2))
        #expect(presences(bench) == [.stale, .offline(.nodeLost)])
    }

    @Test("an unknown node that pings is asked for a hello")
    func stranger() throws {
        let bench = try Bench.withDevices()
        bench.send(.ping(), boot: BootID(bits: 5), on: ConnectionID(high: 7, low: 7))
        #expect(bench.sent(to: ConnectionID(high: 7, low: 7)) == [.pong(helloWanted: true)])
    }

    @Test("a device without a connection is counted separately from those of an offline node")
    func disconnected() throws {
        let bench = try Bench.withDevices(3)
        func report() -> StatusReport? {
            guard case .status(let report)? = bench.replies(to: bench.ask(.status)).first else { return nil }
            return report
        }
        bench.change(1, isConnected: false)
        bench.publish(1)
        #expect([report()?.online, report()?.offline, report()?.disconnected] == [2, 1, 1])
        bench.pass(Limits.lease + .milliseconds(100))
        #expect([report()?.online, report()?.offline, report()?.disconnected] == [0, 3, 0])
    }

    @Test("a node that reconnects without changes is not asked for its table")
    func reconnected() throws {
        let bench = try Bench.withDevices()
        let elsewhere = ConnectionID(high: 8, low: 8)
        bench.hello(on: elsewhere)
        #expect(bench.sent(to: elsewhere) == [.pong(helloWanted: false)])
    }

    @Test("a restarted node's rows replace the former ones, and devices it no longer has are removed")
    func restarted() throws {
        let bench = try Bench.withDevices(3)
        let elsewhere = ConnectionID(high: 8, low: 8)
        let removed = bench.rows[2].device
        bench.rows = Array(bench.rows[..<2]).map { row in
            DeviceRow(
                device: row.device, number: ChangeNumber(1),
                reported: DeviceState(
                    state: row.reported.state, version: Version(1), incarnation: Incarnation(bits: 0xeee)),
                epoch: .zero, lastCommandNumber: .zero, isConnected: true)
        }
        bench.hello(boot: BootID(bits: 2), on: elsewhere)
        bench.answerPull(boot: BootID(bits: 2), on: elsewhere)
        let bodies = bench.updates.map(\.body)
        #expect(bodies.contains(.removed(removed)))
        #expect(bodies.contains(.reports(bench.reports)))
        guard case .status(let status)? = bench.replies(to: bench.ask(.status)).first else {
            Issue.record("no status")
            return
        }
        #expect(status.devices == 2)
        #expect(status.online == 2)
    }

    @Test("a device stays with the first node that claims it as long as that node is alive")
    func ownership() throws {
        let bench = try Bench.withDevices(2)
        let thief = ConnectionID(high: 6, low: 6)
        bench.hello("thief", boot: BootID(bits: 66), on: thief)
        bench.answerPull(boot: BootID(bits: 66), on: thief)
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

    @Test("the counts in the status add up to the number of devices")
    func status() throws {
        let bench = try Bench.withDevices(5)
        bench.change(0, isConnected: false)
        bench.publish(0)
        guard case .status(let early)? = bench.replies(to: bench.ask(.status)).first else {
            Issue.record("no status")
            return
        }
        #expect([early.devices, early.online, early.offline] == [5, 4, 1])
        bench.pass(.seconds(2))
        guard case .status(let late)? = bench.replies(to: bench.ask(.status)).first else {
            Issue.record("no status")
            return
        }
        #expect([late.devices, late.online, late.offline] == [5, 0, 5])
    }
}

@Suite("Rows of nodes")
struct RowTests {
    @Test("lost rows are pulled within 0.5 s of the next message")
    func gap() throws {
        let bench = try Bench.withDevices()
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
    func lastLost() throws {
        let bench = try Bench.withDevices()
        bench.change(0, isOn: true)
        bench.send(.ping())
        bench.pass(.milliseconds(250))
        #expect(bench.pulls().contains(PullRange(since: ChangeNumber(3), cursor: 0)))
    }

    @Test("older rows never overwrite newer ones")
    func older() throws {
        let bench = try Bench.withDevices()
        let old = bench.rows[0]
        bench.change(0, isOn: true)
        bench.publish(0)
        bench.effects = []
        bench.step(.telemetry(Telemetry(bootID: Bench.boot, rows: [old])))
        #expect(bench.updates.isEmpty)
    }

    @Test("a chunk that does not arrive is requested again")
    func chunkLost() throws {
        let bench = try Bench()
        bench.rows = []
        bench.bringUp(2)
        let other = try Bench()
        other.rows = bench.rows
        other.hello()
        other.passWithPings(.seconds(2))
        let pulls = other.pulls().filter { $0 == PullRange(since: .zero, cursor: 0) }
        #expect(pulls.count >= 2)
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
