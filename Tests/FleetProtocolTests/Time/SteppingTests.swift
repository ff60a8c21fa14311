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
