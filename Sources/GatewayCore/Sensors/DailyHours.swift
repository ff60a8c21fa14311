import Stepping

/// Hours of each day, in UTC: when people are in a room, or at home.
struct DailyHours: Equatable, Sendable {
    private static let day = 86_400.0

    /// The hour at which they begin, 0 to 24.
    let fromHour: Double
    /// How long they last, 0 to 24 hours, over midnight where that is later.
    let hours: Double

    /// Whether a time is within these hours.
    func contains(_ time: WallTime) -> Bool { hoursSinceStart(at: time) < hours }

    /// The time since they began last, 0 to 24 hours.
    func hoursSinceStart(at time: WallTime) -> Double {
        let second = (Double(time.unixMilliseconds) / 1_000).truncatingRemainder(dividingBy: Self.day)
        let since = second / 3_600 - fromHour
        return since - 24 * (since / 24).rounded(.down)
    }
}
