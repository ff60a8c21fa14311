import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Climate React set by a user")
struct ClimateReactTests {
    private static let cool = ACStateChange(isOn: true, mode: .cool, targetTemperature: 20)
    private static let heat = ACStateChange(isOn: true, mode: .heat, targetTemperature: 22)
    private static let react = ClimateReact(
        low: .init(tenths: 190, change: heat), high: .init(tenths: 260, change: cool))

    private func measured(
        _ deciCelsius: Int16, feelsLike: Int16? = nil, humidity: UInt16 = 500
    ) throws -> Measurements {
        try #require(
            Measurements(
                deciCelsius: deciCelsius, feelsLikeDeciCelsius: feelsLike ?? deciCelsius,
                humidityPermille: humidity, rssiDBm: -50))
    }

    private func reactions(_ react: ClimateReact, _ readings: [Measurements]) -> [ACStateChange?] {
        var table = SettingsTable(groups: [Scenario.Group()], devices: 4)
        var settings = DeviceSettings()
        settings.climateReact = react
        table.set(settings, of: 3)
        return readings.map { table.reaction(of: 3, in: 0, to: $0) }
    }

    @Test("Climate React acts at the first measurement beyond a threshold, and not again until within")
    func crossing() throws {
        let readings = try [220, 260, 261, 270, 255, 262, 190, 189, 150, 300].map { try measured($0) }
        #expect(
            reactions(Self.react, readings) == [
                nil, nil, Self.cool, nil, nil, Self.cool, nil, Self.heat, nil, Self.cool,
            ])
    }

    @Test("Climate React acts at once if the room is beyond a threshold when it is set or changed")
    func atOnce() throws {
        var table = SettingsTable(groups: [Scenario.Group()], devices: 4)
        var settings = DeviceSettings()
        settings.climateReact = Self.react
        table.set(settings, of: 0)
        let hot = try measured(300)
        func reaction() -> ACStateChange? { table.reaction(of: 0, in: 0, to: hot) }
        #expect(reaction() == Self.cool)
        settings.timer = DeviceTimer(change: Self.heat, due: WallTime(unixMilliseconds: 1))
        table.set(settings, of: 0)
        #expect(reaction() == nil)
        settings.climateReact?.high?.tenths = 250
        table.set(settings, of: 0)
        #expect(reaction() == Self.cool)
    }

    @Test("Climate React uses its measure, and ignores a side without a threshold")
    func measures() throws {
        let dry = ACStateChange(isOn: true, mode: .dry)
        let humid = ClimateReact(measure: .humidity, low: nil, high: .init(tenths: 600, change: dry))
        #expect(
            reactions(humid, try [500, 601, 100].map { try measured(300, humidity: $0) }) == [nil, dry, nil])
        let felt = ClimateReact(measure: .feelsLike, low: nil, high: .init(tenths: 300, change: Self.cool))
        let warm = try [290, 301].map { try measured(250, feelsLike: $0) }
        #expect(reactions(felt, warm) == [nil, Self.cool])
    }

    @Test("a disabled Climate React does nothing")
    func disabled() throws {
        var react = Self.react
        react.isEnabled = false
        #expect(reactions(react, [try measured(300)]) == [nil])
    }

    @Test("Climate React switches a warm room's device, with its cause, and replaces the scenario's")
    func onANode() {
        var scenario = Scenario.quiet
        scenario.clock.speed = 600
        scenario.population = .init(groups: [.init(climateReact: .init(lowCelsius: 1, highCelsius: 2))])
        let react = ClimateReact(
            low: .init(tenths: 800, change: ACStateChange(isOn: true, mode: .heat, fanLevel: .quiet)),
            high: nil)
        var bench = NodeBench(scenario, devices: 1)
        bench.set(.climateReact(react))
        let changed = bench.published(until: .seconds(5)).map(\.row)
        #expect(changed.map(\.cause) == [.climateReact])
        #expect(changed.map(\.reported.state.mode) == [.heat])
        #expect(changed.map(\.reported.state.fanLevel) == [.quiet])
    }

    /// Refusals by a device that is off and of a model.
    private static let refused: [(SettingChange, ProductModel, String)] = [
        (
            react(low: 260, high: 260), .sky,
            "low threshold 26.0 °C: it must be below the high threshold, 26.0 °C"
        ),
        (react(high: 901), .sky, "high threshold 90.1 °C: temperature allows -60.0 °C to 90.0 °C"),
        (react(.humidity, low: -1), .sky, "low threshold -0.1 %: humidity allows 0.0 % to 100.0 %"),
        (
            react(high: 260, ACStateChange()), .sky,
            "high state: it is empty; at least one setting is required"
        ),
        (
            react(high: 260, ACStateChange(mode: .cool, targetTemperature: 99)), .sky,
            "high state: target temperature 99 °C: mode cool allows 16 to 30 °C"
        ),
        (.climateReactEnabled(true), .sky, "climate react: it was never set up; set a threshold first"),
        (.timer(ACStateChange(mode: .cool), afterSeconds: 1), .elements, "timer: mode cool: allowed are fan"),
        (.filterCleaned, .elements, "filter: model elements has none"),
    ]

    private static func react(
        _ measure: ClimateReact.Measure = .temperature, low: Int16? = nil, high: Int16? = nil,
        _ change: ACStateChange = cool
    ) -> SettingChange {
        .climateReact(
            ClimateReact(
                measure: measure, low: low.map { .init(tenths: $0, change: heat) },
                high: high.map { .init(tenths: $0, change: change) }))
    }

    @Test("settings without thresholds replace the scenario's Climate React and set nothing")
    func cleared() throws {
        let none = ClimateReact(low: nil, high: nil)
        var settings = DeviceSettings()
        settings.climateReact = Self.react
        let grounds = SettingGrounds(
            settings: settings, usualReact: Self.react, state: .asBuilt(Scenario.Group()), model: .sky,
            capabilities: ProductModel.sky.capabilities(), now: NodeBench.start.wall, clock: .real,
            zones: Zones()
        )
        settings.climateReact = none
        #expect(grounds.decision(on: .climateReact(none)) == .changed(settings))
        #expect(reactions(none, try [220, 300, 100].map { try measured($0) }) == [nil, nil, nil])
    }

    @Test(
        "a change of settings that a device does not support is refused with the allowed values",
        arguments: refused)
    func refusals(change: SettingChange, model: ProductModel, text: String) {
        let grounds = SettingGrounds(
            settings: DeviceSettings(), usualReact: nil, state: .asBuilt(Scenario.Group(model: model)),
            model: model,
            capabilities: model.capabilities(), now: NodeBench.start.wall, clock: .real, zones: Zones())
        #expect(grounds.decision(on: change) == .rejected(text))
    }
}
