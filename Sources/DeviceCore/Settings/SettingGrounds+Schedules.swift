import FleetProtocol
import Stepping

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
