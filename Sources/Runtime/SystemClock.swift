import Glibc
public import Stepping

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
