import FleetProtocol
import FleetTime
import Testing

@testable import ControllerCore

@Suite("Presence")
struct PresenceTests {
    private func presences(_ bench: Bench) -> [Presence.Kind] {
        bench.updates.compactMap { if case .node(let node, _) = $0.body { node.presence.kind } else { nil } }
    }

    @Test("goes stale after a second of silence and lost after a second and a half, in one update each")
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

    @Test("is kept by pings and by anything else that is heard")
    func signsOfLife() throws {
        let bench = try Bench.withDevices()
        bench.passWithPings(.seconds(10))
        bench.pass(.milliseconds(900))
        bench.publish(0)
        bench.pass(.milliseconds(900))
        #expect(presences(bench) == [])
    }

    @Test("comes back with the first sign of life, and a ping is answered with the epoch")
    func back() throws {
        let bench = try Bench.withDevices()
        bench.pass(.seconds(5))
        bench.effects = []
        bench.say(.ping())
        #expect(presences(bench) == [.online])
        #expect(bench.sent() == [.pong(helloWanted: false)])
    }

    @Test("ends at once with a node that leaves in good order")
    func leaving() throws {
        let bench = try Bench.withDevices()
        bench.say(.leaving)
        #expect(presences(bench) == [.offline(.nodeLeft)])
        #expect(bench.refusal(of: bench.toggle().correlation) == .offline(lastSeen: bench.now.wall))
    }

    @Test("is not changed by a hello of an earlier life that is heard late: nobody answers for it")
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
        #expect(bench.sent(to: Bench.node) == [.pong(helloWanted: true)])
        let toggle = bench.toggle()
        #expect(bench.sent(to: next.connection).count == 1)
        bench.say(.ping(), boot: next.boot, on: next.connection)
        #expect(bench.sent(to: next.connection).last == .pong(helloWanted: false))
        #expect(presences(bench) == [])
        #expect(bench.replies(to: toggle.correlation).isEmpty)
    }

    @Test("goes on with another life that answers, also one that was taken for over")
    func answeredHello() throws {
        let bench = try Bench.withDevices()
        for (place, boot) in [BootID(bits: 2), Bench.boot, BootID(bits: 3)].enumerated() {
            let connection = ConnectionID(high: 3, low: UInt64(place))
            bench.hello(boot: boot, on: connection)
            bench.answerPull(boot: boot, on: connection)
            bench.say(.ping(), boot: boot, on: connection)
            #expect(bench.sent(to: connection).last == .pong(helloWanted: false))
        }
    }

    @Test("is not held against anybody when the controller itself was frozen")
    func frozen() throws {
        let bench = try Bench.withDevices()
        bench.passWithPings(.seconds(1))
        bench.now = bench.now.advanced(by: .seconds(20))
        bench.step(.turn(lastTook: .zero))
        #expect(presences(bench) == [])
        bench.pass(.seconds(2))
        #expect(presences(bench) == [.stale, .offline(.nodeLost)])
    }

    @Test("a stranger that pings is asked to say hello")
    func stranger() throws {
        let bench = try Bench.withDevices()
        bench.say(.ping(), boot: BootID(bits: 5), on: ConnectionID(high: 7, low: 7))
        #expect(bench.sent(to: ConnectionID(high: 7, low: 7)) == [.pong(helloWanted: true)])
    }

    @Test("of a device whose own connection is gone is told apart from that of a node that is gone")
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

    @Test("of a reconnected node with nothing new needs no table")
    func reconnected() throws {
        let bench = try Bench.withDevices()
        let elsewhere = ConnectionID(high: 8, low: 8)
        bench.hello(on: elsewhere)
        #expect(bench.sent(to: elsewhere) == [.pong(helloWanted: false)])
    }

    @Test("of a restarted node: its rows replace the former ones, and devices it no longer has are removed")
    func restarted() throws {
        let bench = try Bench.withDevices(3)
        let elsewhere = ConnectionID(high: 8, low: 8)
        let gone = bench.rows[2].device
        bench.rows = Array(bench.rows[..<2]).map { row in
            DeviceRow(
                device: row.device, number: ChangeNumber(1),
                reported: DeviceState(
                    state: row.reported.state, version: Version(1), incarnation: Incarnation(bits: 0xeee)),
                epoch: .zero, lastSequence: .zero, isConnected: true)
        }
        bench.hello(boot: BootID(bits: 2), on: elsewhere)
        bench.answerPull(boot: BootID(bits: 2), on: elsewhere)
        let bodies = bench.updates.map(\.body)
        #expect(bodies.contains(.removed(gone)))
        #expect(bodies.contains(.reports(bench.reports)))
        guard case .status(let status)? = bench.replies(to: bench.ask(.status)).first else {
            Issue.record("no status")
            return
        }
        #expect(status.devices == 2)
        #expect(status.online == 2)
    }

    @Test("of a device stays with its first claimant for as long as that lives")
    func ownership() throws {
        let bench = try Bench.withDevices(2)
        let thief = ConnectionID(high: 6, low: 6)
        bench.hello("thief", boot: BootID(bits: 66), on: thief)
        bench.answerPull(boot: BootID(bits: 66), on: thief)
        #expect(bench.sent(to: thief).last == .taken(bench.rows.map(\.device)))
        bench.toggle(0)
        #expect(bench.commands.count == 1)
        bench.answer(bench.commands[0].identity, .applied)
        for _ in 0..<4 {
            bench.pass(.milliseconds(500))
            bench.say(.ping(), boot: BootID(bits: 66), on: thief)
        }
        bench.hello("thief", boot: BootID(bits: 66), on: thief)
        #expect(bench.sent(to: thief).contains { if case .pull = $0 { true } else { false } })
    }

    @Test("counts in the status add up, whatever happens")
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

@Suite("Rows")
struct RowTests {
    @Test("that were lost on the way are pulled within half a second of the next sign of life")
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

    @Test("whose loss nothing but a ping tells of are pulled too")
    func lastLost() throws {
        let bench = try Bench.withDevices()
        bench.change(0, isOn: true)
        bench.say(.ping())
        bench.pass(.milliseconds(250))
        #expect(bench.pulls().contains(PullRange(since: ChangeNumber(3), cursor: 0)))
    }

    @Test("that are older never overwrite newer ones")
    func older() throws {
        let bench = try Bench.withDevices()
        let old = bench.rows[0]
        bench.change(0, isOn: true)
        bench.publish(0)
        bench.effects = []
        bench.step(.telemetry(Telemetry(bootID: Bench.boot, rows: [old])))
        #expect(bench.updates.isEmpty)
    }

    @Test("of a chunk that does not come are asked for again")
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
        "numbers: the window closes over whatever order they arrive in",
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
