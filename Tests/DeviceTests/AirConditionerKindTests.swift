import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Air conditioners of different kinds in one node")
struct AirConditionerKindTests {
    private var bench: NodeBench

    init() {
        let kinds = AirConditionerKind.allCases
        var scenario = Scenario(name: "kinds")
        scenario.population = Scenario.Population(groups: kinds.map { Scenario.Group(airConditioner: $0) })
        bench = NodeBench(scenario, devices: kinds.count)
    }

    @Test("a node's hello has the kind of each group")
    mutating func hello() throws {
        #expect(try bench.hello().groups.map(\.airConditioner) == AirConditionerKind.allCases)
    }

    @Test("a new device has the same target temperature in its remote's unit")
    func newborn() {
        let states = bench.node.truth.map(\.reported.state)
        #expect(states.map(\.temperatureUnit) == [.celsius, .celsius, .celsius, .fahrenheit])
        #expect(states.map(\.targetTemperature) == [22, 22, 22, 72])
    }

    @Test(
        "a device accepts what its air conditioner supports, and rejects the rest",
        arguments: [
            (ACStateChange(mode: .dry), [true, false, true, true]),
            (ACStateChange(mode: .heat), [true, true, false, true]),
            (
                ACStateChange(targetTemperature: 65, temperatureUnit: .fahrenheit),
                [false, false, false, true]
            ),
            (ACStateChange(light: .off), [true, false, false, true]),
        ] as [(ACStateChange, [Bool])])
    mutating func commands(change: ACStateChange, isAccepted: [Bool]) {
        for (slot, isAccepted) in isAccepted.enumerated() {
            let verdicts = bench.send(.command(bench.command(change, of: slot))).verdicts
            #expect(verdicts.count == 1)
            let isRejected = if case .rejected = verdicts.first { true } else { false }
            #expect(isRejected != isAccepted)
        }
    }
}
