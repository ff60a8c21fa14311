import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("A pod and its air conditioner")
struct NodeInfraredTests {
    private var bench = NodeBench()

    /// Begins with another node, whose devices lose that part of the infrared signals.
    private mutating func begin(
        loss: Double, remote: RemoteKind = .discrete, devices: Int = 10, scenario: Scenario = .quiet
    ) {
        var scenario = scenario
        scenario.infrared.loss = loss
        scenario.population = Scenario.Population(groups: [Scenario.Group(remote: remote)])
        bench = NodeBench(scenario, devices: devices)
    }

    @discardableResult
    private mutating func order(
        _ change: ACStateChange, of slot: Int, isCorrection: Bool = false
    ) -> [Node.Effect] {
        let number = bench.node.row(of: slot).lastCommandNumber.next.value
        return bench.send(
            .command(bench.command(change, of: slot, number: number, isCorrection: isCorrection)))
    }

    @discardableResult
    private mutating func toggle(_ slot: Int) -> [Node.Effect] {
        order(ACStateChange(isOn: !bench.node.row(of: slot).reported.state.isOn), of: slot)
    }

    @Test("pod and air conditioner agree without losses, with any remote", arguments: RemoteKind.allCases)
    mutating func lossless(remote: RemoteKind) {
        begin(loss: 0, remote: remote, scenario: .lively)
        for second in 1...1_000 {
            bench.turn(after: .seconds(1))
            toggle(second % 10)
            #expect(bench.node.airConditioners.areAsAssumed)
        }
        #expect((0..<10).allSatisfy { bench.node.actualState(of: $0) == bench.node.truth[$0].reported.state })
    }

    @Test("a lost signal of the pod changes the reported state but not the air conditioner")
    mutating func lost() throws {
        begin(loss: 1)
        let before = bench.node.truth[3].reported
        let effects = toggle(3)
        #expect(effects.published.map(\.reported.state.isOn) == [!before.state.isOn])
        #expect(bench.node.truth[3].reported.version == before.version.next)
        #expect(bench.node.actualState(of: 3) == before.state)
        let entries = effects.remembered
        try #require(entries.count == 2)
        #expect(entries[1].cause == .airConditioner)
        #expect(entries[1].airConditioner == before.state)
        toggle(3)
        #expect(bench.node.airConditioners.areAsAssumed, "a second miss leaves it as assumed by chance")
    }

    @Test("a missed hand remote changes the air conditioner and reports nothing")
    mutating func missed() {
        begin(loss: 1)
        let before = bench.node.truth[3]
        #expect(bench.inject(.flip, [3]).published.isEmpty)
        #expect(bench.node.truth[3] == before)
        #expect(bench.node.actualState(of: 3).isOn != before.reported.state.isOn)
    }

    @Test("a correction sets the pod's state without sending a signal", arguments: RemoteKind.allCases)
    mutating func correction(remote: RemoteKind) {
        begin(loss: 1, remote: remote)
        let actual = bench.node.actualState(of: 3)
        toggle(3)
        #expect(!bench.node.airConditioners.areAsAssumed)
        order(ACStateChange(isOn: actual.isOn), of: 3, isCorrection: true)
        #expect(bench.node.truth[3].reported.state == actual)
        #expect(bench.node.truth[3].reported.version == Version(3))
        #expect(bench.node.airConditioners.areAsAssumed)
        begin(loss: 0, remote: remote)
        let before = bench.node.actualState(of: 4)
        order(ACStateChange(isOn: !before.isOn), of: 4, isCorrection: true)
        #expect(bench.node.truth[4].reported.state.isOn != before.isOn)
        #expect(
            bench.node.actualState(of: 4) == before,
            "a correction that changes nothing does not affect the air conditioner")
    }

    @Test("a reset pod differs from its air conditioner, which keeps its state")
    mutating func reset() {
        begin(loss: 0)
        order(ACStateChange(isOn: true, mode: .heat, targetTemperature: 27), of: 0)
        let before = bench.node.truth[0].reported.state
        bench.inject(.reset, [0])
        #expect(bench.node.truth[0].reported.state == .asBuilt)
        #expect(bench.node.actualState(of: 0) == before)
        toggle(0)
        #expect(
            bench.node.actualState(of: 0) == bench.node.truth[0].reported.state,
            "the next signal sets everything")
    }

    @Test(
        "the next received signal restores agreement with a discrete remote, and not with a toggle remote",
        arguments: [(RemoteKind.discrete, 0.12...0.28), (.toggle, 0.4...0.6)])
    mutating func drift(remote: RemoteKind, expected: ClosedRange<Double>) {
        begin(loss: 0.2, remote: remote, devices: 1_000)
        for _ in 0..<12 { for slot in 0..<1_000 { toggle(slot) } }
        let rows = bench.node.truth
        let wrong = (0..<1_000).count { bench.node.actualState(of: $0).isOn != rows[$0].reported.state.isOn }
        #expect(expected.contains(Double(wrong) / 1_000), "\(wrong) of 1,000")
    }

    @Test("sending the assumed state again brings an air conditioner back to that state")
    mutating func again() {
        begin(loss: 0)
        order(ACStateChange(isOn: true, mode: .heat, targetTemperature: 27), of: 0)
        bench.inject(.reset, [0])
        let assumed = bench.node.truth[0].reported
        #expect(bench.node.actualState(of: 0) != assumed.state)
        order(ACStateChange(isOn: assumed.state.isOn), of: 0, isCorrection: true)
        #expect(bench.node.actualState(of: 0) != assumed.state, "a correction sends nothing")
        let effects = order(ACStateChange(isOn: assumed.state.isOn), of: 0)
        #expect(bench.node.truth[0].reported == assumed)
        #expect(bench.node.actualState(of: 0) == assumed.state)
        #expect(effects.published.isEmpty)
        #expect(effects.remembered.last?.airConditioner == assumed.state)
    }

    @Test("a pod without a connection gets no commands of the app either")
    mutating func appWithoutConnection() {
        var scenario = Scenario(name: "test")
        scenario.people.switches = Scenario.Rate(perHour: 3_600)
        begin(loss: 0, devices: 1, scenario: scenario)
        bench.inject(.offline, [0], for: .seconds(60))
        let before = bench.node.truth[0].reported
        bench.run(until: .seconds(59))
        #expect(bench.node.truth[0].reported == before)
        bench.run(until: .seconds(120))
        #expect(bench.node.truth[0].reported.version > before.version)
    }
}
