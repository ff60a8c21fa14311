public import FleetProtocol

extension ACState {
    /// `on` or `off`.
    public var power: String { isOn ? "on" : "off" }

    /// Mode and target: `cool 22 °C`; a fan has no target.
    public var settings: String {
        mode == .fan ? mode.name : "\(mode.name) \(target)"
    }

    /// What it aims for: `22 °C`.
    public var target: String { "\(targetTemperature) \(temperatureUnit.symbol)" }

    /// How and where it blows, and whether it shines, as far as that is not as it was built: `fan low, swing
    /// rangeFull`.
    public var air: String {
        var words = ["fan \(fanLevel.name)"]
        if swing != .stopped { words.append("swing \(swing.name)") }
        if horizontalSwing != .stopped { words.append("horizontal swing \(horizontalSwing.name)") }
        if light != .on { words.append("light \(light.name)") }
        return words.joined(separator: ", ")
    }
}
