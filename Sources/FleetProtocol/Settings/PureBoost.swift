/// How a Sensibo Pure is set to blow harder by itself when the air is bad: its pure boost.
///
/// It is kept and told, and nothing follows from it: no pod here measures how clean the air is.
public struct PureBoost: Hashable, Sendable {
    /// How soon it acts.
    public enum Sensitivity: UInt8, ACSetting {
        case normal, sensitive
    }

    /// What besides its own sensor it goes by.
    public struct Integrations: OptionSet, Hashable, Sendable {
        /// A bit for each.
        public let rawValue: UInt8

        /// Those of the bits; of a bit that stands for none nothing is left.
        public init(rawValue: UInt8) { self.rawValue = rawValue & 0x0f }

        /// What other devices measure.
        public static let measurements = Integrations(rawValue: 1)
        /// Whether air conditioners run.
        public static let airConditioners = Integrations(rawValue: 2)
        /// Whether somebody is at home.
        public static let geofence = Integrations(rawValue: 4)
        /// How clean the air outside is: Sensibo's prime integration.
        public static let prime = Integrations(rawValue: 8)
    }

    /// Whether it acts.
    public var isEnabled: Bool
    /// How soon.
    public var sensitivity: Sensitivity
    /// What besides its own sensor it goes by.
    public var integrations: Integrations

    /// The pure boost of those values.
    public init(
        isEnabled: Bool = true, sensitivity: Sensitivity = .normal, integrations: Integrations = []
    ) {
        self.isEnabled = isEnabled
        self.sensitivity = sensitivity
        self.integrations = integrations
    }
}
