import FleetProtocol
import Testing

@Suite("The simulated clock")
struct SimulatedClockTests {
    /// 2027-01-15, a Friday, 08:00 UTC.
    private static let start = WallTime(unixMilliseconds: 1_800_000_000_000)

    @Test("the clock shows its time of the day of its beginning, and runs at its speed")
    func shown() {
        let clock = SimulatedClock(beganAt: Self.start, second: 7 * 3_600, speed: 3_600)
        #expect(clock.shown(at: Self.start) == Self.start.advanced(by: .seconds(-3_600)))
        let later = clock.shown(at: Self.start.advanced(by: .milliseconds(1_500)))
        #expect(later == Self.start.advanced(by: .seconds(1_800)))
    }

    @Test("before its beginning the clock ran at real speed")
    func before() {
        let clock = SimulatedClock(beganAt: Self.start, second: 0, speed: 3_600)
        let earlier = Self.start.advanced(by: .seconds(-10))
        #expect(clock.shown(at: earlier) == Self.start.advanced(by: .seconds(-8 * 3_600 - 10)))
        #expect(clock.real(at: clock.shown(at: earlier)) == earlier)
    }

    @Test("the real clock shows the real time")
    func real() {
        for time in [Self.start, WallTime(unixMilliseconds: -5), WallTime(unixMilliseconds: 1 << 47)] {
            #expect(SimulatedClock.real.shown(at: time) == time)
            #expect(SimulatedClock.real.real(at: time) == time)
        }
    }

    @Test(
        "the real time of a shown time is the first at which the clock shows it",
        arguments: [0.1, 1, 60, 7_777.7, 10_000])
    func inverse(speed: Double) {
        var generator = SeededGenerator(seed: 9)
        let clock = SimulatedClock(beganAt: Self.start, second: 43_200, speed: speed)
        for _ in 0..<1_000 {
            let passed = Int64.random(in: 1...100 * 366 * 86_400_000, using: &generator)
            let shown = WallTime(unixMilliseconds: clock.first.unixMilliseconds + passed)
            let real = clock.real(at: shown)
            #expect(clock.shown(at: real) >= shown)
            #expect(clock.shown(at: real.advanced(by: .milliseconds(-1))) < shown)
        }
    }

    @Test("a clock that would run longer than times can show does not end the process")
    func last() {
        let clock = SimulatedClock(
            beganAt: WallTime(unixMilliseconds: -1_000_000_000_000_000), second: 0, speed: 10_000)
        let shown = clock.shown(at: WallTime(unixMilliseconds: 1_000_000_000_000_000))
        #expect(shown >= clock.shown(at: WallTime(unixMilliseconds: 0)))
    }
}
