/// The settings of an air conditioner, in eight bytes.
public struct ACState: Hashable, Sendable {
    /// Whether it is on.
    public var isOn: Bool
    /// The mode.
    public var mode: ACMode
    /// The target temperature in whole degrees of its unit; preserved in modes that do not use it.
    public var targetTemperature: Int8
    /// The unit of the target temperature.
    public var temperatureUnit: TemperatureUnit
    /// The fan level.
    public var fanLevel: FanLevel
    /// The vertical position of the flaps.
    public var swing: Swing
    /// The horizontal position of the vanes.
    public var horizontalSwing: HorizontalSwing
    /// The display light.
    public var light: Light

    /// Creates a state with those settings.
    public init(
        isOn: Bool, mode: ACMode, targetTemperature: Int8, temperatureUnit: TemperatureUnit = .celsius,
        fanLevel: FanLevel, swing: Swing = .stopped, horizontalSwing: HorizontalSwing = .stopped,
        light: Light = .on
    ) {
        (self.isOn, self.mode, self.targetTemperature) = (isOn, mode, targetTemperature)
        (self.temperatureUnit, self.fanLevel, self.swing) = (temperatureUnit, fanLevel, swing)
        (self.horizontalSwing, self.light) = (horizontalSwing, light)
    }

    /// The target temperature, °C.
    public var targetCelsius: Double { temperatureUnit.celsius(targetTemperature) }

    /// Returns this state with the change applied.
    ///
    /// If the change sets the unit but no target, the target is converted to the nearest whole degree.
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

/// A setting of an air conditioner with named values; each case has its name in Sensibo's API.
public protocol ACSetting: CaseIterable, Hashable, Sendable {
    /// The name of the case, such as `rangeFull`.
    var name: String { get }
}

extension ACSetting {
    /// Creates the case with that name, such as `cool`; nil if the name is unknown.
    public init?(name: String) {
        guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = value
    }

    /// The name of the case in Swift.
    public var name: String { "\(self)" }
}

extension ACMode: ACSetting {}

extension FanLevel: ACSetting {
    public var name: String {
        switch self {
        case .mediumLow: "medium_low"
        case .mediumHigh: "medium_high"
        case .quiet, .low, .medium, .high, .auto, .strong: "\(self)"
        }
    }
}

extension Swing: ACSetting {}

extension HorizontalSwing: ACSetting {}

extension Light: ACSetting {}

/// An absolute change of an air conditioner's state; a setting that is nil keeps its value.
public struct ACStateChange: Hashable, Sendable {
    /// The power setting to apply.
    public var isOn: Bool?
    /// The mode to apply.
    public var mode: ACMode?
    /// The target temperature to apply, in whole degrees of the new unit, or of the current one if that is
    /// nil.
    public var targetTemperature: Int8?
    /// The temperature unit to apply.
    public var temperatureUnit: TemperatureUnit?
    /// The fan level to apply.
    public var fanLevel: FanLevel?
    /// The vertical position of the flaps to apply.
    public var swing: Swing?
    /// The horizontal position of the vanes to apply.
    public var horizontalSwing: HorizontalSwing?
    /// The display light to apply.
    public var light: Light?

    /// Creates a change of those settings.
    public init(
        isOn: Bool? = nil, mode: ACMode? = nil, targetTemperature: Int8? = nil,
        temperatureUnit: TemperatureUnit? = nil, fanLevel: FanLevel? = nil, swing: Swing? = nil,
        horizontalSwing: HorizontalSwing? = nil, light: Light? = nil
    ) {
        (self.isOn, self.mode, self.targetTemperature) = (isOn, mode, targetTemperature)
        (self.temperatureUnit, self.fanLevel, self.swing) = (temperatureUnit, fanLevel, swing)
        (self.horizontalSwing, self.light) = (horizontalSwing, light)
    }

    /// Whether the change has no setting.
    public var isEmpty: Bool { self == ACStateChange() }

    /// Whether the change sets at most the power.
    public var isOfPowerAlone: Bool {
        mode == nil && targetTemperature == nil && temperatureUnit == nil && fanLevel == nil && swing == nil
            && horizontalSwing == nil && light == nil
    }
}

extension TemperatureUnit: ACSetting {
    /// The symbol, `°C`.
    public var symbol: String { "°\(letter)" }

    /// The letter, `C`, as in Sensibo's API.
    public var letter: String {
        switch self {
        case .celsius: "C"
        case .fahrenheit: "F"
        }
    }

    /// Converts degrees of this unit to degrees Celsius.
    public func celsius(_ degrees: Int8) -> Double {
        switch self {
        case .celsius: Double(degrees)
        case .fahrenheit: (Double(degrees) - 32) * 5 / 9
        }
    }

    /// Converts to the nearest whole degree of this unit: 22 °C is 72 °F.
    ///
    /// - Returns: The converted degrees, clamped to -128 to 127.
    public func degrees(from degrees: Int8, in unit: TemperatureUnit) -> Int8 {
        guard unit != self else { return degrees }
        let celsius = unit.celsius(degrees)
        let exact =
            switch self {
            case .celsius: celsius
            case .fahrenheit: celsius * 9 / 5 + 32
            }
        return Int8(min(max(exact.rounded(), -128), 127))
    }
}
