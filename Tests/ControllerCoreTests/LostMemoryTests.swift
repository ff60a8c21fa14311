import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("A device that lost reported state")
struct LostMemoryTests {
    private static let nextBoot = BootID(bits: 0xb008)
    private static let nextConnection = ConnectionID(high: 2, low: 3)

    /// A bench whose first device has reported version 3, and whose node returns with it at version 2.
    private func benchWithOldCopy() throws -> (bench: Bench, old: DeviceRow) {
        let bench = try Bench.withDevices()
        bench.change(0, isOn: true)
        bench.publish(0)
        let old = bench.rows[0]
        bench.change(0, isOn: false)
        bench.publish(0)
        return (bench, old)
    }

    private func comeBack(_ bench: Bench) {
        bench.effects = []
        bench.hello(boot: Self.nextBoot, on: Self.nextConnection)
        bench.answerPull(boot: Self.nextBoot, on: Self.nextConnection)
    }

    private func renewals(_ bench: Bench) -> [[SeenDevice]] {
        bench.sent(to: Self.nextConnection).compactMap {
            if case .renew(let devices) = $0 { devices } else { nil }
        }
    }

    private func seen(_ row: DeviceRow) -> SeenDevice {
        SeenDevice(device: row.device, incarnation: row.reported.incarnation, version: row.reported.version)
    }

    @Test("a device with an older version is asked for a new incarnation at each ping until it has one")
    func wentBack() throws {
        let (bench, old) = try benchWithOldCopy()
        let reported = bench.rows[0]
        bench.rows[0] = old
        comeBack(bench)
        #expect(renewals(bench) == [[seen(reported)]])
        let suspicions = bench.controller.drainSuspicions()
        #expect(suspicions.map(\.refusal) == [.memoryWentBack])
        bench.send(.ping(), boot: Self.nextBoot, on: Self.nextConnection)
        #expect(renewals(bench) == [[seen(reported)], [seen(reported)]], "the first order may be lost")
        bench.change(0, isOn: false, incarnation: 0xdef)
        bench.step(.telemetry(Telemetry(bootID: Self.nextBoot, rows: [bench.rows[0]])))
        bench.effects = []
        bench.send(.ping(), boot: Self.nextBoot, on: Self.nextConnection)
        #expect(renewals(bench) == [])
        bench.toggle()
        let isSent = bench.sent(to: Self.nextConnection).contains {
            if case .command(let command) = $0 {
                command.identity.incarnation == Incarnation(bits: 0xdef)
            } else {
                false
            }
        }
        #expect(isSent)
    }

    @Test("requests in flight to a device that lost state are undetermined, and no command is sent to it")
    func inFlight() throws {
        let (bench, old) = try benchWithOldCopy()
        let toggle = bench.toggle(timeout: .seconds(20))
        #expect(bench.commands.count == 1)
        bench.rows[0] = old
        comeBack(bench)
        let isSent = bench.sent(to: Self.nextConnection).contains {
            if case .command = $0 { true } else { false }
        }
        #expect(!isSent)
        bench.change(0, isOn: false, incarnation: 0xdef)
        bench.step(.telemetry(Telemetry(bootID: Self.nextBoot, rows: [bench.rows[0]])))
        #expect(bench.outcome(of: toggle.correlation) == .undetermined(.deviceReset))
    }

    @Test("a device whose older row was only delayed is not asked for a new incarnation")
    func lateRow() throws {
        let (bench, old) = try benchWithOldCopy()
        bench.effects = []
        bench.step(.telemetry(Telemetry(bootID: Bench.boot, rows: [old])))
        bench.passWithPings(.seconds(1))
        #expect(bench.sent().allSatisfy { if case .renew = $0 { false } else { true } })
        #expect(bench.controller.drainSuspicions().isEmpty)
    }

    @Test("a device that returns with an older version on another node is asked for a new incarnation too")
    func elsewhere() throws {
        let (bench, old) = try benchWithOldCopy()
        let reported = bench.rows[0]
        bench.pass(.seconds(2))
        bench.rows[0] = old
        bench.effects = []
        bench.hello("node-2", boot: Self.nextBoot, on: Self.nextConnection)
        bench.answerPull(boot: Self.nextBoot, on: Self.nextConnection)
        #expect(renewals(bench) == [[seen(reported)]])
        #expect(bench.controller.engine.directory.devices[0].reported == reported.reported)
    }

    @Test("a device with an implausible epoch is shown, and asked for a new incarnation each time")
    func implausibleEpoch() throws {
        let bench = try Bench()
        bench.bringUp(1)
        let row = bench.rows[0]
        bench.rows[0] = DeviceRow(
            device: row.device, number: row.number, reported: row.reported, epoch: Epoch(1 << 40),
            lastCommandNumber: row.lastCommandNumber, isConnected: true)
        comeBack(bench)
        #expect(renewals(bench) == [[seen(row)]])
        #expect(bench.controller.engine.directory.devices[0].isConnected)
        bench.effects = []
        bench.step(.telemetry(Telemetry(bootID: Self.nextBoot, rows: [bench.rows[0]])))
        #expect(renewals(bench) == [[seen(row)]])
    }
}
