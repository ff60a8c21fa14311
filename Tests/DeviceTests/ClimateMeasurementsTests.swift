import FleetProtocol
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

    @Test("a measured signal strength is near its room's, and varies")
    func radio() {
        let seen = Set((1...100).map { measure(20, percent: 50, seed: $0).rssiDBm })
        #expect(seen == [-62, -61, -60, -59, -58])
        #expect(measure(20, percent: 50, seed: 9) == measure(20, percent: 50, seed: 9))
    }
}
