import FleetProtocol

enum AutomaticAction: Equatable {
    case timer(DeviceTimer)
    case schedule(DeviceSchedule)

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

    /// Returns the settings in which each schedule is due at only the last of its missed times. The device
    /// then carries out late deeds in that order, and reaches the state that it would have had without the
    /// absence.
    func caughtUp(at now: WallTime, by clock: SimulatedClock, zones: any ZoneOffsets) -> DeviceSettings {
        let shown = clock.shown(at: now)
        let isLate = { (schedule: DeviceSchedule) in schedule.isEnabled && shown >= schedule.nextPossible }
        guard schedules.contains(where: isLate) else { return self }
        var settings = self
        for (place, schedule) in schedules.enumerated() where isLate(schedule) {
            settings.schedules[place] = schedule.lastMissed(at: now, by: clock, zones: zones)
        }
        return settings
    }

    /// Returns the settings in which schedules that began by another clock are due at their next times by
    /// this one.
    func following(_ clock: SimulatedClock, at now: WallTime, zones: any ZoneOffsets) -> DeviceSettings {
        var settings = self
        for (place, schedule) in schedules.enumerated()
        where schedule.isEnabled && schedule.due != clock.real(at: schedule.calendarDue) {
            settings.schedules[place] =
                schedule.next(at: now, by: clock, zones: zones) ?? schedule.switchedOff
        }
        return settings
    }

    /// Returns the settings after a deed: the timer is removed, or the schedule advances to its next time.
    func updated(
        after action: AutomaticAction, at now: WallTime, by clock: SimulatedClock, zones: any ZoneOffsets
    ) -> DeviceSettings {
        var updated = self
        switch action {
        case .timer: updated.timer = nil
        case .schedule(let schedule):
            guard let place = schedules.firstIndex(where: { $0.id == schedule.id }) else { return updated }
            updated.schedules[place] = schedule.advanced(at: now, by: clock, zones: zones)
        }
        return updated
    }
}

extension DeviceSchedule {
    /// Returns the schedule with its next time after this one; disabled if its zone is no longer known.
    func advanced(at now: WallTime, by clock: SimulatedClock, zones: any ZoneOffsets) -> DeviceSchedule {
        next(after: max(calendarDue, clock.shown(at: now)), by: clock, zones: zones) ?? switchedOff
    }

    /// Returns the schedule, enabled, with its first time after now; nil if its zone is unknown.
    func next(at now: WallTime, by clock: SimulatedClock, zones: any ZoneOffsets) -> DeviceSchedule? {
        next(after: clock.shown(at: now), by: clock, zones: zones)
    }

    private func next(
        after shown: WallTime, by clock: SimulatedClock, zones: any ZoneOffsets
    ) -> DeviceSchedule? {
        guard let next = plan.next(after: shown, by: zones) else { return nil }
        var schedule = due(at: next, by: clock)
        schedule.isEnabled = true
        return schedule
    }

    /// The earliest possible next time: a day that a clock change shortens still has 20 hours.
    fileprivate var nextPossible: WallTime { calendarDue.advanced(by: .seconds(20 * 3_600)) }

    /// Returns the schedule with the last of its times up to now as the due time.
    fileprivate func lastMissed(
        at now: WallTime, by clock: SimulatedClock, zones: any ZoneOffsets
    ) -> DeviceSchedule {
        let shown = clock.shown(at: now)
        // Within eight days there is at least one, and at most eight.
        var last = max(calendarDue, shown.advanced(by: .seconds(-8 * 86_400)))
        for _ in 0...8 {
            guard let next = plan.next(after: last, by: zones), next <= shown else { break }
            last = next
        }
        return due(at: last, by: clock)
    }

    private func due(at shown: WallTime, by clock: SimulatedClock) -> DeviceSchedule {
        var schedule = self
        schedule.calendarDue = shown
        schedule.due = clock.real(at: shown)
        return schedule
    }

    fileprivate var switchedOff: DeviceSchedule {
        var schedule = self
        schedule.isEnabled = false
        return schedule
    }
}
