import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("A device that lost reported state")
struct LostMemoryTests {
    private static let nextBoot = BootID(bits: 0xb008)
    private static let nextConnection = ConnectionID(high: 2, low: 3)

    private let bench = Bench.withDevices()
    /// The first device's row before its last report, at version 2.
    private let old: DeviceRow

    init() {
        bench.change(0, isOn: true)
        bench.publish(0)
        old = bench.rows[0]
        bench.change(0, isOn: false)
        bench.publish(0)
    }

    private func comeBack(as name: String = "node-1") {
        bench.effects = []
        bench.join(name, boot: Self.nextBoot, on: Self.nextConnection)
    }

    private var renewals: [[SeenDevice]] {
        bench.sent(to: Self.nextConnection).compactMap {
            if case .renew(let devices) = $0 { devices } else { nil }
        }
    }

    private func seen(_ row: DeviceRow) -> SeenDevice {
        SeenDevice(device: row.device, incarnation: row.reported.incarnation, version: row.reported.version)
    }

    @Test("a device with an older version is asked for a new incarnation at each ping until it has one")
    func wentBack() {
        let reported = bench.rows[0]
        bench.rows[0] = old
        comeBack()
        #expect(renewals == [[seen(reported)]])
        let suspicions = bench.controller.drainSuspicions()
        #expect(suspicions.map(\.refusal) == [.memoryWentBack])
        bench.send(.ping(), boot: Self.nextBoot, on: Self.nextConnection)
        #expect(renewals == [[seen(reported)], [seen(reported)]], "the first order may be lost")
        bench.change(0, isOn: false, incarnation: 0xdef)
        bench.publish([bench.rows[0]], boot: Self.nextBoot)
        bench.effects = []
        bench.send(.ping(), boot: Self.nextBoot, on: Self.nextConnection)
        #expect(renewals == [])
        bench.toggle()
        #expect(
            bench.commands(to: Self.nextConnection).map(\.identity.incarnation) == [Incarnation(bits: 0xdef)])
    }

    @Test("requests in flight to a device that lost state are undetermined, and no command is sent to it")
    func inFlight() {
        let toggle = bench.toggle(timeout: .seconds(20))
        #expect(bench.commands.count == 1)
        bench.rows[0] = old
        comeBack()
        #expect(bench.commands(to: Self.nextConnection).isEmpty)
        bench.change(0, isOn: false, incarnation: 0xdef)
        bench.publish([bench.rows[0]], boot: Self.nextBoot)
        #expect(bench.outcome(of: toggle.correlation) == .undetermined(.deviceReset))
    }

    @Test("a device whose older row was only delayed is not asked for a new incarnation")
    func lateRow() {
        bench.effects = []
        bench.publish([old])
        bench.passWithPings(.seconds(1))
        #expect(bench.sent().allSatisfy { if case .renew = $0 { false } else { true } })
        #expect(bench.controller.drainSuspicions().isEmpty)
    }

    @Test("a device that returns with an older version on another node is asked for a new incarnation too")
    func elsewhere() {
        let reported = bench.rows[0]
        bench.pass(.seconds(2))
        bench.rows[0] = old
        comeBack(as: "node-2")
        #expect(renewals == [[seen(reported)]])
        #expect(bench.controller.engine.directory.devices[0].reported == reported.reported)
    }

    @Test("a device with an implausible epoch is shown, and asked for a new incarnation each time")
    func implausibleEpoch() {
        let row = bench.rows[0]
        bench.rows[0] = row.with(epoch: Epoch(1 << 40))
        comeBack()
        #expect(renewals == [[seen(row)]])
        #expect(bench.controller.engine.directory.devices[0].isConnected)
        bench.effects = []
        bench.publish([bench.rows[0]], boot: Self.nextBoot)
        #expect(renewals == [[seen(row)]])
    }
}
