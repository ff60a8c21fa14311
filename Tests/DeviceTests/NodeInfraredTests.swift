import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("A pod and its air conditioner")
struct NodeInfraredTests {
    private static let now = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
    private var effects: [Node.Effect] = []
    private var commandNumbers: [Int: UInt64] = [:]

    private func node(
        loss: Double, remote: RemoteKind = .discrete, devices: Int = 10,
        scenario: Scenario = .quiet
    ) throws -> Node {
        var scenario = scenario
        scenario.infrared.loss = loss
        scenario.population = Scenario.Population(groups: [Scenario.Group(remote: remote)])
        let configuration = NodeConfiguration(
            name: try #require(NodeName("node-1")), account: try #require(AccountID("demo")),
            devices: devices, scenario: scenario)
        return Node(
            configuration, bootID: BootID(bits: 1), incarnations: SeededGenerator(seed: 5), at: Self.now)
    }

    private mutating func send(_ body: ControllerMessage.Body, to node: inout Node) {
        effects.removeAll()
        node.step(
            .controller(ControllerMessage(epoch: Epoch(1), body: body)), at: Self.now, into: &effects)
    }

    private mutating func order(
        _ change: ACStateChange, of slot: Int, to node: inout Node, isCorrection: Bool = false
    ) {
        let row = node.row(of: slot)
        commandNumbers[slot, default: 0] += 1
        let number = commandNumbers[slot, default: 0]
        let identity = CommandIdentity(
            device: row.device, incarnation: row.reported.incarnation,
            commandNumber: CommandNumber(number), requestID: RequestID(high: 0, low: number))
        send(
            .command(
                DeviceCommand(
                    identity: identity, change: change, base: nil, timeToLive: .seconds(5),
                    isCorrection: isCorrection)),
            to: &node)
    }

    private mutating func toggle(_ slot: Int, of node: inout Node) {
        order(ACStateChange(isOn: !node.row(of: slot).reported.state.isOn), of: slot, to: &node)
    }

    private mutating func inject(_ fault: Fault, at slot: Int, of node: inout Node) {
        send(.fault(fault, devices: [node.row(of: slot).device], duration: .zero), to: &node)
    }

    private func published(_ effects: [Node.Effect]) -> [DeviceRow] {
        effects.compactMap { if case .publish(let row) = $0 { row } else { nil } }
    }

    @Test(
        "pod and air conditioner agree without losses, with any remote",
        arguments: RemoteKind.allCases)
    mutating func lossless(remote: RemoteKind) throws {
        var node = try node(loss: 0, remote: remote, scenario: .lively)
        for second in 1...1_000 {
            effects.removeAll()
            node.step(.turn, at: Self.now.advanced(by: .seconds(second)), into: &effects)
            toggle(second % 10, of: &node)
            #expect(node.airConditioners.areAsAssumed)
        }
        #expect((0..<10).allSatisfy { node.actualState(of: $0) == node.truth[$0].reported.state })
    }

    @Test("a lost signal of the pod changes the reported state but not the air conditioner")
    mutating func lost() throws {
        var node = try node(loss: 1)
        let before = node.truth[3].reported
        toggle(3, of: &node)
        #expect(published(effects).map(\.reported.state.isOn) == [!before.state.isOn])
        #expect(node.truth[3].reported.version == before.version.next)
        #expect(node.actualState(of: 3) == before.state)
        let entries = effects.compactMap { if case .remember(let entry) = $0 { entry } else { nil } }
        try #require(entries.count == 2)
        #expect(entries[1].cause == .airConditioner)
        #expect(entries[1].airConditioner == before.state)
        toggle(3, of: &node)
        #expect(node.airConditioners.areAsAssumed, "a second miss leaves it as assumed by chance")
    }

    @Test(
        "a missed hand remote changes the air conditioner and reports nothing")
    mutating func missed() throws {
        var node = try node(loss: 1)
        let before = node.truth[3]
        inject(.flip, at: 3, of: &node)
        #expect(node.truth[3] == before)
        #expect(published(effects).isEmpty)
        #expect(node.actualState(of: 3).isOn != before.reported.state.isOn)
    }

    @Test(
        "a correction sets the pod's state without sending a signal",
        arguments: RemoteKind.allCases)
    mutating func correction(remote: RemoteKind) throws {
        var node = try node(loss: 1, remote: remote)
        let actual = node.actualState(of: 3)
        toggle(3, of: &node)
        #expect(!node.airConditioners.areAsAssumed)
        order(ACStateChange(isOn: actual.isOn), of: 3, to: &node, isCorrection: true)
        #expect(node.truth[3].reported.state == actual)
        #expect(node.truth[3].reported.version == Version(3))
        #expect(node.airConditioners.areAsAssumed)
        var lossless = try self.node(loss: 0, remote: remote)
        let before = lossless.actualState(of: 4)
        order(ACStateChange(isOn: !before.isOn), of: 4, to: &lossless, isCorrection: true)
        #expect(lossless.truth[4].reported.state.isOn != before.isOn)
        #expect(
            lossless.actualState(of: 4) == before,
            "a correction that changes nothing does not affect the air conditioner")
    }

    @Test("a reset pod differs from its air conditioner, which keeps its state")
    mutating func reset() throws {
        var node = try node(loss: 0)
        order(ACStateChange(isOn: true, mode: .heat, targetTemperature: 27), of: 0, to: &node)
        let before = node.truth[0].reported.state
        inject(.reset, at: 0, of: &node)
        #expect(node.truth[0].reported.state == .asBuilt)
        #expect(node.actualState(of: 0) == before)
        commandNumbers = [:]
        toggle(0, of: &node)
        #expect(node.actualState(of: 0) == node.truth[0].reported.state, "the next signal sets everything")
    }

    @Test(
        "the next received signal restores agreement with a discrete remote, and not with a toggle remote",
        arguments: [(RemoteKind.discrete, 0.12...0.28), (.toggle, 0.4...0.6)])
    mutating func drift(remote: RemoteKind, expected: ClosedRange<Double>) throws {
        var node = try node(loss: 0.2, remote: remote, devices: 1_000)
        for _ in 0..<12 { for slot in 0..<1_000 { toggle(slot, of: &node) } }
        let rows = node.truth
        let wrong = (0..<1_000).count { node.actualState(of: $0).isOn != rows[$0].reported.state.isOn }
        #expect(expected.contains(Double(wrong) / 1_000), "\(wrong) of 1,000")
    }

    @Test("sending the assumed state again brings an air conditioner back to that state")
    mutating func again() throws {
        var node = try node(loss: 0)
        order(ACStateChange(isOn: true, mode: .heat, targetTemperature: 27), of: 0, to: &node)
        inject(.reset, at: 0, of: &node)
        commandNumbers = [:]
        let assumed = node.truth[0].reported
        #expect(node.actualState(of: 0) != assumed.state)
        order(ACStateChange(isOn: assumed.state.isOn), of: 0, to: &node, isCorrection: true)
        #expect(node.actualState(of: 0) != assumed.state, "a correction sends nothing")
        order(ACStateChange(isOn: assumed.state.isOn), of: 0, to: &node)
        #expect(node.truth[0].reported == assumed)
        #expect(node.actualState(of: 0) == assumed.state)
        #expect(published(effects).isEmpty)
        let remembered = effects.compactMap { if case .remember(let entry) = $0 { entry } else { nil } }
        #expect(remembered.last?.airConditioner == assumed.state)
    }

    @Test("a pod without a connection gets no commands of the app either")
    mutating func appWithoutConnection() throws {
        var scenario = Scenario(name: "test")
        scenario.people.switches = Scenario.Rate(perHour: 3_600)
        var node = try node(loss: 0, devices: 1, scenario: scenario)
        send(.fault(.offline, devices: [node.truth[0].device], duration: .seconds(60)), to: &node)
        let before = node.truth[0].reported
        for second in 1...59 {
            node.step(.turn, at: Self.now.advanced(by: .seconds(second)), into: &effects)
        }
        #expect(node.truth[0].reported == before)
        for second in 60...120 {
            node.step(.turn, at: Self.now.advanced(by: .seconds(second)), into: &effects)
        }
        #expect(node.truth[0].reported.version > before.version)
    }
}
