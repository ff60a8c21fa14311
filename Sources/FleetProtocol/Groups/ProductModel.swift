/// What a device is sold as, named as Sensibo's API names it.
public enum ProductModel: String, CaseIterable, Sendable {
    /// Sensibo Sky: an air conditioner's remote with a thermometer.
    case sky = "skyv2"
    /// Sensibo Air Pro: the same, and it measures the air.
    case airPro = "airq"
    /// Sensibo Pure: an air purifier.
    case pure
    /// Sensibo Elements: it measures the air, and switches nothing.
    case elements

    /// Whether it switches an air conditioner, which it does by infrared.
    public var switchesAirConditioner: Bool { self == .sky || self == .airPro }

    /// Whether it switches anything.
    public var switchesAnything: Bool { self != .elements }

    /// The firmware of such a device as real ones have told it; nil where none is known.
    ///
    /// They are those of Home Assistant's test data of 2022 (`tests/components/sensibo/fixtures/data.json`).
    public var usualFirmware: String? {
        switch self {
        case .sky: "SKY30046"
        case .pure: "PUR00111"
        case .airPro, .elements: nil
        }
    }

    /// What it can be set to.
    ///
    /// - Parameter airConditioner: The air conditioner that it switches, if it switches one.
    public func capabilities(of airConditioner: AirConditionerKind = .split) -> Capabilities {
        switch self {
        case .sky, .airPro: airConditioner.capabilities
        case .pure: .purifier
        case .elements: .none
        }
    }
}
