import FleetProtocol
import Stepping

extension JSONWriter {
    /// An AC state: the keys that its mode has, and since when it is so, where a timestamp is asked for.
    ///
    /// A target in another unit than that of the remote comes with the degrees that the remote sends.
    ///
    /// - Parameter more: What stands beside its keys.
    mutating func acState(
        _ state: ACState, by capabilities: Capabilities, at timestamp: (time: WallTime, now: WallTime)? = nil,
        more: (inout JSONWriter) -> Void = { _ in }
    ) {
        object { json in
            if let timestamp { json.member("timestamp", time: timestamp.time, now: timestamp.now) }
            for property in state.properties(by: capabilities) { json.member(property, of: state) }
            more(&json)
            let unit = capabilities.nativeUnit
            guard state.temperatureUnit != unit,
                let native = capabilities[state.mode]?.temperatures[unit], let least = native.first,
                let most = native.last
            else { return }
            let degrees = unit.degrees(from: state.targetTemperature, in: state.temperatureUnit)
            json.member("nativeTargetTemperature", min(max(degrees, least), most))
            json.member("nativeTemperatureUnit", unit.letter)
        }
    }

    private mutating func member(_ property: ACProperty, of state: ACState) {
        switch property {
        case .on: member("on", state.isOn)
        case .mode: member("mode", SettingNames.of(state.mode))
        case .targetTemperature: member("targetTemperature", state.targetTemperature)
        case .temperatureUnit: member("temperatureUnit", state.temperatureUnit.letter)
        case .fanLevel: member("fanLevel", SettingNames.of(state.fanLevel))
        case .swing: member("swing", SettingNames.of(state.swing))
        case .horizontalSwing: member("horizontalSwing", SettingNames.of(state.horizontalSwing))
        case .light: member("light", SettingNames.of(state.light))
        }
    }
}
