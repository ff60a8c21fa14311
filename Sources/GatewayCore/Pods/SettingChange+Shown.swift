public import FleetProtocol

extension SettingChange {
    /// Whether a device's settings have what this changes, as far as that can be told.
    ///
    /// A state and the settings of the same moment are told one after the other, so that who knows the first
    /// may not know the second yet. What is the device's own is not compared, such as when a timer ends.
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

    /// Whether both values are as they were to be; one that is nil may be any.
    private func isCalibrated(
        _ calibration: SensorCalibration, _ deciCelsius: Int16?, _ humidityPermille: Int16?
    ) -> Bool {
        deciCelsius ?? calibration.deciCelsius == calibration.deciCelsius
            && humidityPermille ?? calibration.humidityPermille == calibration.humidityPermille
    }
}
