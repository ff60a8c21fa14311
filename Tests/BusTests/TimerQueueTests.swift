import Foundation
import Testing

@testable import Bus

@Suite("TimerQueue")
struct TimerQueueTests {
    typealias Instant = ContinuousClock.Instant

    private let start = Instant.now

    @Test("timers run in the order of their times, and of their scheduling if those are equal")
    func order() {
        let log = Log()
        var queue = TimerQueue<Instant>()
        for (number, seconds) in [5, 1, 3, 1, 4, 1, 0, 3].enumerated() {
            _ = queue.schedule(at: start + .seconds(seconds)) { log.entries.append(number) }
        }
        Self.runAll(&queue, at: start + .seconds(9))
        #expect(log.entries == [6, 1, 3, 5, 2, 7, 4, 0])
        #expect(queue.count == 0)
        #expect(queue.nextDeadline == nil)
    }

    @Test("only due timers run, and the next deadline is the earliest of the others")
    func due() {
        let log = Log()
        var queue = TimerQueue<Instant>()
        for seconds in [2, 1] {
            _ = queue.schedule(at: start + .seconds(seconds)) { log.entries.append(seconds) }
        }
        Self.runAll(&queue, at: start + .seconds(1))
        #expect(log.entries == [1])
        #expect(queue.nextDeadline == start + .seconds(2))
    }

    @Test("a timer scheduled by another does not run in the same pass")
    func pass() {
        var queue = TimerQueue<Instant>()
        let newest = queue.schedule(at: start) {}
        _ = queue.schedule(at: start) {}
        let isDue = [0, 1].map { _ in queue.popDue(at: start, notAfter: newest) != nil }
        #expect(isDue == [true, false])
        #expect(queue.count == 1)
    }

    @Test("a cancelled timer never runs, and can be cancelled once")
    func cancel() {
        let log = Log()
        var queue = TimerQueue<Instant>()
        let first = queue.schedule(at: start) { log.entries.append(0) }
        _ = queue.schedule(at: start + .seconds(1)) { log.entries.append(1) }
        let wasPending = [queue.cancel(first) != nil, queue.cancel(first) != nil]
        #expect(wasPending == [true, false])
        #expect(queue.nextDeadline == start + .seconds(1))
        Self.runAll(&queue, at: start + .seconds(9))
        #expect(log.entries == [1])
    }

    @Test("any timers and cancellations run in sorted order", arguments: UInt64(1)...50)
    func againstSort(seed: UInt64) {
        var generator = SplitMix(state: seed)
        let log = Log()
        var queue = TimerQueue<Instant>()
        var expected: [(seconds: Int, number: Int)] = []
        for number in 0..<400 {
            let seconds = Int.random(in: 0..<50, using: &generator)
            let timer = queue.schedule(at: start + .seconds(seconds)) { log.entries.append(number) }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                expected.append((seconds, number))
            } else {
                let wasPending = queue.cancel(timer) != nil
                #expect(wasPending)
            }
        }
        Self.runAll(&queue, at: start + .seconds(50))
        let sorted = expected.sorted { ($0.seconds, $0.number) < ($1.seconds, $1.number) }
        #expect(log.entries == sorted.map(\.number))
    }

    private static func runAll(_ queue: inout TimerQueue<Instant>, at now: Instant) {
        while let work = queue.popDue(at: now, notAfter: queue.newest) { work() }
    }

    private final class Log {
        var entries: [Int] = []
    }
}

@Suite("Precision of a loop's timers")
struct TimerPrecisionTests {
    @Test(
        "a timer's wait is exact, or rounded up to a millisecond, and never negative",
        arguments: [
            (Duration.nanoseconds(1), Duration.nanoseconds(1), Duration.milliseconds(1)),
            (.microseconds(1_500), .microseconds(1_500), .milliseconds(2)),
            (.seconds(3), .seconds(3), .seconds(3)), (.zero, .zero, .zero),
            (.nanoseconds(-1), .zero, .zero), (.seconds(-5), .zero, .zero),
        ])
    func limits(duration: Duration, exact: Duration, rounded: Duration) {
        #expect(TimerPrecision.exact.limit(of: duration) == exact)
        #expect(TimerPrecision.millisecond.limit(of: duration) == rounded)
    }

    @Test("an exact loop wakes within the millisecond by which others may be late")
    func exact() throws {
        let loop = try Loop(name: "exact", context: Fixture.context, precision: .exact)
        var least = Duration.seconds(1)
        var rounds = 0
        var due = ContinuousClock.now
        // A busy machine may be late at any time, but not each time.
        func again() {
            least = min(least, ContinuousClock.now - due)
            rounds += 1
            guard rounds < 100 else { return loop.stop() }
            due = .now + .microseconds(100)
            loop.schedule(at: due) { again() }
        }
        loop.schedule(at: due) { again() }
        loop.schedule(after: .seconds(20)) { loop.stop() }
        loop.run()
        #expect(rounds == 100)
        #expect(least >= .zero && least < .microseconds(800))
    }

    @Test("a thread has its former timer slack when its exact loop has ended")
    func slack() throws {
        let usual = try Self.slackNs()
        let loop = try Loop(name: "exact", context: Fixture.context, precision: .exact)
        var during: Int?
        loop.schedule(after: .zero) {
            #expect(throws: Never.self) { during = try Self.slackNs() }
            loop.stop()
        }
        loop.run()
        #expect(during == 1)
        #expect(try Self.slackNs() == usual)
    }

    /// The timer slack of the current thread.
    private static func slackNs() throws -> Int {
        let thread = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        let number = try #require(thread.split(separator: "/").last)
        let text = try String(contentsOfFile: "/proc/\(number)/timerslack_ns", encoding: .utf8)
        return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
}
