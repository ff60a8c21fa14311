import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Moisture of a room")
struct ClimateMoistureTests {
    private func after(_ mode: ACMode?, hours: Int = 2) -> RoomClimate {
        var bench = ClimateBench(room: Room(), outdoors: .summer)
        bench.climate = RoomClimate(settledIn: bench.room, under: .summer)
        if let mode { bench.set(mode, 20) }
        bench.run(for: .seconds(hours * 3_600))
        return bench.climate
    }

    @Test("cooling and drying lower a room's humidity ratio, and the fan does not")
    func drying() {
        let off = after(nil)
        #expect(after(.cool).humidityRatio < off.humidityRatio - 0.002)
        #expect(after(.dry).humidityRatio < off.humidityRatio - 0.002)
        #expect(after(.fan).humidityRatio == off.humidityRatio)
    }

    @Test("drying lowers a room's relative humidity too: it removes much water and little heat")
    func dryMode() {
        let (off, cooled, dried) = (after(nil), after(.cool), after(.dry))
        #expect(dried.celsius > cooled.celsius + 1)
        #expect(dried.celsius < off.celsius - 0.5)
        #expect(dried.relativeHumidityPercent < off.relativeHumidityPercent - 5)
    }

    @Test("at the rating, moisture is removed at the rated speed")
    func rated() {
        let room = Room()
        var bench = ClimateBench(climate: RoomClimate(celsius: 27, humidityRatio: Room.ratedRatio))
        bench.outdoors = Outdoors(meanCelsius: 35, halfSwingKelvin: 0, dewPointCelsius: 14)
        bench.set(.cool, 16)
        var idle = bench
        idle.state = ClimateBench.off
        bench.run(for: .seconds(1))
        idle.run(for: .seconds(1))
        let kg = (idle.climate.humidityRatio - bench.climate.humidityRatio) * room.airKg * room.moistureBuffer
        // A quarter of 2,640 W, at 2.454 MJ per kilogram; the ratio is stored in steps of 2·10⁻¹⁰.
        #expect(abs(kg - 2_640 * 0.25 / 2.454e6) < 3e-10 * room.airKg * room.moistureBuffer)
    }

    @Test("moisture is not removed below the ratio of the coil, in any time")
    func coil() {
        let dry = Outdoors(meanCelsius: 35, halfSwingKelvin: 0, dewPointCelsius: 12)
        var bench = ClimateBench(outdoors: dry, climate: RoomClimate(celsius: 35, humidityRatio: 0.02))
        bench.set(.cool, 16)
        bench.run(for: .seconds(86_400))
        #expect(bench.climate.humidityRatio > Room.coilRatio)
        #expect(bench.climate.humidityRatio < MoistAir.saturatedRatio(celsius: 12))
    }

    @Test("below the coil's ratio, moisture depends on the outside air only")
    func dryCoil() {
        let arid = Outdoors(meanCelsius: 35, halfSwingKelvin: 0, dewPointCelsius: -5)
        var cooled = ClimateBench(outdoors: arid, climate: RoomClimate(celsius: 35, humidityRatio: 0.006))
        var off = cooled
        cooled.set(.cool, 16)
        cooled.run(for: .seconds(3_600))
        off.run(for: .seconds(3_600))
        #expect(cooled.climate.humidityRatio == off.climate.humidityRatio)
        #expect(cooled.climate.celsius < off.climate.celsius)
    }

    @Test("the change from a wet to a dry coil happens at the right moment")
    func crossing() {
        let arid = Outdoors(meanCelsius: 35, halfSwingKelvin: 0, dewPointCelsius: -5)
        var whole = ClimateBench(outdoors: arid, climate: RoomClimate(celsius: 35, humidityRatio: 0.0083))
        whole.set(.cool, 16)
        var parts = whole
        whole.run(for: .seconds(900))
        parts.run(900, stepsOf: .seconds(1))
        #expect(whole.climate.humidityRatio < Room.coilRatio)
        #expect(abs(whole.climate.humidityRatio - parts.climate.humidityRatio) < 1e-6)
    }

    @Test("moisture above saturation condenses")
    func condensing() {
        let cold = Outdoors(meanCelsius: 0, halfSwingKelvin: 0, dewPointCelsius: 0)
        // The room cools down faster than its walls and textiles dry.
        var bench = ClimateBench(room: Room(moistureBuffer: 100, occupancy: ClimateBench.empty))
        bench.outdoors = cold
        bench.climate = RoomClimate(celsius: 20, humidityRatio: 0.0147)
        bench.run(for: .seconds(20 * 3_600))
        let climate = bench.climate
        #expect(abs(climate.humidityRatio - MoistAir.saturatedRatio(celsius: climate.celsius)) < 1e-8)
    }
}
