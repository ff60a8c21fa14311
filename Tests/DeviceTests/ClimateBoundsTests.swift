import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Bounds of a room's climate")
struct ClimateBoundsTests {
    private func room(using generator: inout SeededGenerator) -> Room {
        func either(_ bounds: ClosedRange<Double>) -> Double {
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bounds.lowerBound
            case 1: bounds.upperBound
            default: .random(in: bounds, using: &generator)
            }
        }
        return Room(
            resistanceKelvinPerWatt: either(1e-4...10), heatCapacityJoulesPerKelvin: either(1e4...1e9),
            airKg: either(1...1e5), airChangesPerHour: either(0.01...100), moistureBuffer: either(1...100),
            deviceWatts: either(0...1e5),
            occupancy: Occupancy(
                people: .random(in: .min ... .max, using: &generator), fromHour: either(0...24),
                hours: either(0...24)),
            coolingWatts: either(0...1e5), heatingWatts: either(0...1e5), hysteresisKelvin: either(0.1...1.9),
            rssiDBm: .random(in: .min ... .max, using: &generator))
    }

    private func outdoors(using generator: inout SeededGenerator) -> Outdoors {
        Outdoors(
            meanCelsius: .random(in: -50...50, using: &generator),
            halfSwingKelvin: .random(in: 0...25, using: &generator),
            hottestHour: .random(in: 0...24, using: &generator),
            dewPointCelsius: .random(in: -60...40, using: &generator))
    }

    private func state(using generator: inout SeededGenerator) -> ACState {
        ACState(
            isOn: .random(using: &generator), mode: ACMode.allCases.randomElement(using: &generator) ?? .fan,
            targetTemperature: .random(in: .min ... .max, using: &generator),
            fanLevel: FanLevel.allCases.randomElement(using: &generator) ?? .auto)
    }

    private func duration(using generator: inout SeededGenerator) -> Duration {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: .zero
        case 1: .nanoseconds(Int64.random(in: 0...2_000_000, using: &generator))
        case 2: .seconds(Int64.max)
        case 3: .seconds(Int64.random(in: 0...1_000_000, using: &generator))
        default: .milliseconds(Int64.random(in: 0...90_000, using: &generator))
        }
    }

    @Test(
        "a room's climate stays within its bounds for any room, weather, setting and time",
        arguments: UInt64(1)...40)
    func hostile(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let room = room(using: &generator)
        let outdoors = outdoors(using: &generator)
        var climate = RoomClimate(
            celsius: .random(in: -1e9...1e9, using: &generator),
            humidityRatio: .random(in: -1...1, using: &generator))
        for _ in 0..<50 {
            let start = Duration.seconds(Int64.random(in: .min ... .max, using: &generator))
            let before = climate
            let (duration, state) = (duration(using: &generator), state(using: &generator))
            climate.advance(by: duration, from: start, in: room, under: outdoors, set: state)
            #expect(RoomAir.celsiusBounds.contains(climate.celsius))
            #expect(RoomAir.ratioBounds.contains(climate.humidityRatio))
            #expect((0...100).contains(climate.relativeHumidityPercent))
            let measured = Measurements(of: climate, in: room, using: &generator)
            #expect((-600...900).contains(measured.deciCelsius))
            #expect(measured.feelsLikeDeciCelsius >= measured.deciCelsius)
            #expect((0...1_000).contains(measured.humidityPermille))
            #expect((-100 ... -20).contains(measured.rssiDBm))
            var again = before
            again.advance(by: duration, from: start, in: room, under: outdoors, set: state)
            #expect(again == climate)
        }
    }
}
