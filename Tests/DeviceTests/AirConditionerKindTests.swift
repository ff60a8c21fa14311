import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Air conditioners of different kinds in one node")
struct AirConditionerKindTests {
    private static let population = Scenario.Population(
        groups: AirConditionerKind.allCases.map { Scenario.Group(airConditioner: $0) })

    private func bench() throws -> NodeBench {
        var scenario = Scenario(name: "kinds")
        scenario.population = Self.population
        return try NodeBench(scenario, devices: AirConditionerKind.allCases.count)
    }

    @Test("a node's hello has the kind of each group")
    func hello() throws {
        let kinds = try bench().firstEffects.compactMap { effect -> [AirConditionerKind]? in
            guard case .send(let message) = effect, case .hello(let hello) = message.body else { return nil }
            return hello.groups.map(\.airConditioner)
        }
        #expect(kinds.first == AirConditionerKind.allCases)
    }

    @Test("a new device has the same target temperature in its remote's unit")
    func newborn() throws {
        let states = try bench().node.truth.map(\.reported.state)
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
    func commands(change: ACStateChange, isAccepted: [Bool]) throws {
        var bench = try bench()
        for (slot, isAccepted) in isAccepted.enumerated() {
            let row = bench.node.truth[slot]
            let command = DeviceCommand(
                identity: CommandIdentity(
                    device: row.device, incarnation: row.reported.incarnation,
                    commandNumber: CommandNumber(1),
                    requestID: RequestID(high: 0, low: 1)),
                change: change, base: row.reported.version, timeToLive: .seconds(5))
            let verdicts = bench.send(.command(command)).compactMap { effect -> Verdict? in
                guard case .send(let message) = effect, case .result(let result) = message.body else {
                    return nil
                }
                return result.verdict
            }
            #expect(verdicts.count == 1)
            let isRejected = if case .rejected = verdicts.first { true } else { false }
            #expect(isRejected != isAccepted)
        }
    }
}
