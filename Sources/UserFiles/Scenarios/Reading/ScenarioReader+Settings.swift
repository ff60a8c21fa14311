import DeviceCore
import FleetProtocol
import UserText

/// The settings of a group: what users have set before the fleet starts.
extension ScenarioReader {
    private static let longestFilterRun: Duration = .seconds(10_000 * 3_600)

    mutating func settings(_ fields: [String: Entry], of group: Scenario.Group) -> Scenario.Group.Settings {
        var settings = Scenario.Group.Settings()
        settings.filterRun = duration(fields["filters-run"], in: .zero...Self.longestFilterRun)
        settings.calibration = calibration(fields["calibration"], of: group.model)
        settings.pureBoost = pureBoost(fields["pure-boost"], of: group.model)
        let entries = list(fields["schedules"], upTo: Limits.deviceSchedules, "schedules {at, set}") ?? []
        settings.schedules = entries.compactMap { schedule($0, of: group) }
        return settings
    }

    private mutating func calibration(_ entry: Entry?, of model: ProductModel) -> SensorCalibration? {
        guard let entry, let fields = fields(of: entry, ["temperature", "humidity"]) else { return nil }
        guard model != .pure else {
            findings.add(entry.place, found: "a calibration of a pure", allowed: "models with a thermometer")
            return nil
        }
        func tenths(_ number: Double?) -> Int16 { number.map { Int16(($0 * 10).rounded()) } ?? 0 }
        return SensorCalibration(
            deciCelsius: tenths(number(fields["temperature"], in: -10...10, "K")),
            humidityPermille: tenths(number(fields["humidity"], in: -10...10, "percent")))
    }

    private mutating func pureBoost(_ entry: Entry?, of model: ProductModel) -> PureBoost? {
        guard let entry else { return nil }
        guard model == .pure else {
            findings.add(entry.place, found: "pure boost of a \(model.rawValue)", allowed: "model: pure")
            return nil
        }
        let sensitivity = word(entry, [("normal", PureBoost.Sensitivity.normal), ("sensitive", .sensitive)])
        return sensitivity.map {
            PureBoost(sensitivity: $0, integrations: [.measurements, .airConditioners])
        }
    }

    private var zoneDescription: String {
        let example = "a time zone such as Europe/Oslo"
        guard let zones else { return example }
        return zones.isInstalled
            ? "\(example) that this machine knows"
            : "UTC: this machine has no other time zones, install tzdata"
    }

    private mutating func schedule(_ entry: Entry, of group: Scenario.Group) -> SchedulePlan? {
        guard let fields = fields(of: entry, ["at", "days", "zone", "set"]) else { return nil }
        guard fields["at"] != nil, let set = fields["set"] else {
            findings.add(entry.place, found: "a schedule without at or set", allowed: "both at and set")
            return nil
        }
        let time = scalar(fields["at"], #"a time of day from "00:00" to "23:59""#) { text, _ in
            LocalTime(text)
        }
        let zone = scalar(fields["zone"], zoneDescription) { [zones] text, _ in
            TimeZoneName(text).flatMap { zones?.has($0) == false ? nil : $0 }
        }
        let days = list(fields["days"], upTo: 7, "days of the week") ?? []
        let words = Weekday.allCases.map { ($0.name, $0) }
        let weekdays = days.compactMap { word($0, words) }
        guard let change = change(set), let time, !change.isEmpty else { return nil }
        if let objection = group.objection(to: change) {
            findings.add(set.place, found: "a change that the remote has no code for", allowed: objection)
            return nil
        }
        return SchedulePlan(
            change: change, time: time, weekdays: days.isEmpty ? .all : Weekdays(weekdays), zone: zone ?? .utc
        )
    }
}
