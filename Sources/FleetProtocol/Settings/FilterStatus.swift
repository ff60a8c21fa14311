public import Stepping

/// How long an air conditioner has run since its filters were cleaned.
///
/// It is counted from when somebody first cleaned them or set the threshold. Nothing ticks: a count is noted
/// whenever it begins to grow or stops, and between two notes it follows from the time.
public struct FilterStatus: Hashable, Sendable {
    /// The seconds of running after which filters should be cleaned where nobody has said: 300 hours, what
    /// real devices were seen to have.
    public static let usualThresholdSeconds: UInt32 = 1_080_000

    /// When they were cleaned; nil where that was before anybody counted.
    public let cleanedAt: WallTime?
    /// After how many simulated seconds of running they should be cleaned.
    public let thresholdSeconds: UInt32
    /// How many simulated seconds it had run when the count was noted.
    public let notedSeconds: Double
    /// When that was.
    public let notedAt: WallTime
    /// How many simulated seconds it runs in a real one since then; 0 while it is off.
    public let secondsPerSecond: Double

    /// The status of those values.
    public init(
        cleanedAt: WallTime?, thresholdSeconds: UInt32 = usualThresholdSeconds, notedSeconds: Double = 0,
        notedAt: WallTime, secondsPerSecond: Double
    ) {
        self.cleanedAt = cleanedAt
        self.thresholdSeconds = thresholdSeconds
        self.notedSeconds = notedSeconds
        self.notedAt = notedAt
        self.secondsPerSecond = secondsPerSecond
    }

    /// How many simulated seconds it has run since they were cleaned; a clock that was set back takes none
    /// away.
    public func runningSeconds(at now: WallTime) -> Double {
        let away = max(0, notedAt.duration(to: now).wholeMilliseconds)
        return notedSeconds + Double(away) / 1_000 * secondsPerSecond
    }

    /// Whether they should be cleaned.
    public func shouldClean(at now: WallTime) -> Bool {
        runningSeconds(at: now) >= Double(thresholdSeconds)
    }

    /// The same count, noted now and growing at another pace from here on.
    public func noted(at now: WallTime, secondsPerSecond: Double) -> FilterStatus {
        FilterStatus(
            cleanedAt: cleanedAt, thresholdSeconds: thresholdSeconds, notedSeconds: runningSeconds(at: now),
            notedAt: now, secondsPerSecond: secondsPerSecond)
    }
}
