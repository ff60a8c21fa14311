import Foundation
import Testing

@testable import Bus

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
