public import FleetProtocol
import FoundationEssentials
import Glibc
import UserText

public struct SystemClock: Sendable {
    /// A reader of the machine's clocks.
    public init() {}

    /// Reads both clocks, one after the other: the monotonic one, which stops while the machine sleeps, and
    /// the wall clock.
    public func now() -> Moment {
        let monotonic = Self.read(CLOCK_MONOTONIC)
        let wall = Self.read(CLOCK_REALTIME)
        return Moment(
            monotonic: MonotonicTime(
                nanoseconds: Int64(monotonic.tv_sec) * 1_000_000_000 + Int64(monotonic.tv_nsec)),
            wall: WallTime(unixMilliseconds: Int64(wall.tv_sec) * 1_000 + Int64(wall.tv_nsec) / 1_000_000))
    }

    /// Returns the processor time of the calling thread since its start.
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

/// How long outcomes of requests are stored, and for how many requests; the smaller limit applies. Within
/// ``Limits/shortestRetention`` every outcome is stored, regardless of these values.
public struct Retention: Equatable, Sendable {
    /// The allowed times; the shortest covers the latest copy of a request.
    public static let times = Limits.shortestRetention...DurationText.limit
    /// The allowed numbers: up to half of the capacity; the rest is for outcomes within the shortest time.
    public static let counts = 1...Limits.endedRequests / 2

    /// The time after which outcomes are deleted; a day by default.
    public var time: Duration = .seconds(24 * 3_600)
    /// The number of outcomes beyond which the oldest are deleted earlier; a million by default.
    public var results = 1_000_000

    public init() {}

    /// Parses a time.
    public static func time(of text: String) throws(RuntimeError) -> Duration {
        guard let time = try? DurationText.parse(text), times.contains(time) else {
            throw .invalidValue(text, of: "retention", allowed: "write \(timeDescription), such as 24h")
        }
        return time
    }

    /// Parses a number of outcomes.
    public static func results(of text: String) throws(RuntimeError) -> Int {
        guard let results = Int(text), counts.contains(results) else {
            throw .invalidValue(text, of: "retention", allowed: "write \(countDescription)")
        }
        return results
    }

    static let timeDescription =
        "\(DurationText.text(times.lowerBound)) to \(DurationText.text(times.upperBound))"
    /// The allowed numbers of outcomes, for help texts.
    static let countDescription = "\(counts.lowerBound) to \(counts.upperBound)"

    /// The options of a controller for this retention.
    public var arguments: [String] {
        ["--retention", DurationText.text(time), "--retention-results", String(results)]
    }
}
