import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Measurements")
struct MeasurementTests {
    private let bench = Bench.withDevices()
    private let warm = Self.measurements(234)

    private static func measurements(_ deciCelsius: Int16) -> Measurements {
        valid(
            Measurements(
                deciCelsius: deciCelsius, feelsLikeDeciCelsius: deciCelsius, humidityPermille: 500,
                rssiDBm: -60))
    }

    private func publish(_ devices: [MeasuredDevice], boot: BootID = Bench.boot) {
        bench.step(.telemetry(Telemetry(bootID: boot, measured: devices)))
    }

    private var reported: [[MeasuredDevice]] {
        bench.updates.compactMap { if case .measured(let devices) = $0.body { devices } else { nil } }
    }

    private var shown: [SnapshotChunk.Measured?] { bench.snapshot()?.rows.map(\.measured) ?? [] }

    @Test("measurements are published in one update per message, and the newest are in the snapshot")
    func newest() {
        #expect(shown == [nil, nil, nil])
        let first = bench.rows.prefix(2).map { MeasuredDevice(device: $0.device, measurements: warm) }
        publish(first)
        bench.pass(.milliseconds(100))
        let cool = Self.measurements(195)
        let second = [MeasuredDevice(device: bench.rows[1].device, measurements: cool)]
        publish(second)
        #expect(reported == [first, second])
        let earlier = bench.now.wall.advanced(by: .milliseconds(-100))
        #expect(shown == [.init(warm, at: earlier), .init(cool, at: bench.now.wall), nil])
    }

    @Test("measurements of another node's devices or of an earlier boot are ignored")
    func foreign() {
        let stranger = DeviceID(fleetSeed: 99, index: 1)
        let mixed = [stranger, Bench.device(0)].map { MeasuredDevice(device: $0, measurements: warm) }
        publish(mixed, boot: BootID(bits: 77))
        #expect(reported == [])
        publish(mixed)
        #expect(reported.map { $0.map(\.device) } == [[bench.rows[0].device]])
    }

    @Test("measurements come with the rows of a pull, in one update after the devices")
    func pulled() {
        bench.send(.ping())
        let new = DeviceRow.off(1_000, number: 4)
        bench.rows.append(new)
        bench.send(.ping())
        bench.pass(.milliseconds(250))
        let chunk = bench.chunk(
            since: ChangeNumber(3), nextCursor: 4,
            rows: [RowChunk.Row(device: new, name: "Attic 1", measurements: warm)])
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
}
