public import Stepping

/// The roster: who is on duty, and when.
extension ViewModel {
    /// Has the roster loaded that often.
    public mutating func loadRoster(every interval: Duration) {
        duty.schedule = RosterSchedule(interval: interval)
    }

    /// Whether the roster is to be loaded now; what becomes of it is told as ``RosterNews``.
    public mutating func wantsRoster(at now: MonotonicTime) -> Bool { duty.schedule.take(at: now) }

    /// Takes what there is to know of the roster.
    public mutating func take(_ news: RosterNews, at now: MonotonicTime) {
        duty.take(news, at: now)
    }

    /// Whether who is on duty has a line of the screen.
    public var hasDuty: Bool { duty.hasLine }

    /// Somebody wants the roster anew.
    mutating func refreshRoster(at now: MonotonicTime) {
        guard case .signedIn = viewer else {
            let words = viewer == .replaying ? "a recording has no roster" : "nobody has logged in yet"
            hint = Hint(words, .failure, at: now)
            return
        }
        duty.schedule.ask()
        hint = Hint("the roster is being loaded", .neutral, at: now)
    }
}
