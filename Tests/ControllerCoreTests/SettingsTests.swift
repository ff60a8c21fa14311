import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Device settings")
struct SettingsTests {
    private let bench = Bench.withDevices(2)

    private static let timer = SettingChange.timer(ACStateChange(isOn: false), afterSeconds: 60)

    private static var settings: DeviceSettings {
        var settings = DeviceSettings()
        settings.timer = DeviceTimer(
            change: ACStateChange(isOn: false), due: WallTime(unixMilliseconds: 1_800_000_060_000))
        return settings
    }

    /// The first device changes, and has settings.
    private func settle(_ settings: DeviceSettings?) {
        let row = bench.rows[0]
        bench.rows[0] = DeviceRow(
            device: row.device, number: bench.lastNumber.next,
            reported: DeviceState(
                state: row.reported.state, version: row.reported.version.next,
                incarnation: row.reported.incarnation),
            epoch: row.epoch, lastCommandNumber: row.lastCommandNumber, isConnected: true, cause: .timer,
            settings: settings)
    }

    private var reported: [DeviceSettings] {
        bench.updates.compactMap { if case .settings(_, let settings) = $0.body { settings } else { nil } }
    }

    private var shown: [DeviceSettings?] { bench.snapshot()?.rows.map(\.settings) ?? [] }

    @Test("a change of settings reaches the device unchanged, also after a retry and a restart")
    func reaches() throws {
        let expected = bench.reportedState().expectation
        bench.send(.configure(Self.timer), expected: expected, timeout: .seconds(20))
        bench.passWithPings(.seconds(2))
        #expect(bench.commands.count > 1)
        let first = try #require(bench.commands.first)
        #expect(first.base == Version(1))
        #expect(bench.commands.allSatisfy { $0.identity == first.identity })
        try bench.restartWithNode()
        #expect(!bench.commands.isEmpty)
        #expect(bench.commands.allSatisfy { $0.change.isEmpty })
        #expect(bench.settings == bench.commands.map { _ in Self.timer })
    }

    @Test("a change of settings with the request ID of another change is a mismatch")
    func mismatch() {
        let id = bench.newID()
        for change in [Self.timer, .noTimer] { bench.send(.configure(change), id: id) }
        #expect(bench.refusal(of: bench.correlation) == .idMismatch)
    }

    @Test("a row's settings are published once, are in the snapshot, and end with another row")
    func rows() {
        #expect(shown == [nil, nil])
        settle(Self.settings)
        bench.publish(0)
        bench.publish(0)
        #expect(reported == [Self.settings])
        #expect(shown == [Self.settings, nil])
        settle(nil)
        bench.publish(0)
        #expect(reported == [Self.settings, DeviceSettings()])
        #expect(shown == [nil, nil])
    }

    @Test("settings of an older row are ignored")
    func older() {
        settle(Self.settings)
        let older = bench.rows[0]
        settle(nil)
        bench.publish(0)
        bench.publish([older])
        #expect(reported == [])
        #expect(shown == [nil, nil])
    }

    @Test("a change's cause is published with the state, and stays in the snapshot")
    func causes() {
        settle(nil)
        bench.publish(0)
        let body = StreamUpdate.Body.reported(bench.rows[0].device, bench.rows[0].reported, by: .timer)
        #expect(bench.updates.map(\.body) == [body])
        #expect(bench.snapshot()?.rows.first?.cause == .timer)
    }

    @Test("a new device is published with its settings")
    func added() throws {
        settle(Self.settings)
        try bench.restartWithNode()
        #expect(bench.addedRows.map(\.settings) == [Self.settings, nil])
    }
}

@Suite("Corrections")
struct CorrectionTests {
    private let bench = Bench.withDevices()

    private static let off = ACStateChange(isOn: false)

    @Test("a correction reaches the device as a correction, also after a retry and a controller restart")
    func reaches() throws {
        bench.send(.correct(Self.off), timeout: .seconds(20))
        bench.passWithPings(.seconds(2))
        #expect(bench.commands.count > 1)
        try bench.restartWithNode()
        #expect(!bench.commands.isEmpty)
        #expect(bench.commands.allSatisfy { $0.isCorrection && $0.change == Self.off })
    }

    @Test("a set and a toggle are not corrections")
    func others() {
        bench.toggle()
        bench.send(.set(Self.off), to: 1)
        #expect(bench.commands.map(\.isCorrection) == [false, false])
    }

    @Test("a correction with the request ID of a set is a mismatch")
    func mismatch() {
        let id = bench.newID()
        for kind in [Command.Kind.set(Self.off), .correct(Self.off)] {
            bench.send(kind, id: id)
        }
        #expect(bench.refusal(of: bench.correlation) == .idMismatch)
    }
}
