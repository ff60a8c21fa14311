import FleetProtocol

/// The keys of an AC state, as Sensibo spells them.
enum ACProperty: String, CaseIterable, Sendable {
    case on, mode, targetTemperature, temperatureUnit, fanLevel, swing, horizontalSwing, light
}

extension ACState {
    /// The keys that an AC state has at a device: what its mode cannot be set to is not there.
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

    /// The keys of this state whose values were others before.
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
