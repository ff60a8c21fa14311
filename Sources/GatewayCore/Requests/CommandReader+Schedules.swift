public import FleetProtocol

extension CommandReader {
    /// A plan for days of the week: `targetTimeLocal` is `22:15`, `timezone` one of IANA's,
    /// `recurOnDaysOfWeek` `["sunday"]`, and `acState` what is set.
    ///
    /// - Parameter id: What it will be known by.
    public func schedule(_ body: [UInt8], as id: ScheduleID) throws(APIError) -> Command.Kind {
        let members = try members(
            of: body, ["targetTimeLocal", "timezone", "recurOnDaysOfWeek", "acState", "isEnabled"])
        if let isEnabled = members["isEnabled"], !isEnabled.isNull {
            guard isEnabled.flag == true else {
                throw .invalid(
                    "isEnabled", "\(isEnabled.shown): a new schedule is enabled, so true is allowed")
            }
        }
        guard let time = LocalTime(members["targetTimeLocal"]?.text ?? "") else {
            throw .invalid("targetTimeLocal", "00:00 to 23:59 are allowed")
        }
        guard let zone = TimeZoneName(members["timezone"]?.text ?? TimeZoneName.utc.text) else {
            throw .invalid("timezone", "the name of a time zone is allowed")
        }
        let change = try change(members["acState"], "acState")
        guard !change.isEmpty else { throw .invalid("acState", "it sets nothing") }
        let plan = SchedulePlan(
            change: change, time: time, weekdays: try weekdays(members["recurOnDaysOfWeek"]), zone: zone)
        return .configure(.schedule(id, plan))
    }

    /// Whether a schedule happens: `{"isEnabled":false}`.
    ///
    /// - Throws: ``APIError/noSchedule``, and ``APIError/badRequest(_:)``.
    public func scheduleEnabled(_ id: String, _ body: [UInt8]) throws(APIError) -> Command.Kind {
        let schedule = try pod.schedule(id)
        return .configure(
            .scheduleEnabled(schedule.id, try flag("isEnabled", of: try members(of: body, ["isEnabled"]))))
    }

    /// That a schedule shall be gone.
    ///
    /// - Throws: ``APIError/noSchedule``.
    public func noSchedule(_ id: String) throws(APIError) -> Command.Kind {
        .configure(.noSchedule(try pod.schedule(id).id))
    }

    private func weekdays(_ value: JSONInput?) throws(APIError) -> Weekdays {
        guard case .array(let names) = value else {
            throw .invalid("recurOnDaysOfWeek", value?.shown ?? "missing")
        }
        var days: [Weekday] = []
        for name in names {
            guard let day = Weekday(name: (name.text ?? "").lowercased()) else {
                throw .invalid("recurOnDaysOfWeek", name.shown)
            }
            days.append(day)
        }
        guard !days.isEmpty else { throw .invalid("recurOnDaysOfWeek", "one day at least is needed") }
        return Weekdays(days)
    }
}

extension Pod {
    /// Its schedule of an id, as a path has it.
    ///
    /// - Throws: ``APIError/noSchedule``.
    func schedule(_ id: String) throws(APIError) -> DeviceSchedule {
        guard let schedule = settings?.schedules.first(where: { $0.id.description == id }) else {
            throw .noSchedule
        }
        return schedule
    }
}
