import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Infrared")
struct InfraredTests {
    private static let seeds = 1...50 as ClosedRange<UInt64>

    /// A random state.
    private func state(_ generator: inout SeededGenerator) -> ACState {
        ACState(
            isOn: Bool.random(using: &generator),
            mode: ACMode.allCases.randomElement(using: &generator) ?? .cool,
            targetTemperature: Int8.random(in: 16...30, using: &generator), fanLevel: .auto)
    }

    @Test(
        "a discrete remote's signal sets everything, so a received signal corrects the state",
        arguments: seeds)
    func discrete(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (assumed, actual) = (ACState.asBuilt, ACState.asBuilt)
        for _ in 0..<200 {
            let wanted = state(&generator)
            let signal = InfraredSignal(from: assumed, to: wanted, by: .discrete)
            let before = actual
            let arrives = Bool.random(using: &generator)
            if arrives { actual = signal.received(at: actual) }
            assumed = wanted
            #expect(actual == (arrives ? assumed : before))
        }
    }

    @Test(
        "a toggle remote's signal only inverts on and off, so an odd number of losses inverts the state",
        arguments: seeds)
    func toggle(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (assumed, actual, missed) = (ACState.asBuilt, ACState.asBuilt, 0)
        for _ in 0..<200 {
            let wanted = state(&generator)
            let signal = InfraredSignal(from: assumed, to: wanted, by: .toggle)
            if Bool.random(using: &generator) {
                actual = signal.received(at: actual)
                var settings = wanted
                settings.isOn = actual.isOn
                #expect(actual == settings)
            } else if wanted.isOn != assumed.isOn {
                missed += 1
            }
            assumed = wanted
            #expect((actual.isOn == assumed.isOn) == missed.isMultiple(of: 2))
        }
    }

    @Test(
        "the side table has exactly the air conditioners that differ from their assumed state",
        arguments: seeds)
    func sideTable(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = AirConditioners()
        var strays: [Int: ACState] = [:]
        for _ in 0..<500 {
            let slot = Int.random(in: 0..<4, using: &generator)
            let (actual, other) = (state(&generator), state(&generator))
            let assumed = Bool.random(using: &generator) ? actual : other
            let before = strays
            strays[slot] = actual == assumed ? nil : actual
            let didChange = table.record(actual, of: slot, assumed: assumed)
            #expect(didChange == (strays != before))
            #expect((0..<4).allSatisfy { table.stray(of: $0) == strays[$0] })
            #expect(table.areAsAssumed == strays.isEmpty)
        }
    }
}
