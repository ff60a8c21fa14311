import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Measurements")
struct MeasurementTests {
    private func measurements(_ deciCelsius: Int16) throws -> Measurements {
        try #require(
            Measurements(
                deciCelsius: deciCelsius, feelsLikeDeciCelsius: deciCelsius, humidityPermille: 500,
                rssiDBm: -60))
    }

    private func reported(_ bench: Bench) -> [[MeasuredDevice]] {
        bench.updates.compactMap { if case .measured(let devices) = $0.body { devices } else { nil } }
    }

    private func shown(_ bench: Bench) -> [SnapshotChunk.Measured?] {
        bench.controller.engine.snapshot(of: 0, from: 0, to: 0, at: bench.now).rows.map(\.measured)
    }

    @Test("measurements are published in one update per message, and the newest are in the snapshot")
    func newest() throws {
        let bench = try Bench.withDevices(3)
        #expect(shown(bench) == [nil, nil, nil])
        let first = try bench.rows.prefix(2).map { MeasuredDevice(device: $0.device, measurements: try warm) }
        bench.step(.telemetry(Telemetry(bootID: Bench.boot, measured: first)))
        bench.pass(.milliseconds(100))
        let cool = try measurements(195)
        let second = [MeasuredDevice(device: bench.rows[1].device, measurements: cool)]
        bench.step(.telemetry(Telemetry(bootID: Bench.boot, measured: second)))
        #expect(reported(bench) == [first, second])
        let earlier = bench.now.wall.advanced(by: .milliseconds(-100))
        #expect(
            shown(bench) == [
                SnapshotChunk.Measured(try warm, at: earlier),
                SnapshotChunk.Measured(cool, at: bench.now.wall),
                nil,
            ])
    }

    @Test("measurements of another node's devices or of an earlier boot are ignored")
    func foreign() throws {
        let bench = try Bench.withDevices(2)
        let stranger = DeviceID(fleetSeed: 99, index: 1)
        let mixed = try [stranger, bench.rows[0].device].map {
            MeasuredDevice(device: $0, measurements: try warm)
        }
        bench.step(.telemetry(Telemetry(bootID: BootID(bits: 77), measured: mixed)))
        #expect(reported(bench) == [])
        bench.step(.telemetry(Telemetry(bootID: Bench.boot, measured: mixed)))
        #expect(reported(bench).map { $0.map(\.device) } == [[bench.rows[0].device]])
    }

    @Test("measurements come with the rows of a pull, in one update after the devices")
    func pulled() throws {
        let bench = try Bench.withDevices(2)
        bench.send(.ping())
        let id = DeviceID(fleetSeed: 1, index: 1_000)
        let row = bench.rows[0]
        let new = DeviceRow(
            device: id, number: bench.lastNumber.next, reported: row.reported, epoch: row.epoch,
            lastCommandNumber: .zero, isConnected: true)
        bench.rows.append(new)
        bench.send(.ping())
        bench.pass(.milliseconds(250))
        let chunk = bench.chunk(
            since: ChangeNumber(2), nextCursor: 3,
            rows: [RowChunk.Row(device: new, name: "Attic 1", measurements: try warm)])
        bench.effects = []
        bench.send(.rows(chunk))
        let kinds = bench.updates.map { update in
            switch update.body {
            case .added: "added"
            case .measured(let devices): "measured \(devices.count)"
            default: "another"
            }
        }
        #expect(kinds == ["added", "measured 1"])
    }

    private var warm: Measurements {
        get throws { try measurements(234) }
    }
}
