import FleetProtocol

/// The scheduled turn of a process, and whether the process is frozen.
struct TurnSchedule {
    enum Turn {
        case due
        /// An earlier turn has replaced it.
        case obsolete
        case postponed(until: MonotonicTime)
    }

    /// The process is stopped until this time; it loses nothing.
    private(set) var frozenUntil = MonotonicTime.zero
    private(set) var wakesAt = MonotonicTime.never

    mutating func freeze(until end: MonotonicTime) { frozenUntil = max(frozenUntil, end) }

    mutating func resume() { frozenUntil = .zero }

    /// Returns the time if a turn must be scheduled for it; nil if an earlier one is.
    mutating func schedule(at due: MonotonicTime) -> MonotonicTime? {
        guard due < wakesAt else { return nil }
        wakesAt = due
        return due
    }

    /// Begins a scheduled turn, if it is still due and the process is not frozen. A postponed turn follows
    /// the end of a freeze by `delay`.
    mutating func begin(at now: MonotonicTime, delay: Duration = .zero) -> Turn {
        guard wakesAt <= now else { return .obsolete }
        guard frozenUntil <= now else {
            wakesAt = frozenUntil.advanced(by: delay)
            return .postponed(until: wakesAt)
        }
        wakesAt = .never
        return .due
    }
}
