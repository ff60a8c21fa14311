import FleetProtocol
import FleetTime

/// An automatic change of a device that is due at a time.
enum AutomaticAction: Equatable {
    case timer(DeviceTimer)
    case schedule(DeviceSchedule)

    /// The due time, by the wall clock.
    var due: WallTime {
        switch self {
        case .timer(let timer): timer.due
        case .schedule(let schedule): schedule.due
        }
    }

    var change: ACStateChange {
        switch self {
        case .timer(let timer): timer.change
        case .schedule(let schedule): schedule.plan.change
        }
    }

    var cause: ChangeCause {
        switch self {
        case .timer: .timer
        case .schedule: .schedule
        }
    }
}

extension DeviceSettings {
    /// The deed that is due first; at equal times the timer, then the schedule that was added first.
    var nextAction: AutomaticAction? {
        var next = timer.map { AutomaticAction.timer($0) }
        for schedule in schedules where schedule.isEnabled {
            if next.map({ schedule.due < $0.due }) ?? true { next = .schedule(schedule) }
        }
        return next
    }

    /// Returns the settings in which each schedule is due at only the last of its missed times.
    ///
    /// The device then carries out late deeds in that order, and reaches the state that it would have had
    /// without the absence.
    func caughtUp(at now: WallTime, speed: Double, zones: any ZoneOffsets) -> DeviceSettings {
        let isLate = { (schedule: DeviceSchedule) in
            schedule.isEnabled && schedule.calendar(at: now, speed: speed) >= schedule.nextPossible
        }
        guard schedules.contains(where: isLate) else { return self }
        var settings = self
        for (place, schedule) in schedules.enumerated() where isLate(schedule) {
            settings.schedules[place] = schedule.lastMissed(at: now, speed: speed, zones: zones)
        }
        return settings
    }

    /// Returns the settings after a deed: the timer is removed, or the schedule advances to its next time.
    func updated(
        after action: AutomaticAction, at now: WallTime, speed: Double, zones: any ZoneOffsets
    ) -> DeviceSettings {
        var updated = self
        switch action {
        case .timer: updated.timer = nil
        case .schedule(let schedule):
            guard let place = schedules.firstIndex(where: { $0.id == schedule.id }) else { return updated }
            updated.schedules[place] = schedule.advanced(at: now, speed: speed, zones: zones)
        }
        return updated
    }
}

extension DeviceSchedule {
    /// Returns the schedule with the first time after the current time of its calendar; disabled if its zone
    /// is no longer known.
    func advanced(at now: WallTime, speed: Double, zones: any ZoneOffsets) -> DeviceSchedule {
        let calendar = calendar(at: now, speed: speed)
        return beginning(at: now, calendar: calendar, speed: speed, zones: zones) ?? switchedOff
    }

    /// Returns the time of the schedule's calendar: its due time, plus the time that has passed since.
    fileprivate func calendar(at now: WallTime, speed: Double) -> WallTime {
        let late = Double(max(0, due.duration(to: now).wholeMilliseconds))
        return calendarDue.advanced(by: .milliseconds(Int64(late * speed)))
    }

    /// The earliest possible next time: a day that a clock change shortens still has 20 hours.
    fileprivate var nextPossible: WallTime { calendarDue.advanced(by: .seconds(20 * 3_600)) }

    /// Returns the schedule with the last of its times up to now as the due time.
    fileprivate func lastMissed(at now: WallTime, speed: Double, zones: any ZoneOffsets) -> DeviceSchedule {
        let calendar = calendar(at: now, speed: speed)
        // Within eight days there is at least one, and at most eight.
        var last = max(calendarDue, calendar.advanced(by: .seconds(-8 * 86_400)))
        for _ in 0...8 {
            guard let next = plan.next(after: last, by: zones), next <= calendar else { break }
            last = next
        }
        var schedule = self
        schedule.calendarDue = last
        let later = Double(calendarDue.duration(to: last).wholeMilliseconds) / speed
        schedule.due = due.advanced(by: .milliseconds(Int64(later)))
        return schedule
    }

    /// Returns the schedule with its first time after now, when its calendar equals the real one; nil if its
    /// zone is unknown.
    func beginning(at now: WallTime, speed: Double, zones: any ZoneOffsets) -> DeviceSchedule? {
        beginning(at: now, calendar: now, speed: speed, zones: zones)
    }

    private func beginning(
        at now: WallTime, calendar: WallTime, speed: Double, zones: any ZoneOffsets
    ) -> DeviceSchedule? {
        guard let next = plan.next(after: calendar, by: zones) else { return nil }
        let wait = Double(calendar.duration(to: next).wholeMilliseconds) / speed
        var schedule = self
        schedule.isEnabled = true
        schedule.calendarDue = next
        schedule.due = now.advanced(by: .milliseconds(Int64(wait.rounded(.up))))
        return schedule
    }

    private var switchedOff: DeviceSchedule {
        var schedule = self
        schedule.isEnabled = false
        return schedule
    }
}
