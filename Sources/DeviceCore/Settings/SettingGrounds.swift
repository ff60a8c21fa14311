import FleetProtocol
import Stepping

/// What a device goes by when it decides on a change of its settings.
struct SettingGrounds {
    /// What it is set to now.
    let settings: DeviceSettings
    /// The Climate React that its scenario gives it; nil where there is none.
    let usualReact: ClimateReact?
    let state: ACState
    let model: ProductModel
    let capabilities: Capabilities
    let now: WallTime
    /// Simulated seconds in a real one.
    let speed: Double
    let zones: any ZoneOffsets

    /// What becomes of a change.
    func decision(on change: SettingChange) -> SettingDecision {
        var wanted = settings
        switch change {
        case .climateReact(let react):
            if let objection = react.objection(by: capabilities, of: state) { return .rejected(objection) }
            wanted.climateReact = react
        case .climateReactEnabled(let isEnabled):
            guard var react = settings.climateReact ?? usualReact else {
                return .rejected("climate react: it was never set up; a threshold is allowed first")
            }
            guard react.isEnabled != isEnabled else { return .unchanged }
            react.isEnabled = isEnabled
            wanted.climateReact = react
        case .timer(let change, let seconds):
            if let objection = capabilities.objection(to: change, of: state) {
                return .rejected("timer: \(objection)")
            }
            let wait = Duration.milliseconds(Int64((Double(seconds) * 1_000 / speed).rounded(.up)))
            wanted.timer = DeviceTimer(change: change, due: now.advanced(by: wait), createdAt: now)
        case .noTimer: wanted.timer = nil
        case .filterCleaned, .filterThreshold:
            guard model.switchesAnything else {
                return .rejected("filter: it only measures, and has none")
            }
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
                return .rejected("pure boost: model \(model.rawValue) has none; model pure alone is allowed")
            }
            wanted.pureBoost = boost
        }
        return wanted == settings ? .unchanged : .changed(wanted)
    }

    /// The count after it was begun anew, or got another threshold.
    private func filter(after change: SettingChange) -> FilterStatus {
        let known = settings.filter
        let isCleaned = change == .filterCleaned
        var threshold = known?.thresholdSeconds ?? FilterStatus.usualThresholdSeconds
        if case .filterThreshold(let seconds) = change { threshold = seconds }
        return FilterStatus(
            cleanedAt: isCleaned ? now : known?.cleanedAt, thresholdSeconds: threshold,
            notedSeconds: isCleaned ? 0 : known?.notedSeconds ?? 0,
            notedAt: isCleaned ? now : known?.notedAt ?? now, secondsPerSecond: state.isOn ? speed : 0)
    }
}

/// What becomes of changes of a device's schedules.
extension SettingGrounds {
    /// A plan under an id: another schedule, or another plan of one that there is.
    func decision(on plan: SchedulePlan, as id: ScheduleID) -> SettingDecision {
        if let objection = capabilities.objection(to: plan.change, of: state) {
            return .rejected("schedule: \(objection)")
        }
        let place = settings.schedules.firstIndex { $0.id == id }
        let known = place.map { settings.schedules[$0] }
        if let known, known.plan == plan, known.isEnabled { return .unchanged }
        let wanted = DeviceSchedule(
            id: id, plan: plan, createdAt: known?.createdAt ?? now, due: now, calendarDue: now)
        guard let begun = wanted.beginning(at: now, speed: speed, zones: zones) else {
            return .rejected(
                "time zone \(plan.zone): not known here; UTC is, and what the IANA's database has, "
                    + "such as Europe/Oslo")
        }
        if let place { return decision { $0[place] = begun } }
        guard settings.schedules.count < Limits.deviceSchedules else {
            return .rejected(
                "schedule \(id): it would be one too many; a device has \(Limits.deviceSchedules) at most, so "
                    + "remove one first")
        }
        return decision { $0.append(begun) }
    }

    /// A schedule is to happen from now on, or not any more.
    func decision(on id: ScheduleID, isEnabled: Bool) -> SettingDecision {
        guard let place = settings.schedules.firstIndex(where: { $0.id == id }) else { return unknown(id) }
        let known = settings.schedules[place]
        guard known.isEnabled != isEnabled else { return .unchanged }
        guard isEnabled else { return decision { $0[place].isEnabled = false } }
        return decision(on: known.plan, as: id)
    }

    /// A schedule is to be gone.
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
        .rejected("schedule \(id): there is none; \(knownIDs)")
    }

    private var knownIDs: String {
        let ids = settings.schedules.map(\.id.description)
        return ids.isEmpty ? "it has no schedule" : "there are \(ids.joined(separator: ", "))"
    }
}

/// What a device makes of a change of its settings.
enum SettingDecision: Equatable {
    /// It is set to this from now on.
    case changed(DeviceSettings)
    /// It was so already.
    case unchanged
    /// It cannot be; which value, and what is allowed.
    case rejected(String)
}

extension SchedulePlan {
    private static let secondsOfDay: Int64 = 86_400

    /// The first moment after another that the clocks of the plan's zone show its time on one of its days;
    /// nil where nobody knows the zone.
    ///
    /// Where clocks are put forward over that time, it comes as long after midnight as it would have without
    /// that: 02:30 is what they then show as 03:30. Where they are put back, it comes the first time.
    func next(after moment: WallTime, by zones: any ZoneOffsets) -> WallTime? {
        guard let east = zones.secondsEast(in: zone, at: moment) else { return nil }
        let today = (moment.unixSeconds + east).dividedDown(by: Self.secondsOfDay)
        // From yesterday on, for its 24th hour may be over here and still to come there; and eight days, for
        // today's time may be over.
        for day in today - 1...today + 8 where weekdays.contains(Weekday(daysSince1970: day)) {
            let local = day * Self.secondsOfDay + Int64(time.minuteOfDay) * 60
            guard let next = self.moment(ofLocalSeconds: local, by: zones) else { return nil }
            if next > moment { return next }
        }
        return nil
    }

    /// When the clocks of the zone show so many seconds since 1970-01-01T00:00 there.
    private func moment(ofLocalSeconds local: Int64, by zones: any ZoneOffsets) -> WallTime? {
        // Clocks are not changed twice within two days, and no zone is a day away from UTC.
        guard let before = zones.secondsEast(in: zone, at: WallTime(unixSeconds: local - Self.secondsOfDay)),
            let after = zones.secondsEast(in: zone, at: WallTime(unixSeconds: local + Self.secondsOfDay))
        else { return nil }
        let (first, second) = (WallTime(unixSeconds: local - before), WallTime(unixSeconds: local - after))
        if zones.secondsEast(in: zone, at: first) == before { return first }
        return zones.secondsEast(in: zone, at: second) == after ? second : first
    }
}

extension WallTime {
    fileprivate init(unixSeconds: Int64) {
        self.init(unixMilliseconds: unixSeconds * 1_000)
    }

    /// Whole seconds since 1970, rounded down.
    fileprivate var unixSeconds: Int64 { unixMilliseconds.dividedDown(by: 1_000) }
}

extension Int64 {
    /// The quotient, rounded down.
    fileprivate func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
