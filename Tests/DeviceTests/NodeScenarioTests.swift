import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("A node that changes to another scenario")
struct NodeScenarioTests {
    private static let order = OrderID(bits: 3)

    /// A scenario with that rate of hand remotes.
    private func scenario(handRemotes perHour: Double) -> Scenario {
        var scenario = Scenario(name: "hands")
        scenario.people.handRemotes = Scenario.Rate(perHour: perHour)
        return scenario
    }

    @Test("a node asks for the ordered scenario, and continues with the old one until it has it")
    func order() {
        var bench = NodeBench()
        #expect(
            bench.send(.scenario(Self.order, "worst-day", beganAt: bench.now.wall))
                == [.readScenario(Self.order, "worst-day", beganAt: bench.now.wall)])
        let effects = bench.step(.scenario(Self.order, nil, beganAt: bench.now.wall))
        #expect(effects.done == .done(Self.order, devices: 0, .unreadable))
        #expect(bench.published(until: .seconds(100)).count == 0)
    }

    @Test(
        "a new scenario's rates apply from then on, and the old ones end",
        arguments: [(0.0, 360.0), (360, 0)])
    func rates(before: Double, after: Double) {
        var bench = NodeBench(scenario(handRemotes: before))
        // A use every ten seconds for each of ten devices: 100 are expected, and 10 are one standard
        // deviation.
        func expected(_ rate: Double) -> ClosedRange<Int> { rate == 0 ? 0...0 : 60...140 }
        #expect(expected(before).contains(bench.published(until: .seconds(100)).count))
        let effects = bench.step(.scenario(Self.order, scenario(handRemotes: after), beganAt: bench.now.wall))
        #expect(effects.done == .done(Self.order, devices: 10))
        #expect(expected(after).contains(bench.published(until: .seconds(200)).count))
    }

    @Test("the same scenario ordered repeatedly does not increase its rates")
    func again() {
        var bench = NodeBench(scenario(handRemotes: 360))
        for _ in 0..<5 {
            bench.step(.scenario(Self.order, scenario(handRemotes: 360), beganAt: bench.now.wall))
        }
        #expect((60...140).contains(bench.published(until: .seconds(100)).count))
    }

    @Test("a new scenario's day begins at once: its herd has the same delay as after a start")
    func herd() {
        var scenario = Scenario(name: "herd")
        scenario.clock = Scenario.Clock(speed: 60, start: .noon)
        scenario.herd = Scenario.Herd(
            times: [.init(secondOfDay: 13 * 3_600)], part: 1, lasting: .seconds(600))
        var bench = NodeBench(scenario)
        bench.run(until: .seconds(50))
        bench.step(.scenario(Self.order, scenario, beganAt: bench.now.wall))
        let offline = bench.published(until: .seconds(115)).filter { !$0.row.isConnected }
        #expect(offline.count == 10)
        for (moment, _) in offline { #expect(abs(moment / .seconds(1) - 110) < 0.1) }
    }

    @Test("a fault that is active at a change of scenario ends, and a device without Wi-Fi reconnects")
    func underWay() {
        var scenario = Scenario(name: "drops")
        scenario.network = Scenario.Network(drops: Scenario.Rate(perHour: 300), meanTimeWithout: .seconds(8))
        var bench = NodeBench(scenario)
        bench.run(until: .seconds(60))
        bench.inject(.offline, [0], for: .seconds(20))
        #expect(bench.node.truth.count { !$0.isConnected } > 1)
        bench.step(.scenario(Self.order, .quiet, beganAt: bench.now.wall))
        #expect(!bench.node.truth[0].isConnected)
        bench.run(until: .seconds(600))
        #expect(bench.node.truth.count { $0.isConnected } == 10)
    }

    @Test("devices keep their names in a new scenario, and the node reports that the scenario has others")
    func population() throws {
        var bench = NodeBench()
        let before = try bench.rows().map(\.name)
        var other = Scenario(name: "tower")
        other.population = Scenario.Population(groups: [Scenario.Group(rooms: ["Reception"])])
        let effects = bench.step(.scenario(Self.order, other, beganAt: bench.now.wall))
        #expect(effects.done == .done(Self.order, devices: 10, .populationUnchanged))
        #expect(try bench.rows().map(\.name) == before)
        let again = bench.step(.scenario(Self.order, other, beganAt: bench.now.wall))
        #expect(
            again.done == .done(Self.order, devices: 10, .populationUnchanged), "its own names still differ")
    }

    @Test("the same inputs have the same effects across a change of scenario")
    func deterministic() {
        func trace() -> [String] {
            var bench = NodeBench(.lively)
            var trace: [String] = []
            bench.run(until: .seconds(50)) { trace.append("\($0) \($1)") }
            trace += bench.step(.scenario(Self.order, scenario(handRemotes: 360), beganAt: bench.now.wall))
                .map { "\($0)" }
            bench.run(until: .seconds(100)) { trace.append("\($0) \($1)") }
            return trace
        }
        let first = trace()
        #expect(trace() == first)
        #expect(first.count > 100)
    }
}
