import FleetProtocol
import FleetTime
import Testing

@testable import DeviceCore

@Suite("Measurements of a pod")
struct ClimateMeasurementsTests {
    private let room = Room(rssiDBm: -60)

    private func measure(_ celsius: Double, percent: Double, seed: UInt64 = 1) -> Measurements {
        let vapour = MoistAir.saturationHPa(celsius: celsius) * percent / 100
        let ratio = 0.621_945 * vapour / (MoistAir.pressureHPa - vapour)
        var generator = SeededGenerator(seed: seed)
        return Measurements(
            of: RoomClimate(celsius: celsius, humidityRatio: ratio), in: room, using: &generator)
    }

    @Test("measurements have one decimal")
    func decimals() {
        let measured = measure(21.26, percent: 44.44)
        #expect(measured.celsius == 21.3)
        #expect(measured.humidityPercent == 44.4)
        #expect(MemoryLayout<Measurements>.stride == 8)
    }

    @Test("a dry room feels like its temperature, as pods report it", arguments: [(20.2, 32.2), (21, 33)])
    func dry(celsius: Double, percent: Double) {
        let measured = measure(celsius, percent: percent)
        #expect(measured.feelsLikeCelsius == measured.celsius)
    }

    @Test("a moist room feels warmer, by Steadman's formula")
    func moist() {
        // 30 °C, 70 %: 29.6 hPa, 0.33 · 29.6 - 4 = 5.8 K.
        #expect(measure(30, percent: 70).feelsLikeCelsius == 35.8)
        #expect(measure(25, percent: 60).feelsLikeCelsius == 27.3)
    }

    @Test("a measured signal strength is near its room's, and varies")
    func radio() {
        let seen = Set((1...100).map { measure(20, percent: 50, seed: $0).rssiDBm })
        #expect(seen == [-62, -61, -60, -59, -58])
        #expect(measure(20, percent: 50, seed: 9) == measure(20, percent: 50, seed: 9))
    }
}
