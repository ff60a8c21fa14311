import FleetProtocol
public import FleetTime
import FoundationEssentials
import Glibc
import UserText

/// The machine's clocks.
public struct SystemClock: Sendable {
    /// A reader of the machine's clocks.
    public init() {}

    /// Both clocks, read one after the other: the monotonic one, which stands still while the machine
    /// sleeps, and the one that people set.
    public func now() -> Moment {
        let monotonic = Self.read(CLOCK_MONOTONIC)
        let wall = Self.read(CLOCK_REALTIME)
        return Moment(
            monotonic: MonotonicTime(
                nanoseconds: Int64(monotonic.tv_sec) * 1_000_000_000 + Int64(monotonic.tv_nsec)),
            wall: WallTime(unixMilliseconds: Int64(wall.tv_sec) * 1_000 + Int64(wall.tv_nsec) / 1_000_000))
    }

    /// How long the calling thread has run on a processor since it began: it does not count while it waits.
    public func threadTime() -> Duration {
        let time = Self.read(CLOCK_THREAD_CPUTIME_ID)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        let result = clock_gettime(clock, &time)
        precondition(result == 0, "clock_gettime refuses a clock that every Linux has: errno \(errno)")
        return time
    }
}

/// How long what became of requests is remembered, and of how many: whichever ends first.
///
/// Within ``Limits/shortestRetention`` nothing is forgotten, whatever is asked for.
public struct Retention: Equatable, Sendable {
    /// How long: a copy of a request may come as late as the shortest.
    public static let times = Limits.shortestRetention...DurationText.limit
    /// Of how many: half of what there is room for, the rest being for what ends within the shortest time.
    public static let counts = 1...Limits.endedRequests / 2

    /// Results are forgotten after this time; a day if nothing is said.
    public var time: Duration = .seconds(24 * 3_600)
    /// The oldest are forgotten earlier where there are more than this; a million if nothing is said.
    public var results = 1_000_000

    /// What there is if nothing is said.
    public init() {}

    /// The time that a text spells.
    ///
    /// - Throws: `invalidRetention` with what may be asked for.
    public static func time(of text: String) throws(RuntimeError) -> Duration {
        let allowed = "write \(timeWords), such as 24h"
        guard let time = try? DurationText.parse(text), times.contains(time) else {
            throw .invalidRetention(text: text, allowed: allowed)
        }
        return time
    }

    /// The number of results that a text spells.
    ///
    /// - Throws: `invalidRetention` with what may be asked for.
    public static func results(of text: String) throws(RuntimeError) -> Int {
        guard let results = Int(text), counts.contains(results) else {
            throw .invalidRetention(text: text, allowed: "write \(countWords)")
        }
        return results
    }

    /// The times, for help texts.
    public static let timeWords =
        "\(DurationText.text(times.lowerBound)) to \(DurationText.text(times.upperBound))"
    /// The numbers of results, likewise.
    public static let countWords = "\(counts.lowerBound) to \(counts.upperBound)"

    /// The options that ask a controller for it.
    public var arguments: [String] {
        ["--retention", DurationText.text(time), "--retention-results", String(results)]
    }
}
