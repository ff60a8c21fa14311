import FleetProtocol
import Stepping

extension JSONWriter {
    /// An AC state: the keys that its mode has, and since when it is so, where a timestamp is asked for.
    ///
    /// Who reads degrees Fahrenheit is also told what the remote, which knows degrees Celsius, sends.
    ///
    /// - Parameter more: What stands beside its keys.
    mutating func acState(
        _ state: ACState, of model: ProductModel, at timestamp: (time: WallTime, now: WallTime)? = nil,
        more: (inout JSONWriter) -> Void = { _ in }
    ) {
        let capabilities = model.capabilities
        object { json in
            if let timestamp { json.member("timestamp", time: timestamp.time, now: timestamp.now) }
            for property in state.properties(by: capabilities) { json.member(property, of: state) }
            more(&json)
            guard state.temperatureUnit == .fahrenheit,
                let native = capabilities[state.mode]?.temperatures[.celsius], let least = native.first,
                let most = native.last
            else { return }
            let degrees = TemperatureUnit.celsius.degrees(from: state.targetTemperature, in: .fahrenheit)
            json.member("nativeTargetTemperature", min(max(degrees, least), most))
            json.member("nativeTemperatureUnit", TemperatureUnit.celsius.letter)
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
