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

/// One of the settings of an air conditioner that are words: each word is the name of its case, as Sensibo
/// spells it.
public protocol ACSetting: CaseIterable, Hashable, Sendable {}

extension ACSetting {
    /// The case of that name, `cool`; nil when there is none.
    public init?(name: String) {
        guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = value
    }

    /// Its name, `rangeFull`.
    public var name: String { "\(self)" }
}

/// What an air conditioner does when it runs.
public enum ACMode: UInt8, ACSetting {
    case cool, heat, fan, auto, dry
}

/// How hard an air conditioner blows.
public enum FanLevel: UInt8, ACSetting {
    case quiet, low, medium, high, auto
}

/// Where the flaps of an air conditioner are that turn its air up and down.
public enum Swing: UInt8, ACSetting {
    case stopped
    case fixedTop, fixedMiddleTop, fixedMiddle, fixedMiddleBottom, fixedBottom
    case rangeTop, rangeMiddle, rangeBottom, rangeFull
    case horizontal, both
}

/// Where the vanes of an air conditioner are that turn its air left and right.
public enum HorizontalSwing: UInt8, ACSetting {
    case stopped
    case fixedLeft, fixedCenterLeft, fixedCenter, fixedCenterRight, fixedRight, fixedLeftRight
    case rangeCenter, rangeFull, rangeLeft, rangeRight
    case horizontal, both
}

/// Whether the display of an air conditioner or a purifier is lit.
public enum Light: UInt8, ACSetting {
    case on, off, dim
}

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

/// What degrees a person reads.
public enum TemperatureUnit: UInt8, ACSetting {
    case celsius, fahrenheit

    /// Its sign, `°C`.
    public var symbol: String {
        switch self {
        case .celsius: "°C"
        case .fahrenheit: "°F"
        }
    }

    /// Its letter, `C`, as Sensibo writes it.
    public var letter: String {
        switch self {
        case .celsius: "C"
        case .fahrenheit: "F"
        }
    }

    /// What so many degrees of this unit are in degrees Celsius.
    public func celsius(_ degrees: Int8) -> Double {
        switch self {
        case .celsius: Double(degrees)
        case .fahrenheit: (Double(degrees) - 32) * 5 / 9
        }
    }

    /// The nearest whole degree of this unit: 22 °C is 72 °F.
    ///
    /// - Returns: -128 to 127; what lies beyond is the nearest of these.
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
