public import FleetProtocol
import UserText

extension Pod {
    /// A pod's Climate React; null if neither its user nor its scenario has set it. Thresholds are in degrees
    /// Celsius or percent. The states are complete: values that a side does not set are those of the device's
    /// current state.
    func writeClimateReact(to json: inout JSONWriter) {
        guard let settings = climateReact else { return json.null() }
        write(settings, to: &json)
    }

    func write(_ settings: ClimateReact, to json: inout JSONWriter) {
        json.object { json in
            json.member("enabled", settings.isEnabled)
            json.member("type", settings.measure.name)
            json.key("deviceUid")
            writeID(to: &json)
            Self.write("lowTemperatureThreshold", settings.low, to: &json)
            Self.write("highTemperatureThreshold", settings.high, to: &json)
            write("lowTemperatureState", settings.low, to: &json)
            write("highTemperatureState", settings.high, to: &json)
            json.member("lowTemperatureWebhook", nil)
            json.member("highTemperatureWebhook", nil)
            json.member("sync_with_ac_power", false)
        }
    }

    private static func write(
        _ name: StaticString, _ threshold: ClimateReact.Side?, to json: inout JSONWriter
    ) {
        guard let threshold else { return json.member(name, nil) }
        json.member(name, tenths: Int(threshold.tenths))
    }

    private func write(_ name: StaticString, _ side: ClimateReact.Side?, to json: inout JSONWriter) {
        guard let side else { return json.member(name, nil) }
        json.key(name)
        json.acState(state.applying(side.change), by: capabilities)
    }

    /// Writes a pod's timer, null without one; the creation time is null if unknown.
    func writeTimer(to json: inout JSONWriter, at now: PodTime) {
        guard let timer = settings?.timer else { return json.null() }
        json.object { json in
            json.member("id", ShortID(device.bits, UInt64(bitPattern: timer.due.unixMilliseconds)))
            json.member("isEnabled", true)
            json.key("acState")
            json.acState(state.applying(timer.change), by: capabilities)
            if let created = timer.createdAt {
                json.member("createTime", naive: now.shown(created))
                json.member("createTimeSecondsAgo", now.seconds(since: created))
            } else {
                json.member("createTime", nil)
                json.member("createTimeSecondsAgo", nil)
            }
            json.member("targetTime", naive: now.shown(timer.due))
            json.member("targetTimeSecondsFromNow", now.seconds(untilShown: now.shown(timer.due)))
            json.member("causedBy", nil)
        }
    }

    /// The running time of a pod's filters in seconds: since the last cleaning or the first change of the
    /// threshold; before both, since its history began.
    func filterSeconds(at now: PodTime) -> Double {
        settings?.filter?.runningSeconds(at: now.real) ?? run.seconds(at: now.real)
    }

    private var filterThresholdSeconds: UInt32 {
        settings?.filter?.thresholdSeconds ?? model.usualFilterSeconds
    }

    func shouldCleanFilters(at now: PodTime) -> Bool {
        filterSeconds(at: now) >= Double(filterThresholdSeconds)
    }

    func writeFilters(to json: inout JSONWriter, at now: PodTime) {
        json.object { json in
            json.member("acOnSecondsSinceLastFiltersClean", Int64(filterSeconds(at: now)))
            json.member("filtersCleanSecondsThreshold", filterThresholdSeconds)
            json.member("lastFiltersCleanTime", second: settings?.filter?.cleanedAt, now: now)
            json.member("shouldCleanFilters", shouldCleanFilters(at: now))
        }
    }

    /// Writes the offsets of a pod's sensor calibration, in degrees Celsius and percent.
    func writeCalibration(to json: inout JSONWriter) {
        let calibration = settings?.calibration ?? .zero
        json.object { json in
            json.member("temperature", tenths: Int(calibration.deciCelsius))
            json.member("humidity", tenths: Int(calibration.humidityPermille))
        }
    }

    /// Writes a pod's Pure Boost settings; null for a model without them.
    func writePureBoost(to json: inout JSONWriter) {
        guard let boost = pureBoost else { return json.null() }
        json.object { json in
            json.member("enabled", boost.isEnabled)
            json.member("sensitivity", boost.sensitivity == .normal ? "N" : "S")
            json.member("measurements_integration", boost.integrations.contains(.measurements))
            json.member("ac_integration", boost.integrations.contains(.airConditioners))
            json.member("geo_integration", boost.integrations.contains(.geofence))
            json.member("prime_integration", boost.integrations.contains(.prime))
            json.array("pureboost_devices") { writeID(to: &$0) }
        }
    }

    func writeSchedules(to json: inout JSONWriter, at now: PodTime) {
        json.array { json in
            for schedule in settings?.schedules ?? [] { write(schedule, to: &json, at: now) }
        }
    }

    /// Writes a schedule; its state is complete: values that it does not set are those of the current state.
    func write(_ schedule: DeviceSchedule, to json: inout JSONWriter, at now: PodTime) {
        if writeRecorded(schedule, to: &json, now) { return }
        let state = state.applying(schedule.plan.change)
        json.object { json in
            json.member("id", apiID(of: schedule.id))
            json.member("isEnabled", schedule.isEnabled)
            json.member("name", nil)
            json.key("acState")
            json.acState(state, by: capabilities) { json in
                json.object("extra") { $0.object("scheduler") { Self.writeScheduler(of: state, to: &$0) } }
            }
            json.member("createTime", naive: now.shown(schedule.createdAt))
            json.member("createTimeSecondsAgo", now.seconds(since: schedule.createdAt))
            json.array("recurringDays") { json in
                for name in schedule.plan.weekdays.days.map(\.name) {
                    json.string(name.prefix(1).uppercased() + name.dropFirst())
                }
            }
            json.member("targetTimeLocal", schedule.plan.time.description)
            json.member("timezone", schedule.plan.zone.text)
            json.key("podUid")
            writeID(to: &json)
            json.member("nextTime", naive: schedule.calendarDue)
            json.member("nextTimeSecondsFromNow", now.seconds(untilShown: schedule.calendarDue))
        }
    }

    private static func writeScheduler(of state: ACState, to json: inout JSONWriter) {
        json.member("climate_react", nil)
        json.member("motion", nil)
        json.member("on", state.isOn)
        json.member("climate_react_settings", nil)
        json.member("pure_boost", nil)
    }
}

extension SettingChange {
    /// Whether a device's settings include this change, as far as they can be compared. The stream has a
    /// state and the settings of the same moment in two updates, so a replica may have applied only the
    /// first. Values that the device computes, such as the end of a timer, are not compared.
    public func isShown(by settings: DeviceSettings) -> Bool {
        switch self {
        case .climateReact(let react): settings.climateReact == react
        case .climateReactEnabled(let isEnabled): settings.climateReact?.isEnabled == isEnabled
        case .timer(let change, _): settings.timer?.change == change
        case .noTimer: settings.timer == nil
        case .filterCleaned: settings.filter?.cleanedAt != nil
        case .filterThreshold(let seconds): settings.filter?.thresholdSeconds == seconds
        case .schedule(let id, let plan): settings.schedules.contains { $0.id == id && $0.plan == plan }
        case .scheduleEnabled(let id, let isEnabled):
            settings.schedules.contains { $0.id == id && $0.isEnabled == isEnabled }
        case .noSchedule(let id): !settings.schedules.contains { $0.id == id }
        case .calibration(let deciCelsius, let humidityPermille):
            isCalibrated(settings.calibration ?? .zero, deciCelsius, humidityPermille)
        case .pureBoost(let boost): settings.pureBoost == boost
        }
    }

    /// Whether a calibration has the requested offsets; a requested offset of nil matches any.
    private func isCalibrated(
        _ calibration: SensorCalibration, _ deciCelsius: Int16?, _ humidityPermille: Int16?
    ) -> Bool {
        deciCelsius ?? calibration.deciCelsius == calibration.deciCelsius
            && humidityPermille ?? calibration.humidityPermille == calibration.humidityPermille
    }
}

/// The keys of an AC state, as Sensibo spells them.
enum ACProperty: String, CaseIterable, Sendable {
    case on, mode, targetTemperature, temperatureUnit, fanLevel, swing, horizontalSwing, light
}

extension ACState {
    /// The keys of an AC state of a device: those that its mode supports.
    func properties(by capabilities: Capabilities) -> [ACProperty] {
        guard let mode = capabilities[mode] else { return [.on] }
        return ACProperty.allCases.filter { property in
            switch property {
            case .on, .mode: true
            case .targetTemperature, .temperatureUnit: !mode.temperatures.isEmpty
            case .fanLevel: !mode.fanLevels.isEmpty
            case .swing: !mode.swings.isEmpty
            case .horizontalSwing: !mode.horizontalSwings.isEmpty
            case .light: !mode.lights.isEmpty
            }
        }
    }

    /// The keys of this state whose values differ from those of an earlier state.
    func changedProperties(since before: ACState, by capabilities: Capabilities) -> [ACProperty] {
        properties(by: capabilities).filter { property in
            switch property {
            case .on: isOn != before.isOn
            case .mode: mode != before.mode
            case .targetTemperature: targetTemperature != before.targetTemperature
            case .temperatureUnit: temperatureUnit != before.temperatureUnit
            case .fanLevel: fanLevel != before.fanLevel
            case .swing: swing != before.swing
            case .horizontalSwing: horizontalSwing != before.horizontalSwing
            case .light: light != before.light
            }
        }
    }
}
