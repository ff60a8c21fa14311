public import Stepping

/// What a device is to set at a time of day, on some days of the week, again and again.
public struct SchedulePlan: Hashable, Sendable {
    /// What is set, one thing at least; what it does not name stays as it is.
    public let change: ACStateChange
    /// At what time of day.
    public let time: LocalTime
    /// On which days, one at least.
    public let weekdays: Weekdays
    /// By the clocks of which place.
    public let zone: TimeZoneName

    /// The plan of those parts.
    public init(change: ACStateChange, time: LocalTime, weekdays: Weekdays, zone: TimeZoneName) {
        self.change = change
        self.time = time
        self.weekdays = weekdays
        self.zone = zone
    }
}

/// A plan that a device has taken on.
///
/// Its calendar is the real one from when the device hears of it, and goes on from there at the speed of the
/// simulated clock. So ``calendarDue`` is a moment that is ``SchedulePlan/time`` there, and ``due`` when that
/// comes by the clock that people read; at speed 1 they are the same.
public struct DeviceSchedule: Hashable, Sendable {
    /// Which of the device's it is.
    public let id: ScheduleID
    /// What is to happen when.
    public let plan: SchedulePlan
    /// Whether it happens.
    public var isEnabled: Bool
    /// When it was first added.
    public let createdAt: WallTime
    /// When it happens next; while it is off, when it would have when it was switched off.
    public var due: WallTime
    /// What the plan's calendar says then.
    public var calendarDue: WallTime

    /// The schedule of those parts.
    public init(
        id: ScheduleID, plan: SchedulePlan, isEnabled: Bool = true, createdAt: WallTime, due: WallTime,
        calendarDue: WallTime
    ) {
        self.id = id
        self.plan = plan
        self.isEnabled = isEnabled
        self.createdAt = createdAt
        self.due = due
        self.calendarDue = calendarDue
    }
}
