/// What an air conditioner is set to: eight bytes.
public struct ACState: Hashable, Sendable {
    /// Whether it runs.
    public var isOn: Bool
    /// What it does when it runs.
    public var mode: ACMode
    /// What it aims for, in whole degrees of its unit; kept while a mode has no use for it.
    public var targetTemperature: Int8
    /// The unit that its target is in.
    public var temperatureUnit: TemperatureUnit
    /// How hard it blows.
    public var fanLevel: FanLevel
    /// Where its flaps are, up and down.
    public var swing: Swing
    /// Where its vanes are, left and right.
    public var horizontalSwing: HorizontalSwing
    /// Whether its display is lit.
    public var light: Light

    /// The state of those settings.
    public init(
        isOn: Bool, mode: ACMode, targetTemperature: Int8, temperatureUnit: TemperatureUnit = .celsius,
        fanLevel: FanLevel, swing: Swing = .stopped, horizontalSwing: HorizontalSwing = .stopped,
        light: Light = .on
    ) {
        self.isOn = isOn
        self.mode = mode
        self.targetTemperature = targetTemperature
        self.temperatureUnit = temperatureUnit
        self.fanLevel = fanLevel
        self.swing = swing
        self.horizontalSwing = horizontalSwing
        self.light = light
    }

    /// What it aims for, °C.
    public var targetCelsius: Double { temperatureUnit.celsius(targetTemperature) }

    /// This state with a change made to it.
    ///
    /// Where only the unit changes, the target is the nearest whole degree of the new one.
    public func applying(_ change: ACStateChange) -> ACState {
        let unit = change.temperatureUnit ?? temperatureUnit
        return ACState(
            isOn: change.isOn ?? isOn, mode: change.mode ?? mode,
            targetTemperature: change.targetTemperature
                ?? unit.degrees(from: targetTemperature, in: temperatureUnit),
            temperatureUnit: unit, fanLevel: change.fanLevel ?? fanLevel, swing: change.swing ?? swing,
            horizontalSwing: change.horizontalSwing ?? horizontalSwing, light: change.light ?? light)
    }
}
