/// An absolute change of an air conditioner's state: what is nil stays as it is.
public struct ACStateChange: Hashable, Sendable {
    /// Whether it shall run.
    public var isOn: Bool?
    /// The mode it shall have.
    public var mode: ACMode?
    /// What it shall aim for, in whole degrees Celsius.
    public var targetCelsius: Int8?
    /// How hard it shall blow.
    public var fanLevel: FanLevel?

    /// The change of those settings.
    public init(
        isOn: Bool? = nil, mode: ACMode? = nil, targetCelsius: Int8? = nil, fanLevel: FanLevel? = nil
    ) {
        self.isOn = isOn
        self.mode = mode
        self.targetCelsius = targetCelsius
        self.fanLevel = fanLevel
    }

    /// Whether it changes nothing.
    public var isEmpty: Bool {
        self == ACStateChange()
    }
}
