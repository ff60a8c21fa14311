import FleetProtocol

/// The rate of updates, measured over the last full second.
struct UpdateRate: Sendable {
    private var since: MonotonicTime?
    private var countThen: UInt64 = 0
    /// The updates in the last full second.
    private(set) var perSecond: UInt64 = 0

    /// Records the total number of updates.
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
