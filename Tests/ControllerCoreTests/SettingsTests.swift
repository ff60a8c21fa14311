import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Device settings")
struct SettingsTests {
    private static let timer = SettingChange.timer(ACStateChange(isOn: false), afterSeconds: 60)

    private static var settings: DeviceSettings {
        var settings = DeviceSettings()
        settings.timer = DeviceTimer(
            change: ACStateChange(isOn: false), due: WallTime(unixMilliseconds: 1_800_000_060_000))
        return settings
    }

    /// The first device after its next change, with settings.
    private func settled(_ bench: Bench, _ settings: DeviceSettings?) -> DeviceRow {
        let row = bench.rows[0]
        return DeviceRow(
            device: row.device, number: bench.lastNumber.next,
            reported: DeviceState(
                state: row.reported.state, version: row.reported.version.next,
                incarnation: row.reported.incarnation),
            epoch: row.epoch, lastCommandNumber: row.lastCommandNumber, isConnected: true, cause: .timer,
            settings: settings)
    }

    private func reported(_ bench: Bench) -> [DeviceSettings] {
        bench.updates.compactMap { if case .settings(_, let settings) = $0.body { settings } else { nil } }
    }

    private func shown(_ bench: Bench) -> [DeviceSettings?] {
        bench.controller.engine.snapshot(of: 0, from: 0, to: 0, at: bench.now).rows.map(\.settings)
    }

    @Test("a change of settings reaches the device unchanged, also after a retry and a restart")
    func reaches() throws {
        let bench = try Bench.withDevices()
        let command = Command(
            requestID: bench.newID(), device: bench.rows[0].device, kind: .configure(Self.timer),
            expected: bench.reportedState().expectation, timeout: .seconds(20))
        _ = bench.ask(.command(command))
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
    func mismatch() throws {
        let bench = try Bench.withDevices()
        let id = bench.newID()
        for change in [Self.timer, .noTimer] {
            let kind = Command.Kind.configure(change)
            _ = bench.ask(.command(Command(requestID: id, device: bench.rows[0].device, kind: kind)))
        }
        #expect(bench.refusal(of: bench.correlation) == .idMismatch)
    }

    @Test("a row's settings are published once, are in the snapshot, and end with another row")
    func rows() throws {
        let bench = try Bench.withDevices(2)
        #expect(shown(bench) == [nil, nil])
        bench.rows[0] = settled(bench, Self.settings)
        bench.publish(0)
        bench.publish(0)
        #expect(reported(bench) == [Self.settings])
        #expect(shown(bench) == [Self.settings, nil])
        bench.rows[0] = settled(bench, nil)
        bench.publish(0)
        #expect(reported(bench) == [Self.settings, DeviceSettings()])
        #expect(shown(bench) == [nil, nil])
    }

    @Test("settings of an older row are ignored")
    func older() throws {
        let bench = try Bench.withDevices(1)
        let older = settled(bench, Self.settings)
        bench.rows[0] = older
        bench.rows[0] = settled(bench, nil)
        bench.publish(0)
        bench.step(.telemetry(Telemetry(bootID: Bench.boot, rows: [older])))
        #expect(reported(bench) == [])
        #expect(shown(bench) == [nil])
    }

    @Test("a change's cause is published with the state, and stays in the snapshot")
    func causes() throws {
        let bench = try Bench.withDevices(1)
        bench.rows[0] = settled(bench, nil)
        bench.publish(0)
        let body = StreamUpdate.Body.reported(bench.rows[0].device, bench.rows[0].reported, by: .timer)
        #expect(bench.updates.map(\.body) == [body])
        let rows = bench.controller.engine.snapshot(of: 0, from: 0, to: 0, at: bench.now).rows
        #expect(rows.map(\.cause) == [.timer])
    }

    @Test("a new device is published with its settings")
    func added() throws {
        let bench = try Bench()
        bench.bringUp(1)
        bench.effects = []
        bench.rows = [settled(bench, Self.settings)]
        try bench.restart()
        bench.hello()
        bench.answerPull()
        let added = bench.updates.compactMap { update -> SnapshotChunk.Row? in
            if case .added(let row) = update.body { row } else { nil }
        }
        #expect(added.map(\.settings) == [Self.settings])
    }
}
