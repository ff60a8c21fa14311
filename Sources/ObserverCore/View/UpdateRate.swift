import FleetTime

/// Updates in a second, measured over the last full one.
struct UpdateRate: Sendable {
    private var since: MonotonicTime?
    private var countThen: UInt64 = 0
    /// Updates in the last full second.
    private(set) var perSecond: UInt64 = 0

    /// Takes how many there have been so far.
    mutating func sample(_ count: UInt64, at now: MonotonicTime) {
        guard let since else {
            self.since = now
            countThen = count
            return
        }
        let elapsed = since.duration(to: now).wholeMilliseconds
        guard elapsed >= 1_000 else { return }
        perSecond = (count - countThen) * 1_000 / UInt64(elapsed)
        self.since = now
        countThen = count
    }
}
