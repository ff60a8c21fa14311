/// An absolute change of an air conditioner's state: what is nil stays as it is.
public struct ACStateChange: Hashable, Sendable {
    /// Whether it shall run.
    public var isOn: Bool?
    /// The mode it shall have.
    public var mode: ACMode?
    /// What it shall aim for, in whole degrees of the unit that it shall have or has.
    public var targetTemperature: Int8?
    /// The unit that its target shall be in.
    public var temperatureUnit: TemperatureUnit?
    /// How hard it shall blow.
    public var fanLevel: FanLevel?
    /// Where its flaps shall be, up and down.
    public var swing: Swing?
    /// Where its vanes shall be, left and right.
    public var horizontalSwing: HorizontalSwing?
    /// Whether its display shall be lit.
    public var light: Light?

    /// The change of those settings.
    public init(
        isOn: Bool? = nil, mode: ACMode? = nil, targetTemperature: Int8? = nil,
        temperatureUnit: TemperatureUnit? = nil, fanLevel: FanLevel? = nil, swing: Swing? = nil,
        horizontalSwing: HorizontalSwing? = nil, light: Light? = nil
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

    /// The first of its settings in words, `target temperature 22`; for an empty one, `no change`.
    var firstWords: String {
        if let isOn { return "power \(isOn ? "on" : "off")" }
        if let mode { return "mode \(mode.name)" }
        if let targetTemperature { return "target temperature \(targetTemperature)" }
        if let temperatureUnit { return "temperature unit \(temperatureUnit.letter)" }
        if let fanLevel { return "fan level \(fanLevel.name)" }
        if let swing { return "swing \(swing.name)" }
        if let horizontalSwing { return "horizontal swing \(horizontalSwing.name)" }
        return light.map { "light \($0.name)" } ?? "no change"
    }

    /// Whether it changes nothing.
    public var isEmpty: Bool {
        self == ACStateChange()
    }

    /// Whether it sets nothing but on or off, or nothing at all.
    public var isOfPowerAlone: Bool {
        mode == nil && targetTemperature == nil && temperatureUnit == nil && fanLevel == nil && swing == nil
            && horizontalSwing == nil && light == nil
    }
}
