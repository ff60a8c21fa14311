import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Nodes that send false messages")
struct HostileNodeTests {
    private let bench = Bench.withDevices()

    /// The first device's row with other numbers.
    private func lie(
        number: UInt64? = nil, version: UInt64? = nil, epoch: UInt64? = nil, commandNumber: UInt64? = nil
    ) -> DeviceRow {
        let reported = bench.reportedState()
        return bench.rows[0].with(
            number: number.map(ChangeNumber.init),
            reported: DeviceState(
                state: reported.state, version: version.map(Version.init) ?? reported.version,
                incarnation: reported.incarnation),
            epoch: epoch.map(Epoch.init), lastCommandNumber: commandNumber.map(CommandNumber.init))
    }

    @Test("a node with the largest possible numbers is neither believed nor stops the controller")
    func largestNumbers() {
        for lie in [
            lie(number: .max), lie(number: 9, version: .max), lie(number: 9, epoch: .max),
            lie(number: 9, commandNumber: .max),
        ] {
            bench.publish([lie])
            bench.send(.rows(bench.chunk(nextCursor: 3, rows: [RowChunk.Row(device: lie, name: "Liar")])))
            let ping = NodeMessage(bootID: Bench.boot, lastNumber: ChangeNumber(.max), body: .ping())
            bench.step(.node(Bench.node, ping))
        }
        bench.toggle()
        bench.carryOut(bench.commands[0])
        bench.passWithPings(.seconds(2))
        #expect(bench.controller.engine.directory.devices[0].reported == bench.reportedState())
        #expect(bench.fencings.isEmpty)
    }

    @Test("a node that leaves again and again makes the controller set no further timers")
    func comesAndGoes() {
        for run in 1...1_000 as ClosedRange<UInt64> {
            let boot = BootID(bits: run)
            bench.hello(boot: boot)
            bench.send(.leaving, boot: boot)
        }
        bench.pass(.seconds(2))
        bench.join(boot: BootID(bits: 2_000))
        bench.pass(.milliseconds(100))
        #expect(bench.controller.engine.fleet.timers.count < 10)
    }

    @Test("a node with the name of another account's node gets neither its place nor its commands")
    func borrowedName() {
        let elsewhere = ConnectionID(high: 3, low: 3)
        bench.join("node-1", account: .other, boot: BootID(bits: 3), on: elsewhere)
        bench.toggle()
        #expect(bench.commands.count == 1)
        #expect(bench.sent(to: elsewhere).last == .claimsRefused(bench.rows.map(\.device)))
    }

    @Test("a stale-epoch result without a higher epoch is ignored")
    func staleWithoutHigher() {
        let toggle = bench.toggle(timeout: .seconds(2))
        bench.answer(bench.commands[0].identity, .staleEpoch)
        #expect(bench.replies(to: toggle.correlation).isEmpty)
        bench.carryOut(bench.commands[0])
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
    }

    @Test("a node that reports an epoch for another node's device does not stop the controller")
    func foreignEpoch() {
        let elsewhere = ConnectionID(high: 3, low: 3)
        let boot = BootID(bits: 3)
        bench.hello("evil", boot: boot, on: elsewhere)
        let lie = lie(number: 9, epoch: 1 << 40 - 1)
        let result = CommandResult(
            commandNumber: CommandNumber(1), requestID: bench.newID(), verdict: .applied,
            judged: lie.reported, deviceUs: 1, row: lie)
        bench.send(.result(result), boot: boot, on: elsewhere)
        bench.publish([lie], boot: boot)
        let chunk = bench.chunk(nextCursor: 1, on: elsewhere, rows: [RowChunk.Row(device: lie, name: "Liar")])
        bench.send(.rows(chunk), boot: boot, on: elsewhere)
        #expect(bench.fencings == [])
    }

    @Test(
        "a device's epoch stops the controller only if it is at most a day ahead of the clock",
        arguments: [(86_400 as UInt64, true), (86_401, false), (1 << 40, false)])
    func ownEpoch(ahead: UInt64, isAccepted: Bool) {
        let epoch = UInt64(bench.now.wall.unixMilliseconds / 1_000) + ahead
        bench.publish([lie(number: 9, epoch: epoch)])
        #expect(bench.fencings == (isAccepted ? [Epoch(epoch)] : []))
        let suspicions = bench.controller.drainSuspicions()
        #expect(suspicions.map(\.refusal) == (isAccepted ? [] : [.implausibleEpoch]))
    }

    @Test("a controller that started with an epoch far ahead works")
    func controllerFarAhead() {
        let bench = Bench.withDevices { $0.epoch = Epoch(1 << 40) }
        bench.expectToggleIsApplied()
        #expect(bench.reportedState().state.isOn)
    }

    @Test("devices outside a node token's range are refused, and are not removed from their node")
    func outOfRange() throws {
        let bench = Bench()
        bench.bringUp(2)
        let range = DeviceRange(seed: 1, firstIndex: 2, count: 1)
        let grant = NodeGrant(range: range, token: .of(0))
        let (elsewhere, boot) = (ConnectionID(high: 3, low: 3), BootID(bits: 3))
        // The lease of the node with the first two has expired, so they could move.
        bench.pass(.seconds(2))
        bench.effects = []
        bench.rows.append(.off(2))
        let hello = NodeHello(node: valid(NodeName("node-2")), account: .demo, devices: 3, grant: grant)
        bench.send(.hello(hello), boot: boot, on: elsewhere)
        bench.answerPull(boot: boot, on: elsewhere)
        let directory = bench.controller.engine.directory
        let node = try #require(directory.node(at: elsewhere))
        #expect(
            (0..<directory.devices.count).map { directory.devices[$0].node == node } == [false, false, true])
        let suspicions = bench.controller.drainSuspicions()
        #expect(suspicions.map(\.refusal) == [.outOfRange] && suspicions.map(\.count) == [2])
    }

    @Test("a node that uses another node's boot ID gets none of its telemetry")
    func borrowedBoot() {
        bench.hello("node-2", on: ConnectionID(high: 3, low: 3))
        let suspicions = bench.controller.drainSuspicions()
        #expect(suspicions.map(\.refusal) == [.borrowedBoot])
        bench.change(0, isOn: true)
        bench.publish(0)
        #expect(bench.controller.engine.directory.devices[0].reported == bench.reportedState())
    }
}
