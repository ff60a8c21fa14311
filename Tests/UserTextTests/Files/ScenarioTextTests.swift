import DeviceCore
import FleetProtocol
import Testing
import UserFiles

@Suite("Scenario files")
struct ScenarioTextTests {
    private func scenario(_ text: String) throws -> Scenario {
        try ScenarioText.parse(Array(text.utf8), file: "x.yaml", name: "x")
    }

    @Test("omitted keys have their defaults")
    func defaults() throws {
        #expect(try scenario("name: x") == Scenario(name: "x"))
        let network = try scenario("network: {drops-per-hour: 2}").network
        #expect(network == Scenario.Network(drops: .init(perHour: 2), meanTimeWithout: .seconds(8)))
        let herd = try scenario("herd: {at: [\"09:00\"]}").herd
        #expect(herd == Scenario.Herd(times: [.init(secondOfDay: 32_400)], part: 1, lasting: .seconds(30)))
    }

    @Test("every key sets its value")
    func everyKey() throws {
        let scenario = try scenario(
            """
            name: Everything
            about: |
              Two
              lines.
            clock: {speed: 0.5, start: 23:59}
            weather: {mean: -3.5, swing: 2, hottest: "14:30", humidity: 80}
            population:
              - {count: 3, model: airq, site: A, rooms: [Hall, '7'], remote: toggle, firmware: SKY30046,
                 climate-react: {low: 19.5, high: 24}}
              - {share: 2}
            people: {switches-per-hour: 1.5, hand-remotes-per-hour: [{from: 22:00, to: 24:00, rate: 3}]}
            network: {drops-per-hour: 0.5, mean-time-without: 1.5m}
            infrared: {loss: 0.25}
            answer: {low: 0s, high: 200ms}
            hangs: {per-hour: 1, lasting: 10s}
            reboots: {per-hour: 2, lasting: 15s, memory-lost: 1}
            nodes: {crashes-per-hour: 0.1}
            herd: {at: ["14:00", 09:00], part: 0.5, away: 1h}
            """)
        var expected = Scenario(name: "Everything", about: "Two lines.")
        expected.clock = .init(speed: 0.5, start: .init(secondOfDay: 86_340))
        expected.weather = .init(
            meanCelsius: -3.5, swingKelvin: 2, hottest: .init(secondOfDay: 52_200), humidityPercent: 80)
        expected.population = .init(groups: [
            .init(
                size: .count(3), model: .airPro, site: "A", rooms: ["Hall", "7"], remote: .toggle,
                climateReact: .init(lowCelsius: 19.5, highCelsius: 24), firmware: "SKY30046"),
            .init(size: .share(2)),
        ])
        expected.people = .init(
            switches: .init(perHour: 1.5),
            handRemotes: .init(daily: [.init(from: .init(secondOfDay: 79_200), to: .midnight, perHour: 3)]))
        expected.network = .init(drops: .init(perHour: 0.5), meanTimeWithout: .seconds(90))
        expected.infrared = .init(loss: 0.25)
        expected.answer = .uniform(low: .zero, high: .milliseconds(200))
        expected.hangs = .init(rate: .init(perHour: 1), lasting: .seconds(10))
        expected.reboots = .init(rate: .init(perHour: 2), lasting: .seconds(15), memoryLoss: 1)
        expected.nodes = .init(crashes: .init(perHour: 0.1))
        expected.herd = .init(
            times: [.init(secondOfDay: 32_400), .init(secondOfDay: 50_400)], part: 0.5,
            lasting: .seconds(3_600))
        #expect(scenario == expected)
    }

    @Test("periods may span midnight, follow each other, and fill the day")
    func periods() throws {
        let rate = try scenario(
            """
            people:
              switches-per-hour:
                - {from: "22:00", to: "06:00", rate: 1}
                - {from: "06:00", to: "22:00", rate: 2}
            """
        ).people.switches
        #expect([21, 22, 23, 0, 5, 6].map { rate.rate(at: $0 * 3_600) } == [2, 1, 1, 1, 1, 2])
        let whole = try scenario(
            "nodes: {crashes-per-hour: [{from: \"00:00\", to: \"24:00\", rate: 2}]}"
        ).nodes.crashes
        #expect(whole == Scenario.Rate(perHour: 2))
    }
}
