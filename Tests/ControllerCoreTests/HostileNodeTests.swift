import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Nodes that send false messages")
struct HostileNodeTests {
    private func row(
        _ row: DeviceRow, number: UInt64? = nil, version: UInt64? = nil, epoch: UInt64? = nil,
        commandNumber: UInt64? = nil
    ) -> DeviceRow {
        DeviceRow(
            device: row.device, number: number.map(ChangeNumber.init) ?? row.number,
            reported: DeviceState(
                state: row.reported.state, version: version.map(Version.init) ?? row.reported.version,
                incarnation: row.reported.incarnation),
            epoch: epoch.map(Epoch.init) ?? row.epoch,
            lastCommandNumber: commandNumber.map(CommandNumber.init) ?? row.lastCommandNumber,
            isConnected: true)
    }

    @Test("a node with the largest possible numbers is neither believed nor stops the controller")
    func largestNumbers() throws {
        let bench = try Bench.withDevices()
        let honest = bench.rows[0]
        for lie in [
            row(honest, number: .max), row(honest, number: 9, version: .max),
            row(honest, number: 9, epoch: .max), row(honest, number: 9, commandNumber: .max),
        ] {
            bench.step(.telemetry(Telemetry(bootID: Bench.boot, rows: [lie])))
            let chunk = bench.chunk(
                nextCursor: 3,
                rows: [RowChunk.Row(device: lie, name: "Liar")])
            bench.send(.rows(chunk))
            bench.step(
                .node(
                    Bench.node,
                    NodeMessage(bootID: Bench.boot, lastNumber: ChangeNumber(.max), body: .ping())))
        }
        bench.toggle()
        bench.carryOut(bench.commands[0])
        bench.passWithPings(.seconds(2))
        #expect(bench.controller.engine.directory.devices[0].reported == bench.reportedState())
        #expect(!bench.effects.contains { if case .halt = $0 { true } else { false } })
    }

    @Test("a node that leaves again and again makes the controller set no further timers")
    func comesAndGoes() throws {
        let bench = try Bench.withDevices()
        for run in 1...1_000 as ClosedRange<UInt64> {
            let boot = BootID(bits: run)
            bench.hello(boot: boot)
            bench.send(.leaving, boot: boot)
        }
        bench.pass(.seconds(2))
        bench.hello(boot: BootID(bits: 2_000))
        bench.answerPull(boot: BootID(bits: 2_000))
        bench.pass(.milliseconds(100))
        #expect(bench.controller.engine.fleet.timers.count < 10)
    }

    @Test("a node with the name of another account's node gets neither its place nor its commands")
    func borrowedName() throws {
        let bench = try Bench.withDevices()
        let elsewhere = ConnectionID(high: 3, low: 3)
        bench.hello("node-1", account: "other", boot: BootID(bits: 3), on: elsewhere)
        bench.answerPull(boot: BootID(bits: 3), on: elsewhere)
        bench.toggle()
        #expect(bench.commands.count == 1)
        #expect(bench.sent(to: elsewhere).last == .claimsRefused(bench.rows.map(\.device)))
    }

    @Test("a stale-epoch result without a higher epoch is ignored")
    func staleWithoutHigher() throws {
        let bench = try Bench.withDevices()
        let toggle = bench.toggle(timeout: .seconds(2))
        bench.answer(bench.commands[0].identity, .staleEpoch)
        #expect(bench.replies(to: toggle.correlation).isEmpty)
        bench.carryOut(bench.commands[0])
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
    }

    private func fencings(_ bench: Bench) -> [Epoch] {
        bench.effects.compactMap { if case .halt(let epoch) = $0 { epoch } else { nil } }
    }

    @Test("a node that reports an epoch for another node's device does not stop the controller")
    func foreignEpoch() throws {
        let bench = try Bench.withDevices()
        let elsewhere = ConnectionID(high: 3, low: 3)
        let boot = BootID(bits: 3)
        bench.hello("evil", boot: boot, on: elsewhere)
        let lie = row(bench.rows[0], number: 9, epoch: 1 << 40 - 1)
        let result = CommandResult(
            commandNumber: CommandNumber(1), requestID: bench.newID(), verdict: .applied,
            judged: lie.reported,
            deviceUs: 1, row: lie)
        bench.send(.result(result), boot: boot, on: elsewhere)
        bench.step(.telemetry(Telemetry(bootID: boot, rows: [lie])))
        let chunk = bench.chunk(nextCursor: 1, on: elsewhere, rows: [RowChunk.Row(device: lie, name: "Liar")])
        bench.send(.rows(chunk), boot: boot, on: elsewhere)
        #expect(fencings(bench) == [])
    }

    @Test(
        "a device's epoch stops the controller only if it is at most a day ahead of the clock",
        arguments: [(86_400 as UInt64, true), (86_401, false), (1 << 40, false)])
    func ownEpoch(ahead: UInt64, isAccepted: Bool) throws {
        let bench = try Bench.withDevices()
        let epoch = UInt64(bench.now.wall.unixMilliseconds / 1_000) + ahead
        bench.step(
            .telemetry(Telemetry(bootID: Bench.boot, rows: [row(bench.rows[0], number: 9, epoch: epoch)])))
        #expect(fencings(bench) == (isAccepted ? [Epoch(epoch)] : []))
        let suspicions = bench.controller.drainSuspicions()
        #expect(suspicions.map(\.refusal) == (isAccepted ? [] : [.implausibleEpoch]))
    }

    @Test("a controller that started with an epoch far ahead works")
    func controllerFarAhead() throws {
        let bench = try Bench.withDevices { $0.epoch = Epoch(1 << 40) }
        let toggle = bench.toggle()
        bench.carryOut(bench.commands[0])
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
        #expect(bench.reportedState().state.isOn)
    }

    @Test("devices outside a node token's range are refused, and are not removed from their node")
    func outOfRange() throws {
        let bench = try Bench()
        bench.bringUp(2)
        let name = try #require(NodeName("node-2"))
        let account = try #require(AccountID("demo"))
        let range = DeviceRange(seed: 1, firstIndex: 2, count: 1)
        let grant = NodeGrant(range: range, token: try #require(Token([UInt8](repeating: 0, count: 32))))
        let (elsewhere, boot) = (ConnectionID(high: 3, low: 3), BootID(bits: 3))
        // The lease of the node with the first two has expired, so they could move.
        bench.pass(.seconds(2))
        bench.effects = []
        bench.rows.append(row(bench.rows[0], number: 3))
        let hello = NodeHello(node: name, account: account, devices: 3, grant: grant)
        bench.send(.hello(hello), boot: boot, on: elsewhere)
        let third = bench.rows[2]
        bench.rows[2] = DeviceRow(
            device: DeviceID(fleetSeed: 1, index: 2), number: third.number, reported: third.reported,
            epoch: third.epoch, lastCommandNumber: third.lastCommandNumber, isConnected: true)
        bench.answerPull(boot: boot, on: elsewhere)
        let directory = bench.controller.engine.directory
        let node = try #require(directory.node(at: elsewhere))
        #expect(
            (0..<directory.devices.count).map { directory.devices[$0].node == node } == [false, false, true])
        let suspicions = bench.controller.drainSuspicions()
        #expect(suspicions.map(\.refusal) == [.outOfRange] && suspicions.map(\.count) == [2])
    }

    @Test("a node that uses another node's boot ID gets none of its telemetry")
    func borrowedBoot() throws {
        let bench = try Bench.withDevices()
        bench.hello("node-2", on: ConnectionID(high: 3, low: 3))
        let suspicions = bench.controller.drainSuspicions()
        #expect(suspicions.map(\.refusal) == [.borrowedBoot])
        bench.change(0, isOn: true)
        bench.publish(0)
        #expect(bench.controller.engine.directory.devices[0].reported == bench.reportedState())
    }
}
