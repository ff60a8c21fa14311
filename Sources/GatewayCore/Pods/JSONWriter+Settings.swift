import FleetProtocol
import Stepping

/// What a pod is set to do by itself, as Sensibo has it.
extension JSONWriter {
    /// A pod's Climate React; null if neither its user nor its scenario has set it.
    ///
    /// Thresholds are in degrees Celsius or percent. The states are whole: what a side does not set is as the
    /// device has it now.
    mutating func climateReact(of pod: Pod) {
        guard let settings = pod.climateReact else { return null() }
        climateReact(settings, of: pod)
    }

    /// Some Climate React that it has or had.
    mutating func climateReact(_ settings: ClimateReact, of pod: Pod) {
        object { json in
            json.member("enabled", settings.isEnabled)
            json.member("type", settings.measure.name)
            json.key("deviceUid")
            json.plain { pod.device.append(to: &$0) }
            json.threshold("lowTemperatureThreshold", settings.low)
            json.threshold("highTemperatureThreshold", settings.high)
            json.side("lowTemperatureState", settings.low, of: pod)
            json.side("highTemperatureState", settings.high, of: pod)
            json.member("lowTemperatureWebhook", nil)
            json.member("highTemperatureWebhook", nil)
            json.member("sync_with_ac_power", false)
        }
    }

    private mutating func threshold(_ name: StaticString, _ side: ClimateReact.Side?) {
        guard let side else { return member(name, nil) }
        member(name, tenths: Int(side.tenths))
    }

    private mutating func side(_ name: StaticString, _ side: ClimateReact.Side?, of pod: Pod) {
        guard let side else { return member(name, nil) }
        key(name)
        acState(pod.state.applying(side.change), by: pod.capabilities)
    }

    /// Its timer; null where nothing is planned, as the time is at which it was set where nobody noted that.
    mutating func timer(of pod: Pod, _ now: WallTime) {
        guard let timer = pod.settings?.timer else { return null() }
        object { json in
            json.member("id", ShortID(pod.device.bits, UInt64(bitPattern: timer.due.unixMilliseconds)))
            json.member("isEnabled", true)
            json.key("acState")
            json.acState(pod.state.applying(timer.change), by: pod.capabilities)
            if let created = timer.createdAt {
                json.member("createTime", naive: created)
                json.member("createTimeSecondsAgo", created.seconds(to: now))
            } else {
                json.member("createTime", nil)
                json.member("createTimeSecondsAgo", nil)
            }
            json.member("targetTime", naive: timer.due)
            json.member("targetTimeSecondsFromNow", now.seconds(to: timer.due))
            json.member("causedBy", nil)
        }
    }

    /// How long its filters have been in use; nobody counts before they were cleaned or a threshold was set.
    mutating func filters(of pod: Pod, _ now: WallTime) {
        let filter = pod.settings?.filter
        object { json in
            json.member(
                "acOnSecondsSinceLastFiltersClean", Int64(filter?.runningSeconds(at: now) ?? 0))
            json.member(
                "filtersCleanSecondsThreshold", filter?.thresholdSeconds ?? FilterStatus.usualThresholdSeconds
            )
            json.member("lastFiltersCleanTime", second: filter?.cleanedAt, now: now)
            json.member("shouldCleanFilters", filter?.shouldClean(at: now) ?? false)
        }
    }

    /// What its measurements are put right by, in degrees Celsius and percent.
    mutating func calibration(of pod: Pod) {
        let calibration = pod.settings?.calibration ?? .zero
        object { json in
            json.member("temperature", tenths: Int(calibration.deciCelsius))
            json.member("humidity", tenths: Int(calibration.humidityPermille))
        }
    }

    /// Its Pure Boost; null where nobody has set it.
    mutating func pureBoost(of pod: Pod) {
        guard let settings = pod.settings?.pureBoost else { return null() }
        object { json in
            json.member("enabled", settings.isEnabled)
            json.member("sensitivity", settings.sensitivity == .normal ? "N" : "S")
            json.member("measurements_integration", settings.integrations.contains(.measurements))
            json.member("ac_integration", settings.integrations.contains(.airConditioners))
            json.member("geo_integration", settings.integrations.contains(.geofence))
            json.member("prime_integration", settings.integrations.contains(.prime))
            json.member("pureboost_devices", raw: "[]")
        }
    }
}
