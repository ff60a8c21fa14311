import FleetTime

/// The wall clock by which results are old enough to be forgotten.
///
/// It is never ahead of the wall clock, and runs at most twice as fast as time passes until it has caught
/// up. So a step of the wall clock makes no result a day older, and a result that is to be remembered for a
/// day is remembered for half a day at least.
struct AgeClock: Sendable {
    /// What it shows; nil before it is advanced for the first time.
    private(set) var shown: WallTime?
    private var readAt = MonotonicTime.zero
    /// The newest end of an earlier life, whose clock had not come farther than a moment after it.
    private var newestEnd: WallTime?

    /// Whether it shows a time that is as much after another, or more.
    func isAfter(_ time: WallTime, by age: Duration) -> Bool {
        guard let shown else { return false }
        return time.duration(to: shown) >= age
    }

    /// A request ended in an earlier life.
    mutating func noteEarlier(end: WallTime) {
        newestEnd = max(newestEnd ?? end, end)
    }

    /// Reads the wall clock.
    ///
    /// What passes unread counts as if the clock had run twice as fast: it is to be read every second.
    ///
    /// - Parameter former: Where the clock of an earlier life had come to at least; nil where nothing is
    ///   known of one.
    mutating func advance(to now: Moment, from former: WallTime?) {
        let start = shown ?? min(former ?? now.wall, newestEnd ?? now.wall)
        let passed = shown == nil ? .zero : readAt.duration(to: now.monotonic)
        (shown, readAt) = (min(now.wall, start.advanced(by: passed * 2)), now.monotonic)
    }
}
