/// What devices of one group have in common.
public struct DeviceGroup: Hashable, Sendable {
    /// What they are sold as.
    public let model: ProductModel
    /// The building they are in, ``Limits/nameBytes`` at most; empty where nobody said.
    public let site: String
    /// Their firmware, ``Limits/nameBytes`` at most; empty where nobody said.
    public let firmware: String
    /// What their air conditioners' remotes send.
    public let remote: RemoteKind
    /// The kind of their air conditioners; ignored for models that control none.
    public let airConditioner: AirConditionerKind
    /// The Climate React of devices whose user has set none; nil for none.
    public let climateReact: ClimateReact?

    /// The group of those values.
    ///
    /// - Precondition: No text is longer than its bound.
    public init(
        model: ProductModel, site: String, firmware: String, remote: RemoteKind,
        airConditioner: AirConditionerKind = .split, climateReact: ClimateReact? = nil
    ) {
        precondition(
            max(site.utf8.count, firmware.utf8.count) <= Limits.nameBytes,
            "site and firmware have at most \(Limits.nameBytes) bytes")
        self.model = model
        self.site = site
        self.firmware = firmware
        self.remote = remote
        self.airConditioner = airConditioner
        self.climateReact = climateReact
    }

    /// What they can be set to.
    public var capabilities: Capabilities { model.capabilities(of: airConditioner) }
}

/// A group among those of an account, within one life of a controller.
public struct GroupNumber: Hashable, Sendable {
    /// No group: nobody said which.
    public static let none = GroupNumber(0)

    /// The number, from 1 to ``Limits/accountGroups``; 0 is none.
    public let value: UInt16

    /// The group of that number.
    public init(_ value: UInt16) {
        self.value = value
    }
}

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

/// What the remote of an air conditioner sends.
public enum RemoteKind: String, CaseIterable, Sendable {
    /// A code for on and another for off.
    case discrete
    /// One code for both, so that whoever misses one assumes the opposite of what is.
    case toggle
}

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
