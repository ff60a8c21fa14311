import Stepping

/// How many may sign up: so many at once, and then one a while, over all who ask.
///
/// Each makes an account for good. Whoever would make thousands of them is slowed down, and so is, until that
/// is over, everybody else who signs up; nobody who logs in.
struct SignUps: Sendable {
    /// Sign-ups at once.
    static let burst = 20
    /// The time after which there may be one more.
    static let interval: Duration = .seconds(60)

    /// When there is room for all at once again.
    private var wholeAt: MonotonicTime?

    /// Takes the place of one, whatever becomes of it.
    ///
    /// - Returns: How long to wait for a place; nil: there was one.
    mutating func spend(at now: MonotonicTime) -> Duration? {
        let wholeAt = max(self.wholeAt ?? now, now).advanced(by: Self.interval)
        let wait = now.duration(to: wholeAt) - Self.interval * Self.burst
        guard wait <= .zero else { return wait }
        self.wholeAt = wholeAt
        return nil
    }
}
