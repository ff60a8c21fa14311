import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Sensor calibration")
struct CalibrationTests {
    private static func measurements(
        _ deciCelsius: Int16, _ humidityPermille: UInt16
    ) throws -> Measurements {
        try #require(
            Measurements(
                deciCelsius: deciCelsius, feelsLikeDeciCelsius: deciCelsius,
                humidityPermille: humidityPermille, rssiDBm: -50))
    }

    @Test("calibration offsets change the measurements, and the feels-like temperature with them")
    func moved() throws {
        let warm = try Self.measurements(280, 600)
        let added = SensorCalibration(deciCelsius: -15, humidityPermille: 50)
        let calibrated = warm.calibrated(by: added)
        #expect(calibrated.deciCelsius == 265)
        #expect(calibrated.humidityPermille == 650)
        #expect(calibrated.feelsLikeDeciCelsius == 278)
        let hotter = SensorCalibration(deciCelsius: 20, humidityPermille: 100)
        // 86 °F and 70 %: the table of the National Weather Service has 95 °F.
        #expect(warm.calibrated(by: hotter).feelsLikeDeciCelsius == 350)
        #expect(calibrated.rssiDBm == -50)
        #expect(warm.calibrated(by: nil) == warm)
    }

    @Test("calibrated measurements are limited to their bounds")
    func bounds() throws {
        let most = SensorCalibration(deciCelsius: 100, humidityPermille: 100)
        let least = SensorCalibration(deciCelsius: -100, humidityPermille: -100)
        #expect(try Self.measurements(895, 950).calibrated(by: most).deciCelsius == 900)
        #expect(try Self.measurements(895, 950).calibrated(by: most).humidityPermille == 1_000)
        #expect(try Self.measurements(-595, 50).calibrated(by: least).deciCelsius == -600)
        #expect(try Self.measurements(-595, 50).calibrated(by: least).humidityPermille == 0)
    }

    @Test("a node calibrates the measurements of one device and not of others, also after a restart")
    func node() throws {
        var (plain, bench) = (NodeBench(devices: 2), NodeBench(devices: 2))
        #expect(bench.set(.calibration(deciCelsius: 20, humidityPermille: nil)).verdicts == [.applied])
        func measured(_ bench: inout NodeBench) -> [Int16] {
            bench.measured(until: .seconds(100)).map(\.measurements.deciCelsius)
        }
        let again = NodeBench(devices: 2, remembering: try bench.memory())
        #expect(again.node.measurements(ofSlot: 0) == bench.node.measurements(ofSlot: 0))
        let (usual, moved) = (measured(&plain), measured(&bench))
        #expect(usual.count >= 2)
        #expect(zip(usual, moved).enumerated().allSatisfy { $1.1 - $1.0 == ($0 % 2 == 0 ? 20 : 0) })
        #expect(usual.count == moved.count)
        let rows = bench.node.chunk(since: .zero, from: 0, for: 1).rows
        #expect(rows.map(\.measurements) == (0..<2).map { bench.node.measurements(ofSlot: $0) })
    }

    @Test("each calibration offset is set independently, and clearing both removes the setting")
    func apart() {
        var bench = NodeBench(devices: 1)
        let steps: [(SettingChange, SensorCalibration?, Verdict)] = [
            (.calibration(deciCelsius: 5, humidityPermille: nil), .init(deciCelsius: 5), .applied),
            (
                .calibration(deciCelsius: nil, humidityPermille: -10),
                .init(deciCelsius: 5, humidityPermille: -10), .applied
            ),
            (
                .calibration(deciCelsius: 5, humidityPermille: -10),
                .init(deciCelsius: 5, humidityPermille: -10), .unchanged
            ),
            (.calibration(deciCelsius: 0, humidityPermille: 0), nil, .applied),
            (.calibration(deciCelsius: nil, humidityPermille: 0), nil, .unchanged),
        ]
        for (place, step) in steps.enumerated() {
            let effects = bench.set(step.0, number: UInt64(place + 1))
            #expect(effects.verdicts == [step.2])
            #expect(bench.settings?.calibration == step.1)
        }
        #expect(bench.settings == nil)
    }

    @Test("Climate React uses the calibrated measurements")
    func climateReact() {
        var bench = NodeBench(devices: 1)
        let room = bench.node.measurements(ofSlot: 0).deciCelsius
        let react = ClimateReact(
            low: nil, high: .init(tenths: room + 50, change: ACStateChange(isOn: true, mode: .dry)))
        bench.set(.climateReact(react))
        bench.set(.calibration(deciCelsius: 100, humidityPermille: nil), number: 2)
        bench.run(until: .seconds(200))
        #expect(bench.node.truth[0].cause == .climateReact)
        #expect(bench.node.truth[0].reported.state.mode == .dry)
    }

    @Test("Pure Boost applies to air purifiers only, and is remembered")
    func pureBoost() throws {
        var scenario = Scenario.quiet
        let boost = PureBoost(sensitivity: .sensitive, integrations: [.prime])
        var sky = NodeBench(scenario, devices: 1)
        let results = sky.set(.pureBoost(boost)).results
        #expect(
            results.map(\.verdict) == [.rejected("pure boost: model skyv2 has none; only model pure has it")])
        scenario.population = Scenario.Population(groups: [Scenario.Group(model: .pure)])
        var pure = NodeBench(scenario, devices: 1)
        let effects = pure.set(.pureBoost(boost))
        #expect(effects.verdicts == [.applied])
        #expect(try pure.memory().settings(of: pure.node.truth[0].device)?.pureBoost == boost)
    }
}
