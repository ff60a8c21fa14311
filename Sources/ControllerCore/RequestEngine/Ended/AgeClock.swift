import FleetProtocol

/// A slowed wall clock that measures the age of outcomes for retention.
///
/// It is never ahead of the wall clock, and catches up with it at twice real time at most. So a step of the
/// wall clock cannot make all outcomes a day older at once, and a retention of a day lasts at least half a
/// day.
struct AgeClock: Sendable {
    /// The current reading; nil before the first advance.
    private(set) var shown: WallTime?
    private var readAt = MonotonicTime.zero
    /// The time of the newest outcome of an earlier run; that run's clock was barely later.
    private var newestEnd: WallTime?

    /// Whether the reading is at least `age` after a time.
    func isAfter(_ time: WallTime, by age: Duration) -> Bool {
        guard let shown else { return false }
        return time.duration(to: shown) >= age
    }

    /// Records the end of a request in an earlier run.
    mutating func recordEarlier(end: WallTime) { newestEnd = max(newestEnd ?? end, end) }

    /// Reads the wall clock.
    ///
    /// The time between two readings counts twice, so the clock must be read every second.
    ///
    /// - Parameter former: A reading that the clock of an earlier run had at least reached; nil if unknown.
    mutating func advance(to now: Moment, from former: WallTime?) {
        let start = shown ?? min(former ?? now.wall, newestEnd ?? now.wall)
        let passed = shown == nil ? .zero : readAt.duration(to: now.monotonic)
        (shown, readAt) = (min(now.wall, start.advanced(by: passed * 2)), now.monotonic)
    }
}
