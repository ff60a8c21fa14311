public import FleetProtocol

extension SettingChange {
    /// What it sets, for people: `timer: off in 30m`.
    public var words: String {
        switch self {
        case .climateReact(let react): react.words
        case .climateReactEnabled(let isEnabled): "Climate React \(isEnabled ? "on" : "off")"
        case .timer(let change, let seconds):
            "timer: \(change.words) in \(DurationText.text(.seconds(Int64(seconds))))"
        case .noTimer: "no timer"
        case .filterCleaned: "filter cleaned"
        case .filterThreshold(let seconds):
            "filter to be cleaned after \(FilterStatus.hours(Double(seconds))) of running"
        case .schedule(let id, let plan): "schedule \(id): \(plan.words)"
        case .scheduleEnabled(let id, let isEnabled): "schedule \(id) \(isEnabled ? "enabled" : "disabled")"
        case .noSchedule(let id): "schedule \(id) removed"
        case .calibration(let deciCelsius, let humidityPermille):
            "calibration: "
                + [
                    deciCelsius.map { SensorCalibration.words($0, "°C") },
                    humidityPermille.map { SensorCalibration.words($0, "%") },
                ].compactMap { $0 }.joined(separator: ", ")
        case .pureBoost(let boost): boost.words
        }
    }
}
