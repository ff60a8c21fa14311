import FleetProtocol
import Stepping

/// What a device goes by when it decides on a change of its settings.
struct SettingGrounds {
    /// What it is set to now.
    let settings: DeviceSettings
    /// The Climate React that its scenario gives it; nil where there is none.
    let usualReact: ClimateReact?
    let state: ACState
    let model: ProductModel
    let capabilities: Capabilities
    let now: WallTime
    /// Simulated seconds in a real one.
    let speed: Double
    let zones: any ZoneOffsets

    /// What becomes of a change.
    func decision(on change: SettingChange) -> SettingDecision {
        var wanted = settings
        switch change {
        case .climateReact(let react):
            if let objection = react.objection(by: capabilities, of: state) { return .rejected(objection) }
            wanted.climateReact = react
        case .climateReactEnabled(let isEnabled):
            guard var react = settings.climateReact ?? usualReact else {
                return .rejected("climate react: it was never set up; a threshold is allowed first")
            }
            guard react.isEnabled != isEnabled else { return .unchanged }
            react.isEnabled = isEnabled
            wanted.climateReact = react
        case .timer(let change, let seconds):
            if let objection = capabilities.objection(to: change, of: state) {
                return .rejected("timer: \(objection)")
            }
            let wait = Duration.milliseconds(Int64((Double(seconds) * 1_000 / speed).rounded(.up)))
            wanted.timer = DeviceTimer(change: change, due: now.advanced(by: wait), createdAt: now)
        case .noTimer: wanted.timer = nil
        case .filterCleaned, .filterThreshold:
            guard model.switchesAnything else {
                return .rejected("filter: it only measures, and has none")
            }
            wanted.filter = filter(after: change)
        case .schedule(let id, let plan): return decision(on: plan, as: id)
        case .scheduleEnabled(let id, let isEnabled): return decision(on: id, isEnabled: isEnabled)
        case .noSchedule(let id): return decision(onRemovalOf: id)
        case .calibration(let deciCelsius, let humidityPermille):
            let known = settings.calibration ?? .zero
            wanted.calibration = SensorCalibration(
                deciCelsius: deciCelsius ?? known.deciCelsius,
                humidityPermille: humidityPermille ?? known.humidityPermille)
        case .pureBoost(let boost):
            guard model == .pure else {
                return .rejected("pure boost: model \(model.rawValue) has none; model pure alone is allowed")
            }
            wanted.pureBoost = boost
        }
        return wanted == settings ? .unchanged : .changed(wanted)
    }

    /// The count after it was begun anew, or got another threshold.
    private func filter(after change: SettingChange) -> FilterStatus {
        let known = settings.filter
        let isCleaned = change == .filterCleaned
        var threshold = known?.thresholdSeconds ?? FilterStatus.usualThresholdSeconds
        if case .filterThreshold(let seconds) = change { threshold = seconds }
        return FilterStatus(
            cleanedAt: isCleaned ? now : known?.cleanedAt, thresholdSeconds: threshold,
            notedSeconds: isCleaned ? 0 : known?.notedSeconds ?? 0,
            notedAt: isCleaned ? now : known?.notedAt ?? now, secondsPerSecond: state.isOn ? speed : 0)
    }
}
