import FleetProtocol
import FleetTime

/// What a device does by itself when the time has come.
enum Deed: Equatable {
    case timer(DeviceTimer)
    case schedule(DeviceSchedule)

    /// When it is due, by the clock that people read.
    var due: WallTime {
        switch self {
        case .timer(let timer): timer.due
        case .schedule(let schedule): schedule.due
        }
    }

    /// What is set.
    var change: ACStateChange {
        switch self {
        case .timer(let timer): timer.change
        case .schedule(let schedule): schedule.plan.change
        }
    }

    /// What the device says of the change.
    var cause: ChangeCause {
        switch self {
        case .timer: .timer
        case .schedule: .schedule
        }
    }
}

extension DeviceSettings {
    /// What is due before everything else; at one moment the timer, and then the schedule that was added
    /// first.
    var nextDeed: Deed? {
        var next = timer.map { Deed.timer($0) }
        for schedule in schedules where schedule.isEnabled {
            if next.map({ schedule.due < $0.due }) ?? true { next = .schedule(schedule) }
        }
        return next
    }

    /// The settings where of what each schedule has missed the last time alone is due: what a device does
    /// late it does in that order, and is left as if it had not been away.
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

    /// What is set once a deed is done: a timer is gone, and a schedule goes on with its next time after now.
    func left(after deed: Deed, at now: WallTime, speed: Double, zones: any ZoneOffsets) -> DeviceSettings {
        var left = self
        switch deed {
        case .timer: left.timer = nil
        case .schedule(let schedule):
            guard let place = schedules.firstIndex(where: { $0.id == schedule.id }) else { return left }
            left.schedules[place] = schedule.goingOn(at: now, speed: speed, zones: zones)
        }
        return left
    }
}

extension DeviceSchedule {
    /// The schedule with the first time after that to which its calendar has come meanwhile; off where nobody
    /// knows its zone any more.
    func goingOn(at now: WallTime, speed: Double, zones: any ZoneOffsets) -> DeviceSchedule {
        let calendar = calendar(at: now, speed: speed)
        return beginning(at: now, calendar: calendar, speed: speed, zones: zones) ?? switchedOff
    }

    /// What its calendar says: when it is due, and what has passed since.
    fileprivate func calendar(at now: WallTime, speed: Double) -> WallTime {
        let late = Double(max(0, due.duration(to: now).wholeMilliseconds))
        return calendarDue.advanced(by: .milliseconds(Int64(late * speed)))
    }

    /// Nothing of it comes before: days of which clocks take something away still have 20 hours.
    fileprivate var nextPossible: WallTime { calendarDue.advanced(by: .seconds(20 * 3_600)) }

    /// The schedule due at the last of its times up to now.
    fileprivate func lastMissed(at now: WallTime, speed: Double, zones: any ZoneOffsets) -> DeviceSchedule {
        let calendar = calendar(at: now, speed: speed)
        // In eight days there is one at least, and eight at most.
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

    /// The schedule with its first time after now, for its calendar is the real one now; nil where nobody
    /// knows its zone.
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
