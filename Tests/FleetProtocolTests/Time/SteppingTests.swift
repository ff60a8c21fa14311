import FleetProtocol
import Testing

@Suite("Timers")
struct TimersTests {
    @Test(
        "timers fire earliest first, and those of one moment in the order they were set",
        arguments: 1...50 as ClosedRange<UInt64>)
    func order(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var timers = Timers<(due: Int64, order: Int)>()
        for order in 0..<200 {
            let due = Int64.random(in: 0..<40, using: &generator)
            timers.set((due, order), at: MonotonicTime(nanoseconds: due))
        }
        var fired: [(due: Int64, order: Int)] = []
        for moment in 0..<Int64(40) {
            while let event = timers.popDue(at: MonotonicTime(nanoseconds: moment)) {
                #expect(event.due == moment)
                fired.append(event)
            }
        }
        #expect(fired.count == 200)
        #expect(timers.nextDue == nil)
        for (left, right) in zip(fired, fired.dropFirst()) where left.due == right.due {
            #expect(left.order < right.order)
        }
    }

    @Test("a timer never fires before its moment")
    func notEarly() {
        var timers = Timers<Int>()
        timers.set(1, at: MonotonicTime(nanoseconds: 10))
        #expect(timers.popDue(at: MonotonicTime(nanoseconds: 9)) == nil)
        #expect(timers.nextDue == MonotonicTime(nanoseconds: 10))
        #expect(timers.popDue(at: MonotonicTime(nanoseconds: 10)) == 1)
    }
}

@Suite("SeededGenerator")
struct SeededGeneratorTests {
    @Test("the generator gives the numbers of its algorithm's published test vector")
    func vector() {
        // The first outputs for seed 1234567 as listed with the reference implementation of SplitMix64.
        var generator = SeededGenerator(seed: 1_234_567)
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect((0..<5).map { _ in generator.next() } == expected)
    }

    @Test("waiting times have the requested rate")
    func waitingTimes() {
        var generator = SeededGenerator(seed: 1)
        let total = (0..<20_000).reduce(Duration.zero) { sum, _ in sum + generator.waitingTime(perSecond: 10)
        }
        let mean = Double(total.wholeNanoseconds) / 20_000 / 1e9
        #expect((0.095...0.105).contains(mean))
    }
}

@Suite("Time")
struct TimeTests {
    @Test("time saturates at its end instead of wrapping around")
    func saturates() {
        #expect(MonotonicTime(nanoseconds: .max - 1).advanced(by: .seconds(1)) == .never)
        #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
        #expect(Duration.milliseconds(-5).wholeMicroseconds == 0)
    }
}

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
