import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Repair of missing rows")
struct RepairTests {
    private let bench = Bench.withDevices()

    private func pulls() -> Int {
        bench.sent().filter { if case .pull = $0 { true } else { false } }.count
    }

    @Test("a pull that was lost with the node's lease is repeated")
    func pullSurvivesLease() {
        bench.change(0, isOn: true)
        bench.send(.ping())
        bench.pass(.milliseconds(250))
        #expect(pulls() == 1)
        bench.pass(.seconds(3))
        bench.effects = []
        bench.send(.ping())
        bench.pass(.milliseconds(1))
        #expect(pulls() == 1)
        bench.answerPull()
        #expect(bench.controller.engine.directory.devices[0].reported == bench.reportedState())
    }

    @Test("a row is pulled before a client's newer version is a conflict, even if a ping shows no gap")
    func questionSurvivesPing() {
        let incarnation = bench.reportedState().incarnation
        let toggle = bench.toggle(expected: Expectation(incarnation: incarnation, version: Version(2)))
        bench.send(.ping())
        bench.toggle()
        #expect(bench.replies(to: toggle.correlation).isEmpty)
        bench.pass(.milliseconds(1))
        #expect(pulls() == 1)
        bench.answerPull()
        #expect(bench.outcome(of: toggle.correlation) == .conflict(bench.reportedState()))
        #expect(bench.commands.count == 1)
    }

    @Test("telemetry that was sent before a node left does not bring it online")
    func telemetryAfterLeaving() {
        bench.change(0, isOn: true)
        bench.send(.leaving)
        bench.publish(0)
        #expect(bench.controller.engine.directory.nodes[0].presence.kind == .offline(.nodeLeft))
        #expect(bench.controller.engine.directory.devices[0].reported == bench.reportedState())
        bench.hello()
        #expect(bench.controller.engine.directory.nodes[0].presence.kind == .offline(.nodeLeft))
        bench.hello(boot: BootID(bits: 2))
        #expect(bench.controller.engine.directory.nodes[0].presence.kind == .online)
    }

    @Test("a result of a device's former incarnation does not end a request")
    func resultOfFormerIncarnation() {
        let former = bench.rows[0]
        bench.change(0, incarnation: 0xdef)
        bench.publish(0)
        let toggle = bench.toggle()
        let identity = bench.commands[0].identity
        bench.send(
            .result(
                CommandResult(
                    commandNumber: identity.commandNumber, requestID: identity.requestID, verdict: .aborted,
                    judged: former.reported, deviceUs: 5, row: former)))
        #expect(bench.replies(to: toggle.correlation).isEmpty)
        bench.carryOut(bench.commands[0])
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
    }

    @Test("a late chunk of a former pull does not count for the current one")
    func lateChunk() {
        let since = bench.lastNumber
        let former = bench.chunk(since: since, cursor: 2, nextCursor: 3, rows: [])
        bench.change(2, isOn: true)
        bench.send(.ping())
        bench.pass(.milliseconds(250))
        func send(_ chunk: RowChunk, lastNumber: ChangeNumber) {
            let message = NodeMessage(bootID: Bench.boot, lastNumber: lastNumber, body: .rows(chunk))
            bench.step(.node(Bench.node, message))
        }
        let first = bench.chunk(since: since, nextCursor: 2, isLast: false, rows: [])
        send(first, lastNumber: bench.lastNumber)
        send(former, lastNumber: since)
        bench.pass(.milliseconds(250))
        bench.answerPull()
        #expect(bench.controller.engine.directory.devices[2].reported == bench.reportedState(2))
    }

    @Test("a request in flight to a device that its node no longer has ends as undetermined")
    func removedInFlight() {
        let toggle = bench.toggle(2)
        bench.rows.removeLast()
        bench.join(boot: BootID(bits: 2))
        #expect(bench.outcome(of: toggle.correlation) == .undetermined(.deviceGone))
        #expect(bench.controller.engine.requests.open.count == 0)
    }

    @Test("an older row with the same number does not undo a newer one")
    func sameNumber() {
        bench.change(0, isConnected: false)
        let before = bench.rows[0]
        bench.publish(0)
        bench.change(0, isOn: true)
        let flipped = bench.rows[0]
        // Switched without a connection, the device keeps the number under which it lost it.
        bench.rows[0] = DeviceRow(
            device: flipped.device, number: before.number, reported: flipped.reported, epoch: flipped.epoch,
            lastCommandNumber: flipped.lastCommandNumber, isConnected: false)
        bench.publish(0)
        bench.publish([before])
        #expect(bench.controller.engine.directory.devices[0].reported == flipped.reported)
    }

    @Test("after a node's restart, its rows are awaited before commands are sent to it")
    func restart() {
        let boot = BootID(bits: 2)
        let remaining = bench.toggle(0)
        bench.change(1, incarnation: 0xdef)
        bench.hello(boot: boot)
        let queued = bench.toggle(1)
        #expect(bench.commands.count == 1)
        bench.answerPull(boot: boot)
        #expect(bench.commands.map(\.identity.requestID) == [remaining.id, remaining.id, queued.id])
        #expect(bench.commands.last?.identity.incarnation == Incarnation(bits: 0xdef))
    }

    @Test("a node that claims another's devices gets them once the other is lost and it claims them again")
    func claimsAgain() {
        let (boot, connection) = (BootID(bits: 2), ConnectionID(high: 3, low: 3))
        bench.join("node-2", boot: boot, on: connection)
        bench.join("node-2", boot: boot, on: connection)
        #expect(bench.controller.engine.directory.devices.allSatisfy { $0.node == 0 })
        bench.send(.leaving)
        bench.join("node-2", boot: boot, on: connection)
        #expect(bench.controller.engine.directory.devices.allSatisfy { $0.node == 1 })
    }
}
