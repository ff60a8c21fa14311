import FleetProtocol

struct SettingGrounds {
    let settings: DeviceSettings
    /// The Climate React of the device's group in the scenario; nil for none.
    let usualReact: ClimateReact?
    let state: ACState
    let model: ProductModel
    let capabilities: Capabilities
    let now: WallTime
    /// The clock by which the user sets timers and schedules.
    let clock: SimulatedClock
    let zones: any ZoneOffsets

    func decision(on change: SettingChange) -> SettingDecision {
        var wanted = settings
        switch change {
        case .climateReact(let react):
            if let objection = react.objection(by: capabilities, of: state) { return .rejected(objection) }
            wanted.climateReact = react
        case .climateReactEnabled(let isEnabled):
            guard var react = settings.climateReact ?? usualReact else {
                return .rejected("climate react: it was never set up; set a threshold first")
            }
            guard react.isEnabled != isEnabled else { return .unchanged }
            react.isEnabled = isEnabled
            wanted.climateReact = react
        case .timer(let change, let seconds):
            if let objection = capabilities.objection(to: change, of: state) {
                return .rejected("timer: \(objection)")
            }
            let wait = Duration.milliseconds(Int64((Double(seconds) * 1_000 / clock.speed).rounded(.up)))
            wanted.timer = DeviceTimer(change: change, due: now.advanced(by: wait), createdAt: now)
        case .noTimer: wanted.timer = nil
        case .filterCleaned, .filterThreshold:
            guard model.movesAir else { return .rejected("filter: model \(model.rawValue) has none") }
            wanted.filter = filter(after: change)
        case .schedule(let id, let plan): return decision(on: plan, as: id)
        case .scheduleEnabled(let id, let isEnabled): return decision(on: id, isEnabled: isEnabled)
        case .noSchedule(let id): return decision(onRemovalOf: id)
        case .calibration(let deciCelsius, let humidityPermille):
            let known = settings.calibration ?? .zero
            wanted.calibration = SensorCalibration(
                deciCelsius: deciCelsius ?? known.deciCelsius,
                humidityPermille: humidityPermille ?? known.humidityPermille)
        case .pureBoost(let boost):
            guard model == .pure else {
                return .rejected("pure boost: model \(model.rawValue) has none; only model pure has it")
            }
            wanted.pureBoost = boost
        }
        return wanted == settings ? .unchanged : .changed(wanted)
    }

    private func filter(after change: SettingChange) -> FilterStatus {
        let known = settings.filter
        let isCleaned = change == .filterCleaned
        var threshold = known?.thresholdSeconds ?? model.usualFilterSeconds
        if case .filterThreshold(let seconds) = change { threshold = seconds }
        return FilterStatus(
            cleanedAt: isCleaned ? now : known?.cleanedAt, thresholdSeconds: threshold,
            recordedSeconds: isCleaned ? 0 : known?.recordedSeconds ?? 0,
            recordedAt: isCleaned ? now : known?.recordedAt ?? now,
            secondsPerSecond: state.isOn ? clock.speed : 0)
    }
}

extension SettingGrounds {
    /// Decides on a plan under an ID: a new schedule, or a new plan of an existing one.
    func decision(on plan: SchedulePlan, as id: ScheduleID) -> SettingDecision {
        if let objection = capabilities.objection(to: plan.change, of: state) {
            return .rejected("schedule: \(objection)")
        }
        let place = settings.schedules.firstIndex { $0.id == id }
        let known = place.map { settings.schedules[$0] }
        if let known, known.plan == plan, known.isEnabled { return .unchanged }
        let wanted = DeviceSchedule(
            id: id, plan: plan, createdAt: known?.createdAt ?? now, due: now, calendarDue: now)
        guard let begun = wanted.next(at: now, by: clock, zones: zones) else {
            return .rejected(
                "time zone \(plan.zone): unknown here; UTC and the names of the IANA database are allowed, "
                    + "such as Europe/Oslo")
        }
        if let place { return decision { $0[place] = begun } }
        guard settings.schedules.count < Limits.deviceSchedules else {
            return .rejected(
                "schedule \(id): the device already has \(Limits.deviceSchedules) schedules, the maximum; "
                    + "remove one first")
        }
        return decision { $0.append(begun) }
    }

    func decision(on id: ScheduleID, isEnabled: Bool) -> SettingDecision {
        guard let place = settings.schedules.firstIndex(where: { $0.id == id }) else { return unknown(id) }
        let known = settings.schedules[place]
        guard known.isEnabled != isEnabled else { return .unchanged }
        guard isEnabled else { return decision { $0[place].isEnabled = false } }
        return decision(on: known.plan, as: id)
    }

    func decision(onRemovalOf id: ScheduleID) -> SettingDecision {
        guard let place = settings.schedules.firstIndex(where: { $0.id == id }) else { return unknown(id) }
        return decision { $0.remove(at: place) }
    }

    private func decision(_ change: (inout [DeviceSchedule]) -> Void) -> SettingDecision {
        var wanted = settings
        change(&wanted.schedules)
        return .changed(wanted)
    }

    private func unknown(_ id: ScheduleID) -> SettingDecision {
        .rejected("schedule \(id): not found; \(knownIDs)")
    }

    private var knownIDs: String {
        let ids = settings.schedules.map(\.id.description)
        return ids.isEmpty ? "the device has no schedules" : "schedules: \(ids.joined(separator: ", "))"
    }
}

enum SettingDecision: Equatable {
    case changed(DeviceSettings)
    case unchanged
    /// The change is invalid; the text names the value and the allowed values.
    case rejected(String)
}

extension SchedulePlan {
    private static let secondsOfDay: Int64 = 86_400

    /// Returns the first time after a moment at which the zone's clocks show the plan's time on one of its
    /// days; nil if the zone is unknown.
    ///
    /// If clocks are put forward over the plan's time, the UTC offset before the change applies: 02:30 runs
    /// when the clocks show 03:30. If clocks are put back over it, only the first of the two occurrences
    /// counts.
    func next(after moment: WallTime, by zones: any ZoneOffsets) -> WallTime? {
        guard let east = zones.secondsEast(in: zone, at: moment) else { return nil }
        let today = (moment.unixSeconds + east).dividedDown(by: Self.secondsOfDay)
        // From yesterday: if clocks skip midnight, yesterday's time may still be ahead. For eight more days:
        // today's time may have passed.
        for day in today - 1...today + 8 where weekdays.contains(Weekday(daysSince1970: day)) {
            let local = day * Self.secondsOfDay + Int64(time.minuteOfDay) * 60
            guard let next = self.moment(ofLocalSeconds: local, by: zones) else { return nil }
            if next > moment { return next }
        }
        return nil
    }

    /// Returns the time at which the zone's clocks show a number of seconds since 1970-01-01T00:00 local
    /// time.
    private func moment(ofLocalSeconds local: Int64, by zones: any ZoneOffsets) -> WallTime? {
        // Clocks do not change twice within two days, and every UTC offset is below a day.
        guard let before = zones.secondsEast(in: zone, at: WallTime(unixSeconds: local - Self.secondsOfDay)),
            let after = zones.secondsEast(in: zone, at: WallTime(unixSeconds: local + Self.secondsOfDay))
        else { return nil }
        let (first, second) = (WallTime(unixSeconds: local - before), WallTime(unixSeconds: local - after))
        if zones.secondsEast(in: zone, at: first) == before { return first }
        return zones.secondsEast(in: zone, at: second) == after ? second : first
    }
}

extension WallTime {
    fileprivate init(unixSeconds: Int64) { self.init(unixMilliseconds: unixSeconds * 1_000) }

    /// Whole seconds since 1970, rounded down.
    fileprivate var unixSeconds: Int64 { unixMilliseconds.dividedDown(by: 1_000) }
}
