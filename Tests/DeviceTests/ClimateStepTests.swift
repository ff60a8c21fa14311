import FleetProtocol
import Glibc
import Testing

@testable import DeviceCore

@Suite("A room's climate over time")
struct ClimateStepTests {
    @Test("a room's climate takes eight bytes")
    func size() {
        #expect(MemoryLayout<RoomClimate>.size == 8)
        #expect(MemoryLayout<RoomClimate>.stride == 8)
    }

    @Test(
        "a room's climate is the solution of the equation, for any step",
        arguments: [1, 90, 900, 5_000, 86_400])
    func analytic(seconds: Int) {
        var bench = ClimateBench()
        bench.run(for: .seconds(seconds))
        // R = 0.03 K/W, C = 1.5 MJ/K, 80 W: from 20 °C to 30 + 0.03 · 80 = 32.4 °C with 45,000 s.
        let expected = 32.4 + (20 - 32.4) * exp(-Double(seconds) / 45_000)
        #expect(abs(bench.climate.celsius - expected) < 1e-6)
        // n = 0.5/h, the room holds four times its air's moisture: 28,800 s.
        let outside = MoistAir.saturatedRatio(celsius: 15)
        let moisture = outside + (0.01 - outside) * exp(-Double(seconds) / 28_800)
        #expect(abs(bench.climate.humidityRatio - moisture) < 1e-7)
    }

    @Test("a room's climate with a compressor agrees with an integration in steps of 50 ms")
    func reference() {
        var bench = ClimateBench(climate: RoomClimate(celsius: 27, humidityRatio: 0.01))
        bench.set(.cool, 24)
        bench.run(for: .seconds(8 * 3_600))
        let room = bench.room
        var (celsius, isRunning, starts) = (27.0, false, 0)
        for _ in 0..<8 * 3_600 * 20 {
            if !isRunning, celsius >= 24.5 { (isRunning, starts) = (true, starts + 1) }
            if isRunning, celsius <= 23.5 { isRunning = false }
            let watts = (30 - celsius) / room.resistanceKelvinPerWatt + 80 - (isRunning ? 0.75 * 2_640 : 0)
            celsius += watts / room.heatCapacityJoulesPerKelvin * 0.05
        }
        #expect(starts > 2)
        #expect(abs(bench.climate.celsius - celsius) < 0.01)
        #expect((bench.climate.duty == .cooling) == isRunning)
    }

    @Test("the energy balance of a room is correct over a day")
    func energy() {
        var bench = ClimateBench(room: Room(), outdoors: .winter)
        bench.set(.heat, 22)
        var (before, joules, turnover) = (bench.climate, 0.0, 0.0)
        let room = bench.room
        for second in 0..<86_400 {
            bench.run(for: .seconds(1))
            let after = bench.climate
            let around = Surroundings(of: room, under: .winter, atSecondOfDay: Double(second) + 0.5)
            let lost = ((before.celsius + after.celsius) / 2 - around.celsius) / room.resistanceKelvinPerWatt
            let heated = after.duty == .heating ? room.heatingWatts : 0
            joules += around.gainWatts + heated - lost
            turnover += lost
            before = after
        }
        let stored = room.heatCapacityJoulesPerKelvin * (bench.climate.celsius - 20)
        #expect(abs(stored - joules) < 0.001 * turnover)
    }

    @Test("a room without cooling settles at the outside mean plus the effect of its gains")
    func equilibrium() {
        var bench = ClimateBench(room: Room(), outdoors: .summer)
        bench.run(30, stepsOf: .seconds(86_400))
        var sum = 0.0
        bench.run(96, stepsOf: .seconds(900)) { sum += $0.celsius }
        // Two people for 13 hours at 70 W, and 80 W of devices.
        let gainWatts = 80 + 2 * 70 * 13.0 / 24
        #expect(abs(sum / 96 - (28 + 0.03 * gainWatts)) < 0.01)
        let settled = RoomClimate(settledIn: bench.room, under: .summer)
        #expect(abs(settled.celsius - (28 + 0.03 * gainWatts)) < 1e-6)
    }

    @Test("a room's climate is the same in one step of six hours as in many", arguments: 0..<40, [90, 1])
    func steps(index: Int, seconds: Int) {
        let modes: [(ACMode, Int8)] = [(.cool, 22), (.heat, 26), (.auto, 24), (.dry, 23), (.fan, 22)]
        for (mode, target) in modes where seconds == 90 || index < 4 {
            var whole = ClimateBench(room: Room(fleetSeed: 1, index: UInt64(index)), outdoors: .summer)
            whole.clock = .seconds(index * 1_234)
            whole.climate = RoomClimate(celsius: 25, humidityRatio: 0.012)
            whole.set(mode, target)
            var parts = whole
            whole.run(for: .seconds(21_600))
            parts.run(21_600 / seconds, stepsOf: .seconds(seconds))
            #expect(abs(whole.climate.celsius - parts.climate.celsius) < 0.001, "\(mode)")
            #expect(abs(whole.climate.humidityRatio - parts.climate.humidityRatio) < 1e-6, "\(mode)")
        }
    }

    @Test("a slow drift is not lost in short steps")
    func drift() {
        var bench = ClimateBench(climate: RoomClimate(celsius: 32.3, humidityRatio: 0.01))
        bench.run(3_600, stepsOf: .seconds(1))
        #expect(abs(bench.climate.celsius - (32.4 - 0.1 * exp(-3_600 / 45_000.0))) < 0.000_5)
    }

    @Test("the climate after more than a week is that of the last week")
    func longest() {
        var (week, month) = (ClimateBench(room: Room(), outdoors: .summer), ClimateBench(room: Room()))
        month.outdoors = .summer
        (week.clock, month.clock) = (.seconds(35_000), .seconds(5_000))
        week.run(for: .seconds(7 * 86_400))
        month.run(for: .seconds(30 * 86_400 + 30_000))
        #expect(week.climate == month.climate)
    }

    @Test("a negative time ends the process")
    func negative() async {
        await #expect(processExitsWith: .failure) {
            var bench = ClimateBench()
            bench.run(for: .milliseconds(-1))
        }
    }

    @Test("a step of no time changes nothing")
    func zero() {
        var bench = ClimateBench()
        bench.set(.heat, 30)
        let before = bench.climate
        bench.run(for: .zero)
        #expect(bench.climate == before)
    }
}
