public import FleetProtocol

extension ACState {
    /// `on` or `off`.
    public var power: String { isOn ? "on" : "off" }

    /// Mode and target: `cool 22 °C`; a fan has no target.
    public var settings: String { mode == .fan ? mode.name : "\(mode.name) \(target)" }
    public var target: String { "\(targetTemperature) \(temperatureUnit.symbol)" }

    /// The fan level, and the swings and the light where they differ from the default: `fan low, swing
    /// rangeFull`.
    public var air: String {
        var parts = ["fan \(fanLevel.name)"]
        if swing != .stopped { parts.append("swing \(swing.name)") }
        if horizontalSwing != .stopped { parts.append("horizontal swing \(horizontalSwing.name)") }
        if light != .on { parts.append("light \(light.name)") }
        return parts.joined(separator: ", ")
    }
}

extension ChangeCause {
    /// The cause of a change for people: `by hand remote`.
    public var text: String {
        switch self {
        case .request: "by request"
        case .correction: "by correction"
        case .handRemote: "by hand remote"
        case .app: "by app"
        case .climateReact: "by Climate React"
        case .timer: "by timer"
        case .schedule: "by schedule"
        }
    }
}

extension DeviceState {
    /// Returns the name of the cause of the last change for JSON; nil at the first version, which has none.
    public func causeWord(_ cause: ChangeCause) -> String? { version == Version(1) ? nil : cause.name }
}

extension Presence.Kind {
    public var text: String {
        switch self {
        case .online, .stale, .offline: shortText
        case .unknown: "not seen since the controller started"
        }
    }

    /// A device's presence in a column of the table.
    public var shortText: String {
        switch self {
        case .online, .unknown: reasonText
        case .stale, .offline: "\(name) (\(reasonText))"
        }
    }

    /// A device's presence in a narrow column: `online`, or the reason why it is not online.
    public var reasonText: String {
        switch self {
        case .online: "online"
        case .stale: "node silent"
        case .offline(.disconnected): "no link"
        case .offline(.nodeLeft): "node left"
        case .offline(.nodeLost): "node lost"
        case .unknown: "unknown"
        }
    }
}

extension Measurements {
    /// The temperature for people: `23.4 °C`.
    public var celsiusText: String { "\(celsius) °C" }

    /// The JSON members, in degrees Celsius, percent and dBm.
    public var members: JSONObject {
        ["temperature": celsius, "humidity": humidityPercent, "feelsLike": feelsLikeCelsius, "rssi": rssiDBm]
    }
}

extension UndeterminedReason {
    /// The reason why a request's outcome is undetermined, in words.
    public var text: String {
        switch self {
        case .deviceReset: "the device was reset before it reported the result"
        case .deviceGone: "the device was offline for too long"
        case .superseded: "the controller's journal was rolled back and does not have the result"
        }
    }
}

extension SettingChange {
    /// The change of the settings for people: `timer: off in 30m`.
    public var text: String {
        switch self {
        case .climateReact(let react): react.text
        case .climateReactEnabled(let isEnabled): "Climate React \(isEnabled ? "on" : "off")"
        case .timer(let change, let seconds):
            "timer: \(change.text) in \(DurationText.text(.seconds(Int64(seconds))))"
        case .noTimer: "no timer"
        case .filterCleaned: "filter cleaned"
        case .filterThreshold(let seconds):
            "filter due for cleaning after \(FilterStatus.hours(Double(seconds))) of running"
        case .schedule(let id, let plan): "schedule \(id): \(plan.text)"
        case .scheduleEnabled(let id, let isEnabled): "schedule \(id) \(isEnabled ? "enabled" : "disabled")"
        case .noSchedule(let id): "schedule \(id) removed"
        case .calibration(let deciCelsius, let humidityPermille):
            "calibration: "
                + [
                    deciCelsius.map { SensorCalibration.text($0, "°C") },
                    humidityPermille.map { SensorCalibration.text($0, "%") },
                ].compactMap { $0 }.joined(separator: ", ")
        case .pureBoost(let boost): boost.text
        }
    }
}
