/// What an air conditioner is set to: four bytes.
public struct ACState: Hashable, Sendable {
    /// Whether it runs.
    public var isOn: Bool
    /// What it does when it runs.
    public var mode: ACMode
    /// What it aims for, in whole degrees Celsius; kept while a mode has no use for it.
    public var targetCelsius: Int8
    /// How hard it blows.
    public var fanLevel: FanLevel

    /// The state of those settings.
    public init(isOn: Bool, mode: ACMode, targetCelsius: Int8, fanLevel: FanLevel) {
        self.isOn = isOn
        self.mode = mode
        self.targetCelsius = targetCelsius
        self.fanLevel = fanLevel
    }

    /// This state with a change made to it.
    public func applying(_ change: ACStateChange) -> ACState {
        ACState(
            isOn: change.isOn ?? isOn, mode: change.mode ?? mode,
            targetCelsius: change.targetCelsius ?? targetCelsius, fanLevel: change.fanLevel ?? fanLevel)
    }
}

/// What an air conditioner does when it runs.
public enum ACMode: UInt8, CaseIterable, Hashable, Sendable {
    case cool, heat, fan, auto, dry

    /// The mode of that name, `cool`; nil when there is none.
    public init?(name: String) {
        guard let mode = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = mode
    }

    /// Its name, in lower case.
    public var name: String { "\(self)" }
}

/// How hard an air conditioner blows.
public enum FanLevel: UInt8, CaseIterable, Hashable, Sendable {
    case quiet, low, medium, high, auto

    /// The level of that name, `low`; nil when there is none.
    public init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Its name, in lower case.
    public var name: String { "\(self)" }
}
