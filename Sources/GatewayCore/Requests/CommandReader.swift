public import FleetProtocol
import UserText

/// Decodes request bodies into commands for a pod. The reader is lenient where clients differ: values may be
/// strings, and keys that the mode of a state does not use are ignored if the state has others. Unknown keys
/// are refused, because the answer would report a success for them. The device validates the values.
public struct CommandReader: Sendable {
    let pod: Pod

    public init(of pod: Pod) { self.pod = pod }

    /// Decodes a complete or partial state: `{"acState":{"on":true}}`.
    public func state(_ body: [UInt8]) throws(APIError) -> Command.Kind {
        let members = try members(of: body, ["acState", "currentAcState", "reason"])
        return kind(try change(members["acState"], "acState"), members)
    }

    /// Decodes the state that a hand remote sends: `{"acState":{"on":true}}`.
    public func remoteChange(_ body: [UInt8]) throws(APIError) -> ACStateChange {
        try change(try members(of: body, ["acState"])["acState"], "acState")
    }

    /// Decodes one key of a state: `{"newValue":22}`; the value that the client saw before is ignored.
    public func property(_ name: String, _ body: [UInt8]) throws(APIError) -> Command.Kind {
        let members = try members(of: body, ["newValue", "currentAcState", "reason"])
        guard let property = ACProperty(rawValue: name) else {
            throw .badRequest("unknown property: \(name.prefix(40))")
        }
        guard let value = members["newValue"] else { throw .invalid("newValue", "missing") }
        var change = ACStateChange()
        try set(property, to: value, in: &change, "newValue")
        return kind(change, members)
    }

    /// Returns a correction, which sends no signal, or a change.
    private func kind(_ change: ACStateChange, _ members: [String: JSONTree]) -> Command.Kind {
        members["reason"]?.text == "StateCorrectionByUser" ? .correct(change) : .set(change)
    }

    /// Decodes the members of a body, and refuses any that is not known, unless it is null.
    func members(of body: [UInt8], _ known: Set<String>) throws(APIError) -> [String: JSONTree] {
        let members = try JSONTree.object(body)
        try Self.refuseOthers(in: members, known)
        return members
    }

    private static func refuseOthers(in members: [String: JSONTree], _ known: Set<String>) throws(APIError) {
        let others = members.filter { !known.contains($0.key) && !$0.value.isNull }.keys
        guard let first = others.min() else { return }
        throw .invalid(
            String(first.prefix(40)), "not supported; allowed: \(known.sorted().joined(separator: ", "))")
    }

    // MARK: States

    /// Keys that a state has in answers in addition to its properties; in requests they are ignored.
    private static let readOnlyKeys: Set<String> = [
        "timestamp", "nativeTargetTemperature", "nativeTemperatureUnit", "extra",
    ]

    /// Decodes a state into a change, without the keys that its mode does not use. At least one property must
    /// be left.
    func change(_ state: JSONTree?, _ parameter: String) throws(APIError) -> ACStateChange {
        guard let members = state?.membersByKey else {
            throw .invalid(parameter, state == nil ? "missing" : "not an object")
        }
        try Self.refuseOthers(in: members, Self.readOnlyKeys.union(ACProperty.allCases.map(\.rawValue)))
        var change = ACStateChange()
        for property in ACProperty.allCases {
            guard let value = members[property.rawValue], !value.isNull else { continue }
            try set(property, to: value, in: &change, parameter)
        }
        guard !change.isEmpty else { throw .invalid(parameter, "it sets nothing") }
        let useful = change.useful(to: pod.state, by: pod.capabilities)
        guard !useful.isEmpty else {
            let names = ACProperty.allCases.map(\.rawValue).filter { members[$0]?.isNull == false }
            let mode = SettingNames.of(change.mode ?? pod.state.mode)
            throw .invalid(parameter, "mode \(mode) has no \(names.joined(separator: ", "))")
        }
        return useful
    }

    private func set(
        _ property: ACProperty, to value: JSONTree, in change: inout ACStateChange, _ parameter: String
    ) throws(APIError) {
        func known<Value>(_ value: Value?, _ shown: String) throws(APIError) -> Value {
            guard let value else { throw .invalid(parameter, "Invalid \(property.rawValue) \(shown)") }
            return value
        }
        let (text, shown) = (value.text ?? "", value.shown)
        switch property {
        case .on: change.isOn = try known(value.givenFlag, shown)
        case .mode: change.mode = try known(ACMode(name: text), shown)
        case .targetTemperature:
            change.targetTemperature = try known(value.givenNumber.flatMap { Int8(exactly: $0) }, shown)
        case .temperatureUnit:
            let unit = TemperatureUnit.allCases.first { $0.letter == text }
            change.temperatureUnit = try known(unit, shown)
        case .fanLevel: change.fanLevel = try known(FanLevel(name: text), shown)
        case .swing: change.swing = try known(Swing(name: text), shown)
        case .horizontalSwing: change.horizontalSwing = try known(HorizontalSwing(name: text), shown)
        case .light: change.light = try known(Light(name: text), shown)
        }
    }
}

extension ACStateChange {
    /// Returns this change without the settings that the resulting mode does not have.
    fileprivate func useful(to state: ACState, by capabilities: Capabilities) -> ACStateChange {
        guard let mode = capabilities[mode ?? state.mode] else { return self }
        var change = self
        if mode.temperatures.isEmpty { (change.targetTemperature, change.temperatureUnit) = (nil, nil) }
        if mode.fanLevels.isEmpty { change.fanLevel = nil }
        if mode.swings.isEmpty { change.swing = nil }
        if mode.horizontalSwings.isEmpty { change.horizontalSwing = nil }
        if mode.lights.isEmpty { change.light = nil }
        return change
    }
}

extension APIError {
    static func invalid(_ parameter: String, _ what: String) -> APIError {
        .badRequest("parameter '\(parameter)' invalid: \(what)")
    }
}

extension CommandReader {
    /// Decodes a weekly schedule: `targetTimeLocal` is `22:15`, `timezone` an IANA name, `recurOnDaysOfWeek`
    /// `["sunday"]`, and `acState` the state to set.
    public func schedule(_ body: [UInt8], as id: ScheduleID) throws(APIError) -> Command.Kind {
        let members = try members(
            of: body, ["targetTimeLocal", "timezone", "recurOnDaysOfWeek", "acState", "isEnabled"])
        if let isEnabled = members["isEnabled"], !isEnabled.isNull {
            guard isEnabled.givenFlag == true else {
                throw .invalid(
                    "isEnabled", "\(isEnabled.shown): a new schedule is enabled; only true is allowed")
            }
        }
        guard let time = LocalTime(members["targetTimeLocal"]?.text ?? "") else {
            throw .invalid("targetTimeLocal", "expected 00:00 to 23:59")
        }
        let name = members["timezone"] ?? .null
        guard let zone = name.isNull ? .utc : TimeZoneName(name.text ?? "") else {
            throw .invalid("timezone", "expected the name of a time zone")
        }
        let change = try change(members["acState"], "acState")
        let plan = SchedulePlan(
            change: change, time: time, weekdays: try weekdays(members["recurOnDaysOfWeek"]), zone: zone)
        return .configure(.schedule(id, plan))
    }

    /// Decodes whether a schedule is enabled: `{"isEnabled":false}`.
    public func scheduleEnabled(_ id: String, _ body: [UInt8]) throws(APIError) -> Command.Kind {
        let schedule = try pod.schedule(id)
        return .configure(
            .scheduleEnabled(schedule.id, try flag("isEnabled", of: try members(of: body, ["isEnabled"]))))
    }

    public func noSchedule(_ id: String) throws(APIError) -> Command.Kind {
        .configure(.noSchedule(try pod.schedule(id).id))
    }

    private func weekdays(_ value: JSONTree?) throws(APIError) -> Weekdays {
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
        guard !days.isEmpty else { throw .invalid("recurOnDaysOfWeek", "at least one day is required") }
        return Weekdays(days)
    }
}

extension Pod {
    func schedule(_ id: String) throws(APIError) -> DeviceSchedule {
        guard let schedule = settings?.schedules.first(where: { apiID(of: $0.id) == id }) else {
            throw .noSchedule
        }
        return schedule
    }
}
