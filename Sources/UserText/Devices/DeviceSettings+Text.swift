public import FleetProtocol

extension DeviceSettings {
    /// The settings for people, with times in UTC: `Climate React off; timer: off at 2026-01-02T03:04:05Z`.
    public var text: String { text(TimeText.iso8601) }

    public func text(_ moment: (WallTime) -> String) -> String {
        let parts = parts(filter: filter?.text(moment), moment)
        return parts.isEmpty ? "no automation" : parts.joined(separator: "; ")
    }

    /// Returns a text for each part that is set, with the filter's running time at a time.
    public func parts(at now: WallTime, _ moment: (WallTime) -> String) -> [String] {
        parts(filter: filter?.text(at: now, moment), moment)
    }

    private func parts(filter: String?, _ moment: (WallTime) -> String) -> [String] {
        [climateReact?.text, timer?.text(moment), filter].compactMap { $0 }
            + schedules.map { $0.text(moment) } + [calibration?.text, pureBoost?.text].compactMap { $0 }
    }

    /// The JSON members; a missing setting is null.
    public var members: JSONObject {
        [
            "climateReact": climateReact?.json, "timer": timer?.json, "filter": filter?.json,
            "schedules": schedules.map(\.json), "calibration": calibration?.json,
            "pureBoost": pureBoost?.json,
        ]
    }
}

extension ClimateReact {
    /// The rules for people: `Climate React: below 19.0 °C on, heat; above 26.0 °C on, cool`.
    public var text: String {
        let sides = [low.map { text($0, "below") }, high.map { text($0, "above") }].compactMap { $0 }
        guard isEnabled else { return "Climate React off" }
        return "Climate React: " + (sides.isEmpty ? "no thresholds" : sides.joined(separator: "; "))
    }

    private func text(_ side: Side, _ where: String) -> String {
        let what = measure == .temperature ? "" : measure == .humidity ? "humidity " : "feels-like "
        return "\(`where`) \(what)\(measure.text(side.tenths)) \(side.change.text)"
    }

    var json: JSONObject {
        ["enabled": isEnabled, "type": measure.name, "low": low?.json, "high": high?.json]
    }
}

extension ClimateReact.Side {
    fileprivate var json: JSONObject { ["threshold": Double(tenths) / 10, "state": change.members] }
}

extension DeviceTimer {
    /// The change and its time in UTC, for people.
    public var text: String { text(TimeText.iso8601) }

    func text(_ moment: (WallTime) -> String) -> String { "timer: \(change.text) at \(moment(due))" }

    var json: JSONObject { ["due": TimeText.iso8601(due), "state": change.members] }
}

extension FilterStatus {
    /// The last known running time of the filter, for people.
    func text(_ moment: (WallTime) -> String) -> String {
        let cleaned = cleanedAt.map { "cleaned at \(moment($0)), " } ?? ""
        return "filter: \(cleaned)\(Self.hours(recordedSeconds)) of "
            + "\(Self.hours(Double(thresholdSeconds))) run at \(moment(recordedAt))"
    }

    /// The running time of the filter at a time, for people.
    func text(at now: WallTime, _ moment: (WallTime) -> String) -> String {
        let cleaned = cleanedAt.map { ", cleaned at \(moment($0))" } ?? ""
        let advice = shouldClean(at: now) ? ": clean it" : ""
        return "filter: \(Self.hours(runningSeconds(at: now))) of "
            + "\(Self.hours(Double(thresholdSeconds))) run\(cleaned)\(advice)"
    }

    /// Returns a number of seconds as hours with one decimal, rounded down: `12.5 h`.
    public static func hours(_ seconds: Double) -> String {
        let tenths = Int64(seconds / 360)
        return "\(tenths / 10).\(tenths % 10) h"
    }

    var json: JSONObject {
        [
            "cleanedAt": cleanedAt.map(TimeText.iso8601), "thresholdSeconds": thresholdSeconds,
            "runningSeconds": recordedSeconds, "notedAt": TimeText.iso8601(recordedAt),
            "secondsPerSecond": secondsPerSecond,
        ]
    }
}

extension ACStateChange {
    /// The change for people: `on, heat, 22 °C`.
    public var text: String {
        var parts: [String] = []
        if let isOn { parts.append(isOn ? "on" : "off") }
        if let mode { parts.append(mode.name) }
        if let targetTemperature {
            parts.append("\(targetTemperature) \((temperatureUnit ?? .celsius).symbol)")
        }
        if let fanLevel { parts.append("fan \(fanLevel.name)") }
        if let swing { parts.append("swing \(swing.name)") }
        if let horizontalSwing { parts.append("horizontal swing \(horizontalSwing.name)") }
        if let light { parts.append("light \(light.name)") }
        return parts.joined(separator: ", ")
    }

    /// The JSON members under the names of a state; an unchanged field is omitted.
    public var members: JSONObject {
        var members: JSONObject = [:]
        if let isOn { members += ["on": isOn] }
        if let mode { members += ["mode": mode.name] }
        if let targetTemperature { members += ["targetTemperature": targetTemperature] }
        if let fanLevel { members += ["fanLevel": fanLevel.name] }
        if let swing { members += ["swing": swing.name] }
        if let horizontalSwing { members += ["horizontalSwing": horizontalSwing.name] }
        if let light { members += ["light": light.name] }
        if let temperatureUnit { members += ["temperatureUnit": temperatureUnit.letter] }
        return members
    }
}

extension Weekdays {
    /// The days for people: `every day`, `Mon to Fri`, or one by one.
    public var text: String {
        switch self {
        case .all: "every day"
        case .working: "Mon to Fri"
        default: days.map(\.shortWord).joined(separator: ", ")
        }
    }
}

extension Weekday {
    /// The first three letters: `Mon`.
    var shortWord: String { name.prefix(1).uppercased() + name.dropFirst().prefix(2) }
}

extension SchedulePlan {
    /// The change and its times, for people: `off at 22:15 every day (Europe/Oslo)`.
    public var text: String { "\(change.text) at \(time) \(weekdays.text) (\(zone))" }
}

extension DeviceSchedule {
    /// A description for people: the change, its time and, while enabled, its next time in UTC.
    public var text: String { text(TimeText.iso8601) }

    func text(_ moment: (WallTime) -> String) -> String {
        let when = isEnabled ? ", next at \(moment(due))" : ", disabled"
        return "schedule \(id): \(plan.text)\(when)"
    }

    var json: JSONObject {
        [
            "id": id.description, "enabled": isEnabled, "time": plan.time.description,
            "days": plan.weekdays.days.map(\.name), "timeZone": plan.zone.text, "state": plan.change.members,
            "createdAt": TimeText.iso8601(createdAt), "due": TimeText.iso8601(due),
        ]
    }
}

extension SensorCalibration {
    /// The calibration offsets for people: `calibration: +0.5 °C, -2.0 %`.
    public var text: String {
        "calibration: \(Self.text(deciCelsius, "°C")), \(Self.text(humidityPermille, "%"))"
    }

    static func text(_ tenths: Int16, _ unit: String) -> String {
        "\(tenths > 0 ? "+" : "")\(Double(tenths) / 10) \(unit)"
    }

    var json: JSONObject {
        ["temperature": Double(deciCelsius) / 10, "humidity": Double(humidityPermille) / 10]
    }
}

extension PureBoost {
    /// The Pure Boost settings for people: `pure boost: sensitive, by measurements, geofence`.
    public var text: String {
        let names = integrations.names
        let others = names.isEmpty ? "" : ", by \(names.joined(separator: ", "))"
        return isEnabled ? "pure boost: \(sensitivity.name)\(others)" : "pure boost off"
    }

    var json: JSONObject {
        ["enabled": isEnabled, "sensitivity": sensitivity.name, "integrations": integrations.names]
    }
}

extension PureBoost.Integrations {
    private static let all: [(Self, name: String)] = [
        (.measurements, "measurements"), (.airConditioners, "airConditioners"), (.geofence, "geofence"),
        (.prime, "prime"),
    ]

    fileprivate var names: [String] { Self.all.filter { contains($0.0) }.map(\.name) }
}
