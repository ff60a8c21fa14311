import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Devices of several models on one node")
struct NodeModelTests {
    private static let now = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
    private var effects: [Node.Effect] = []

    /// Four devices, one of each model in the order of its cases.
    private func node() throws -> Node {
        var scenario = Scenario(name: "test")
        scenario.population = Scenario.Population(
            groups: ProductModel.allCases.map { Scenario.Group(size: .count(1), model: $0) })
        let configuration = NodeConfiguration(
            name: try #require(NodeName("node-1")), account: try #require(AccountID("demo")), devices: 4,
            scenario: scenario)
        return Node(
            configuration, bootID: BootID(bits: 1), incarnations: SeededGenerator(seed: 5), at: Self.now)
    }

    private mutating func send(_ body: ControllerMessage.Body, to node: inout Node) {
        effects.removeAll()
        node.step(
            .controller(ControllerMessage(epoch: Epoch(1), body: body)), at: Self.now, into: &effects)
    }

    private mutating func verdict(
        on change: ACStateChange, number: UInt64, of slot: Int, in node: inout Node
    ) -> Verdict? {
        let row = node.truth[slot]
        let identity = CommandIdentity(
            device: row.device, incarnation: row.reported.incarnation,
            commandNumber: CommandNumber(number), requestID: RequestID(high: 0, low: number))
        let command = DeviceCommand(
            identity: identity, change: change, base: nil, timeToLive: .seconds(5))
        send(.command(command), to: &node)
        for case .send(let message) in effects {
            if case .result(let result) = message.body { return result.verdict }
        }
        return nil
    }

    @Test("each device judges a command by its own model's capabilities")
    mutating func judge() throws {
        var node = try node()
        let heat = ACStateChange(isOn: true, mode: .heat, targetTemperature: 25)
        let verdicts = (0..<4).map { verdict(on: heat, number: 1, of: $0, in: &node) }
        #expect(
            verdicts == [
                .applied, .applied, .rejected("mode heat: allowed are fan"),
                .rejected("mode heat: allowed are fan"),
            ])
        #expect(verdict(on: ACStateChange(isOn: true, light: .dim), number: 2, of: 3, in: &node) == .applied)
        #expect(verdict(on: ACStateChange(fanLevel: .high), number: 2, of: 2, in: &node) == .applied)
    }

    @Test("a hello has the Climate React that the scenario gives each group")
    func climateReact() throws {
        var scenario = Scenario(name: "test")
        scenario.population = Scenario.Population(groups: [
            Scenario.Group(climateReact: .init(lowCelsius: 19.5, highCelsius: 24)), Scenario.Group(),
        ])
        let configuration = NodeConfiguration(
            name: try #require(NodeName("node-1")), account: try #require(AccountID("demo")), devices: 2,
            scenario: scenario)
        let node = Node(
            configuration, bootID: BootID(bits: 1), incarnations: SeededGenerator(seed: 5), at: Self.now)
        func change(_ mode: ACMode) -> ACStateChange {
            ACStateChange(isOn: true, mode: mode, targetTemperature: 22, temperatureUnit: .celsius)
        }
        let react = ClimateReact(
            low: .init(tenths: 195, change: change(.heat)), high: .init(tenths: 240, change: change(.cool)))
        #expect(node.population.sentGroups.map(\.climateReact) == [react, nil])
    }

    @Test("new and reset devices have their model's initial state, and a flip does not change a sensor")
    mutating func built() throws {
        var node = try node()
        #expect(node.truth.map(\.reported.state.mode) == [.cool, .cool, .fan, .fan])
        #expect(!node.truth[3].reported.state.isOn)
        for fault in [Fault.flip, .reset] {
            send(.fault(fault, devices: node.truth.map(\.device), duration: .zero), to: &node)
        }
        #expect(node.truth.map(\.reported.state.mode) == [.cool, .cool, .fan, .fan])
        #expect(node.truth[2].reported.state.fanLevel == .low)
        let before = node.truth[3]
        send(.fault(.flip, devices: [before.device], duration: .zero), to: &node)
        #expect(node.truth[3] == before)
        #expect(effects.isEmpty)
    }

    @Test("groups are sent once in the hello, and rows refer to them by position")
    mutating func groups() throws {
        var node = try node()
        node.step(.connected, at: Self.now, into: &effects)
        guard case .send(let greeting)? = effects.first,
            case .hello(let hello) = greeting.body, hello.devices == 4
        else {
            Issue.record("no hello")
            return
        }
        #expect(hello.groups.map(\.model) == ProductModel.allCases)
        #expect(hello.groups.map(\.firmware) == ["SKY30046", "AIR00111", "PUR00111", "ELM00119"])
        send(.pull(since: .zero, cursor: 0), to: &node)
        guard case .send(let answer)? = effects.first, case .rows(let chunk) = answer.body else {
            Issue.record("no rows")
            return
        }
        #expect(chunk.rows.map(\.group) == [0, 1, 2, 3])
    }

    @Test("an air purifier loses no infrared signals")
    mutating func purifier() throws {
        var scenario = Scenario(name: "test")
        scenario.infrared.loss = 1
        scenario.population = Scenario.Population(groups: [Scenario.Group(model: .pure)])
        let configuration = NodeConfiguration(
            name: try #require(NodeName("node-1")), account: try #require(AccountID("demo")), devices: 1,
            scenario: scenario)
        var node = Node(
            configuration, bootID: BootID(bits: 1), incarnations: SeededGenerator(seed: 5), at: Self.now)
        let wasOn = node.truth[0].reported.state.isOn
        #expect(verdict(on: ACStateChange(isOn: !wasOn), number: 1, of: 0, in: &node) == .applied)
        #expect(node.actualState(of: 0).isOn != wasOn)
    }
}
