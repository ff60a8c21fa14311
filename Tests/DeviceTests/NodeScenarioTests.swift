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

    /// The number of switches of devices from now until a moment.
    private func flips(_ bench: inout NodeBench, until end: Duration) -> Int {
        var count = 0
        bench.run(until: end) { _, effect in if case .publish = effect { count += 1 } }
        return count
    }

    private func done(_ effects: [Node.Effect]) -> NodeMessage.Body? {
        for case .send(let message) in effects {
            if case .done = message.body { return message.body }
        }
        return nil
    }

    @Test("a node asks for the ordered scenario, and continues with the old one until it has it")
    func order() throws {
        var bench = try NodeBench()
        #expect(
            bench.send(.scenario(Self.order, "worst-day", beganAt: bench.now.wall))
                == [.readScenario(Self.order, "worst-day", beganAt: bench.now.wall)])
        let effects = bench.step(.scenario(Self.order, nil, beganAt: bench.now.wall))
        #expect(done(effects) == .done(Self.order, devices: 0, .unreadable))
        #expect(flips(&bench, until: .seconds(100)) == 0)
    }

    @Test(
        "a new scenario's rates apply from then on, and the old ones end",
        arguments: [(0.0, 360.0), (360, 0)])
    func rates(before: Double, after: Double) throws {
        var bench = try NodeBench(scenario(handRemotes: before))
        // A use every ten seconds for each of ten devices: 100 are expected, and 10 are one standard
        // deviation.
        func expected(_ rate: Double) -> ClosedRange<Int> { rate == 0 ? 0...0 : 60...140 }
        #expect(expected(before).contains(flips(&bench, until: .seconds(100))))
        let effects = bench.step(.scenario(Self.order, scenario(handRemotes: after), beganAt: bench.now.wall))
        #expect(done(effects) == .done(Self.order, devices: 10))
        #expect(expected(after).contains(flips(&bench, until: .seconds(200))))
    }

    @Test("the same scenario ordered repeatedly does not increase its rates")
    func again() throws {
        var bench = try NodeBench(scenario(handRemotes: 360))
        for _ in 0..<5 {
            _ = bench.step(.scenario(Self.order, scenario(handRemotes: 360), beganAt: bench.now.wall))
        }
        #expect((60...140).contains(flips(&bench, until: .seconds(100))))
    }

    @Test("a new scenario's day begins at once: its herd has the same delay as after a start")
    func herd() throws {
        var scenario = Scenario(name: "herd")
        scenario.clock = Scenario.Clock(speed: 60, start: .noon)
        let hour = try #require(Scenario.TimeOfDay(hour: 13, minute: 0))
        scenario.herd = Scenario.Herd(times: [hour], part: 1, lasting: .seconds(600))
        var bench = try NodeBench(scenario)
        bench.run(until: .seconds(50)) { _, _ in }
        _ = bench.step(.scenario(Self.order, scenario, beganAt: bench.now.wall))
        var offline: [Duration] = []
        bench.run(until: .seconds(115)) { elapsed, effect in
            if case .publish(let row) = effect, !row.isConnected { offline.append(elapsed) }
        }
        #expect(offline.count == 10)
        for moment in offline { #expect(abs(moment / .seconds(1) - 110) < 0.1) }
    }

    @Test("a fault that is active at a change of scenario ends, and a device without Wi-Fi reconnects")
    func underWay() throws {
        var scenario = Scenario(name: "drops")
        scenario.network = Scenario.Network(drops: Scenario.Rate(perHour: 300), meanTimeWithout: .seconds(8))
        var bench = try NodeBench(scenario)
        bench.run(until: .seconds(60)) { _, _ in }
        _ = bench.send(.fault(.offline, devices: [bench.node.truth[0].device], duration: .seconds(20)))
        #expect(bench.node.truth.count { !$0.isConnected } > 1)
        _ = bench.step(.scenario(Self.order, .quiet, beganAt: bench.now.wall))
        #expect(!bench.node.truth[0].isConnected)
        bench.run(until: .seconds(600)) { _, _ in }
        #expect(bench.node.truth.count { $0.isConnected } == 10)
    }

    @Test("devices keep their names in a new scenario, and the node reports that the scenario has others")
    func population() throws {
        var bench = try NodeBench()
        let before = names(&bench)
        var other = Scenario(name: "tower")
        other.population = Scenario.Population(groups: [Scenario.Group(rooms: ["Reception"])])
        let effects = bench.step(.scenario(Self.order, other, beganAt: bench.now.wall))
        #expect(done(effects) == .done(Self.order, devices: 10, .populationUnchanged))
        #expect(names(&bench) == before)
        let again = bench.step(.scenario(Self.order, other, beganAt: bench.now.wall))
        #expect(
            done(again) == .done(Self.order, devices: 10, .populationUnchanged), "its own names still differ")
    }

    @Test("the same inputs have the same effects across a change of scenario")
    func deterministic() throws {
        func trace() throws -> [String] {
            var bench = try NodeBench(.lively)
            var trace: [String] = []
            bench.run(until: .seconds(50)) { trace.append("\($0) \($1)") }
            trace += bench.step(.scenario(Self.order, scenario(handRemotes: 360), beganAt: bench.now.wall))
                .map { "\($0)" }
            bench.run(until: .seconds(100)) { trace.append("\($0) \($1)") }
            return trace
        }
        let first = try trace()
        #expect(try trace() == first)
        #expect(first.count > 100)
    }

    private func names(_ bench: inout NodeBench) -> [String] {
        for case .send(let message) in bench.send(.pull(since: .zero, cursor: 0)) {
            if case .rows(let chunk) = message.body { return chunk.rows.map(\.name) }
        }
        return []
    }
}
