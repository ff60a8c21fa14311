import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Devices of several models on one node")
struct NodeModelTests {
    private static func scenario(_ groups: [Scenario.Group]) -> Scenario {
        var scenario = Scenario(name: "test")
        scenario.population = Scenario.Population(groups: groups)
        return scenario
    }

    /// Four devices, one of each model in the order of its cases.
    private var bench = NodeBench(
        scenario(ProductModel.allCases.map { Scenario.Group(size: .count(1), model: $0) }), devices: 4)

    private mutating func verdict(on change: ACStateChange, of slot: Int, number: UInt64 = 1) -> Verdict? {
        bench.send(.command(bench.command(change, of: slot, number: number))).verdicts.first
    }

    @Test("each device judges a command by its own model's capabilities")
    mutating func judge() {
        let heat = ACStateChange(isOn: true, mode: .heat, targetTemperature: 25)
        let rejected = Verdict.rejected("mode heat: allowed are fan")
        #expect((0..<4).map { verdict(on: heat, of: $0) } == [.applied, .applied, rejected, rejected])
        #expect(verdict(on: ACStateChange(isOn: true, light: .dim), of: 3, number: 2) == .applied)
        #expect(verdict(on: ACStateChange(fanLevel: .high), of: 2, number: 2) == .applied)
    }

    @Test("a hello has the Climate React that the scenario gives each group")
    func climateReact() {
        let groups = [
            Scenario.Group(climateReact: .init(lowCelsius: 19.5, highCelsius: 24)), Scenario.Group(),
        ]
        let node = NodeBench(Self.scenario(groups), devices: 2).node
        func change(_ mode: ACMode) -> ACStateChange {
            ACStateChange(isOn: true, mode: mode, targetTemperature: 22, temperatureUnit: .celsius)
        }
        let react = ClimateReact(
            low: .init(tenths: 195, change: change(.heat)), high: .init(tenths: 240, change: change(.cool)))
        #expect(node.population.sentGroups.map(\.climateReact) == [react, nil])
    }

    @Test("new and reset devices have their model's initial state, and a flip does not change a sensor")
    mutating func built() {
        func modes() -> [ACMode?] { bench.node.truth.map(\.reported.state.mode) }
        #expect(modes() == [.cool, .cool, .fan, .fan])
        #expect(!bench.node.truth[3].reported.state.isOn)
        for fault in [Fault.flip, .reset] { bench.inject(fault, Array(0..<4)) }
        #expect(modes() == [.cool, .cool, .fan, .fan])
        #expect(bench.node.truth[2].reported.state.fanLevel == .low)
        let before = bench.node.truth[3]
        #expect(bench.inject(.flip, [3]).isEmpty)
        #expect(bench.node.truth[3] == before)
    }

    @Test("groups are sent once in the hello, and rows refer to them by position")
    mutating func groups() throws {
        let hello = try bench.hello()
        #expect(hello.devices == 4)
        #expect(hello.groups.map(\.model) == ProductModel.allCases)
        #expect(hello.groups.map(\.firmware) == ["SKY30046", "AIR00111", "PUR00111", "ELM00119"])
        #expect(try bench.rows().map(\.group) == [0, 1, 2, 3])
    }

    @Test("an air purifier loses no infrared signals")
    mutating func purifier() {
        var scenario = Self.scenario([Scenario.Group(model: .pure)])
        scenario.infrared.loss = 1
        bench = NodeBench(scenario, devices: 1)
        let wasOn = bench.node.truth[0].reported.state.isOn
        #expect(verdict(on: ACStateChange(isOn: !wasOn), of: 0) == .applied)
        #expect(bench.node.actualState(of: 0).isOn != wasOn)
    }
}
