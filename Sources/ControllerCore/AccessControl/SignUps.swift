import Stepping

/// The rate of sign-ups: a burst, and then one in each interval, for each source and over all.
///
/// Each makes an account for good. A source that would make many is slowed down, and others are not: while
/// less than half of what all have together is left, it is for sources that have not signed up lately.
struct SignUps: Sendable {
    /// A burst, and the interval after which there may be one more.
    struct Allowance: Sendable {
        let burst: Int
        let interval: Duration

        /// Of one source.
        static let source = Allowance(burst: 8, interval: .seconds(600))
        /// Of all together.
        static let all = Allowance(burst: 256, interval: .seconds(10))

        /// The time until a sign-up is allowed, for an allowance that is whole at some time.
        fileprivate func wait(
            wholeAt: MonotonicTime, keepingBack kept: Int = 0, at now: MonotonicTime
        ) -> Duration {
            now.duration(to: wholeAt) + interval - interval * (burst - kept)
        }
    }

    /// When all is there again that all sources have together; also after a restart of the controller.
    private var wholeAt = MonotonicTime.zero
    /// When it is that a source has; of those that have not all of it.
    private var sourcesWholeAt: [LoginQueue.Source: MonotonicTime] = [:]

    /// When all is there again that all sources have together, for the next life of the controller.
    func wholeAt(asOf now: Moment) -> WallTime {
        now.wall.advanced(by: now.monotonic.duration(to: wholeAt))
    }

    /// Takes up when all is there again, as an earlier life of the controller knew it.
    mutating func recall(wholeAt known: WallTime, at now: Moment) {
        // A clock that was set back costs no more than one burst.
        let longest = Allowance.all.interval * Allowance.all.burst
        wholeAt = now.monotonic.advanced(by: max(.zero, min(longest, now.wall.duration(to: known))))
    }

    /// Takes the place of one, whatever becomes of it.
    ///
    /// - Returns: How long to wait for a place; nil: there was one.
    mutating func spend(by source: LoginQueue.Source, at now: MonotonicTime) -> Duration? {
        sourcesWholeAt = sourcesWholeAt.filter { $0.value > now }
        let known = sourcesWholeAt[source]
        let keptBack = known == nil ? 0 : Allowance.all.burst / 2
        let wait = max(
            Allowance.source.wait(wholeAt: known ?? now, at: now),
            Allowance.all.wait(wholeAt: max(wholeAt, now), keepingBack: keptBack, at: now))
        guard wait <= .zero else { return wait }
        sourcesWholeAt[source] = (known ?? now).advanced(by: Allowance.source.interval)
        wholeAt = max(wholeAt, now).advanced(by: Allowance.all.interval)
        return nil
    }
}
