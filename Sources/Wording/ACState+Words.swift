public import FleetProtocol

extension ACState {
    /// `on` or `off`.
    public var power: String { isOn ? "on" : "off" }

    /// Mode and target: `cool 22 °C`; a fan has no target.
    public var settings: String {
        mode == .fan ? mode.name : "\(mode.name) \(targetCelsius) °C"
    }
}
