package import FleetProtocol

/// When a process checks whether its files are still its own: whether its run directory has been replaced, or
/// another process has taken its journal. A process that was stopped, or whose machine was, does not know
/// that another one has replaced it. While a machine sleeps, only its wall clock advances.
package struct OwnerCheck {
    /// The time after which a check is due, also before the first message after an absence.
    package static let interval = Duration.seconds(1)

    private var last: Moment?

    package init() {}

    /// Returns whether a check is due, and begins the next interval if it is.
    package mutating func isDue(at now: Moment) -> Bool {
        if let last {
            let byWall = last.wall.duration(to: now.wall)
            let isRecent = last.monotonic.duration(to: now.monotonic) < Self.interval
            if isRecent, byWall >= .zero, byWall < Self.interval { return false }
        }
        last = now
        return true
    }
}
