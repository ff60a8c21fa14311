import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("An air conditioner in its room")
struct ClimateThermostatTests {
    /// The measurements of a day once the room is in equilibrium.
    private struct Day {
        var celsius: [Double] = []
        var duties: Set<Duty> = []
    }

    private func day(of bench: ClimateBench) -> Day {
        var bench = bench
        bench.run(for: .seconds(86_400))
        var day = Day()
        bench.run(2_880, stepsOf: .seconds(30)) { climate in
            day.celsius.append(climate.celsius)
            day.duties.insert(climate.duty)
        }
        return day
    }

    @Test("a cooling air conditioner of sufficient power holds its target within the hysteresis")
    func cooling() throws {
        var bench = ClimateBench(room: Room(), outdoors: .summer)
        bench.set(.cool, 24)
        let day = day(of: bench)
        let (low, high) = (try #require(day.celsius.min()), try #require(day.celsius.max()))
        #expect(low >= 23.5 - 1e-6 && low < 23.6)
        #expect(high <= 24.5 + 1e-6 && high > 24.4)
        #expect(day.duties == [.idle, .cooling])
    }

    @Test("a weak air conditioner runs all the time, and the room settles where power and heat balance")
    func tooWeak() {
        var bench = ClimateBench(room: Room(occupancy: ClimateBench.empty, coolingWatts: 200))
        bench.set(.cool, 18)
        bench.run(14, stepsOf: .seconds(86_400))
        // 30 °C outside, 80 W of devices, three quarters of 200 W removed.
        #expect(abs(bench.climate.celsius - (30 + 0.03 * (80 - 150))) < 1e-4)
        #expect(bench.climate.duty == .cooling)
    }

    @Test("a heating air conditioner holds its target in winter")
    func heating() throws {
        var bench = ClimateBench(room: Room(), outdoors: .winter)
        bench.set(.heat, 21)
        let day = day(of: bench)
        #expect(try #require(day.celsius.min()) >= 20.5 - 1e-6)
        #expect(try #require(day.celsius.max()) <= 21.5 + 1e-6)
        #expect(day.duties == [.idle, .heating])
    }

    @Test("the mode auto cools a warm room, heats a cold one, and is idle between", arguments: [-10, 35])
    func auto(outside: Double) throws {
        let steady = Outdoors(meanCelsius: outside, halfSwingKelvin: 0, dewPointCelsius: -15)
        var bench = ClimateBench(outdoors: steady)
        bench.set(.auto, 22)
        let day = day(of: bench)
        let middle = outside > 22 ? 23.0 : 21
        #expect(try #require(day.celsius.min()) >= middle - 0.5 - 1e-6)
        #expect(try #require(day.celsius.max()) <= middle + 0.5 + 1e-6)
        #expect(day.duties == [.idle, outside > 22 ? .cooling : .heating])

        let mild = Outdoors(meanCelsius: 22 - 0.03 * 80, halfSwingKelvin: 0, dewPointCelsius: 10)
        bench = ClimateBench(outdoors: mild, climate: RoomClimate(celsius: 22.9, humidityRatio: 0.008))
        bench.set(.auto, 22)
        #expect(self.day(of: bench).duties == [.idle])
    }

    @Test("the mode fan does not change the climate", arguments: FanLevel.allCases)
    func fan(level: FanLevel) {
        var (off, blowing) = (ClimateBench(), ClimateBench())
        blowing.set(.fan, 16, fan: level)
        off.run(for: .seconds(7_200))
        blowing.run(for: .seconds(7_200))
        #expect(off.climate == blowing.climate)
    }

    @Test("a lower fan level cools less")
    func levels() {
        let levels: [FanLevel] = [.quiet, .low, .medium, .high]
        let reached = levels.map { level in
            var bench = ClimateBench(climate: RoomClimate(celsius: 32, humidityRatio: 0.01))
            bench.set(.cool, 16, fan: level)
            bench.run(for: .seconds(1_800))
            return bench.climate.celsius
        }
        #expect(reached == reached.sorted(by: >))
        #expect(Set(reached).count == levels.count)
    }

    @Test("an air conditioner that is switched off stops at once")
    func off() {
        var bench = ClimateBench(climate: RoomClimate(celsius: 30, humidityRatio: 0.01))
        bench.set(.cool, 20)
        bench.run(for: .seconds(60))
        #expect(bench.climate.duty == .cooling)
        let cooled = bench.climate.celsius
        bench.state = ClimateBench.off
        bench.run(for: .seconds(60))
        #expect(bench.climate.duty == .idle)
        #expect(bench.climate.celsius > cooled)
    }

    @Test("an air conditioner switches at most as often as is computed exactly", arguments: 0..<50)
    func switches(index: Int) {
        for (outdoors, mode) in [(Outdoors.summer, ACMode.cool), (.winter, .heat)] {
            var bench = ClimateBench(room: Room(fleetSeed: 2, index: UInt64(index)), outdoors: outdoors)
            bench.set(mode, 22)
            bench.run(for: .seconds(86_400))
            var (duty, switches, most) = (bench.climate.duty, 0, 0)
            for _ in 0..<24 {
                bench.run(90, stepsOf: .seconds(10)) { climate in
                    if climate.duty != duty { (duty, switches) = (climate.duty, switches + 1) }
                }
                (most, switches) = (max(most, switches), 0)
            }
            #expect(most <= RoomAir.switchesAtMost / 2)
        }
    }

    @Test("a target in °F is the same temperature")
    func fahrenheit() throws {
        let state = ACState(
            isOn: true, mode: .cool, targetTemperature: 77, temperatureUnit: .fahrenheit, fanLevel: .auto)
        let cooling = try #require(Thermostat(state, hysteresisKelvin: 1).coolingCelsius)
        #expect(abs(cooling - 25) < 1e-9)
    }
}
