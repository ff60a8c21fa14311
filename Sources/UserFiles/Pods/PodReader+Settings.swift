import FleetProtocol
import UserText

/// The settings by which a pod acts. One that the fleet cannot simulate is left out, and is served as in the
/// file.
extension PodReader {
    /// Reads the settings of a pod; returns the places of its schedules in the file's list.
    mutating func readSettings(
        _ fields: JSONTree, _ id: String, into pod: inout InitialPod
    ) -> [ScheduleID: Int] {
        pod.settings.climateReact = climateReact(fields["smartMode"])
        pod.settings.calibration = calibration(fields["sensorsCalibration"])
        pod.settings.filter = filter(fields["filtersCleaning"])
        if pod.group.model == .pure { pod.settings.pureBoost = pureBoost(fields["pureBoostConfig"]) }
        pod.timer = timer(fields["timer"])
        var places: [ScheduleID: Int] = [:]
        for (place, item) in (fields["schedules"]?.items ?? []).enumerated().prefix(Limits.deviceSchedules) {
            guard let schedule = schedule(item, "\(id) \(place)"), places[schedule.id] == nil else {
                continue
            }
            pod.settings.schedules.append(schedule)
            places[schedule.id] = place
        }
        return places
    }

    private mutating func climateReact(_ value: JSONTree?) -> ClimateReact? {
        guard let value, let isEnabled = value["enabled"]?.flag,
            let measure = ClimateReact.Measure(name: value["type"]?.text ?? "temperature")
        else { return nil }
        return ClimateReact(
            isEnabled: isEnabled, measure: measure, low: side("low", of: value), high: side("high", of: value)
        )
    }

    private mutating func side(_ name: String, of value: JSONTree) -> ClimateReact.Side? {
        let change = change("smartMode.\(name)TemperatureState", value["\(name)TemperatureState"])
        guard let tenths = value["\(name)TemperatureThreshold"]?.tenths, !change.isEmpty else { return nil }
        return ClimateReact.Side(tenths: tenths, change: change)
    }

    private func calibration(_ value: JSONTree?) -> SensorCalibration? {
        guard let celsius = value?["temperature"]?.tenths, SensorCalibration.tenths.contains(celsius),
            let percent = value?["humidity"]?.tenths, SensorCalibration.tenths.contains(percent)
        else { return nil }
        return SensorCalibration(deciCelsius: celsius, humidityPermille: percent)
    }

    private func filter(_ value: JSONTree?) -> FilterStatus? {
        guard let threshold = value?["filtersCleanSecondsThreshold"]?.number.flatMap({ UInt32(exactly: $0) }),
            let seconds = value?["acOnSecondsSinceLastFiltersClean"]?.number,
            SettingChange.filterSeconds.contains(threshold), (0...1e9).contains(seconds)
        else { return nil }
        let cleaned = value?["lastFiltersCleanTime"]?["time"]?.text.flatMap(TimeText.moment(ofAPI:))
        return FilterStatus(
            cleanedAt: cleaned, thresholdSeconds: threshold, recordedSeconds: seconds,
            recordedAt: WallTime(unixMilliseconds: 0), secondsPerSecond: 0)
    }

    private func pureBoost(_ value: JSONTree?) -> PureBoost? {
        guard let value, let isEnabled = value["enabled"]?.flag else { return nil }
        let names: [(String, PureBoost.Integrations)] = [
            ("measurements", .measurements), ("ac", .airConditioners), ("geo", .geofence), ("prime", .prime),
        ]
        let integrations = names.filter { value["\($0.0)_integration"]?.flag == true }.map(\.1)
        return PureBoost(
            isEnabled: isEnabled, sensitivity: value["sensitivity"]?.text == "S" ? .sensitive : .normal,
            integrations: PureBoost.Integrations(integrations))
    }

    /// Reads a timer that was running; the fleet starts it with the time that was left.
    private mutating func timer(_ value: JSONTree?) -> InitialPod.Timer? {
        guard let value, value["isEnabled"]?.flag != false else { return nil }
        let change = change("timer.acState", value["acState"])
        guard
            let seconds = value["targetTimeSecondsFromNow"]?.number.flatMap({ UInt32(exactly: $0.rounded()) }
            ),
            SettingChange.timerSeconds.contains(seconds), !change.isEmpty
        else { return nil }
        return InitialPod.Timer(change: change, seconds: seconds)
    }

    private mutating func schedule(_ value: JSONTree, _ salt: String) -> DeviceSchedule? {
        let change = change("schedules.acState", value["acState"])
        let days = (value["recurringDays"]?.items ?? []).compactMap {
            Weekday(name: $0.text?.lowercased() ?? "")
        }
        guard let time = LocalTime(value["targetTimeLocal"]?.text ?? ""), !change.isEmpty, !days.isEmpty,
            let zone = TimeZoneName(value["timezone"]?.text ?? "")
        else { return nil }
        func moment(_ key: String) -> WallTime {
            value[key]?.text.flatMap(TimeText.moment(ofAPI:)) ?? WallTime(unixMilliseconds: 1)
        }
        let id =
            value["id"]?.text.flatMap { ScheduleID($0) }
            ?? ScheduleID(
                randomBits: salt.utf8.reduce(0) { SeededGenerator.mixed($0 ^ UInt64($1)) })
        return DeviceSchedule(
            id: id,
            plan: SchedulePlan(change: change, time: time, weekdays: Weekdays(days), zone: zone),
            isEnabled: value["isEnabled"]?.flag ?? true, createdAt: moment("createTime"),
            due: WallTime(unixMilliseconds: 0), calendarDue: moment("nextTime"))
    }
}
