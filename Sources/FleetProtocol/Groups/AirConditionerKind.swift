/// The kind of air conditioner that a device switches, which decides what the device can be set to.
public enum AirConditionerKind: String, CaseIterable, Sendable {
    /// A split unit with all modes.
    case split
    /// A split unit without the modes auto and dry, and with few other settings.
    case basic
    /// A window unit, which cools only.
    case window
    /// A split unit with a remote that sends degrees Fahrenheit.
    case fahrenheit

    /// The settings that its remote has codes for.
    public var capabilities: Capabilities {
        switch self {
        case .split: .splitUnit
        case .basic: .basicSplitUnit
        case .window: .windowUnit
        case .fahrenheit: .fahrenheitUnit
        }
    }
}
