/// The properties that the devices of one group share.
public struct DeviceGroup: Hashable, Sendable {
    /// The product model.
    public let model: ProductModel
    /// The building, at most ``Limits/nameBytes`` bytes; empty if it is not known.
    public let site: String
    /// The firmware version, at most ``Limits/nameBytes`` bytes; empty if it is not known.
    public let firmware: String
    /// The kind of code that the remotes of their air conditioners send.
    public let remote: RemoteKind
    /// The kind of their air conditioners; ignored for models that control none.
    public let airConditioner: AirConditionerKind
    /// The default Climate React of the devices; nil for none.
    public let climateReact: ClimateReact?

    /// A group with the given values.
    ///
    /// - Precondition: No text is longer than its bound.
    public init(
        model: ProductModel, site: String, firmware: String, remote: RemoteKind,
        airConditioner: AirConditionerKind = .split, climateReact: ClimateReact? = nil
    ) {
        precondition(
            max(site.utf8.count, firmware.utf8.count) <= Limits.nameBytes,
            "site and firmware have at most \(Limits.nameBytes) bytes")
        (self.model, self.site, self.firmware) = (model, site, firmware)
        (self.remote, self.airConditioner, self.climateReact) = (remote, airConditioner, climateReact)
    }

    /// The capabilities of the devices.
    public var capabilities: Capabilities { model.capabilities(of: airConditioner) }
}

/// The number of an account's group, valid for one run of the controller.
public struct GroupNumber: Hashable, Sendable {
    /// The group is not known.
    public static let none = GroupNumber(0)

    /// The number, from 1 to ``Limits/accountGroups``; 0 stands for no group.
    public let value: UInt16

    /// A group with a number.
    public init(_ value: UInt16) { self.value = value }
}

/// A product model, named as in Sensibo's API.
public enum ProductModel: String, CaseIterable, Sendable {
    /// Sensibo Sky: an air conditioner's remote with a thermometer.
    case sky = "skyv2"
    /// Sensibo Air Pro: the same, with air-quality sensors.
    case airPro = "airq"
    /// Sensibo Pure: an air purifier.
    case pure
    /// Sensibo Elements: an air-quality sensor without a remote. It can be switched as a Pure can.
    case elements

    /// Whether the device switches an air conditioner, by infrared.
    public var switchesAirConditioner: Bool { self == .sky || self == .airPro }

    /// Whether the device moves air, or switches an appliance that does.
    public var movesAir: Bool { self != .elements }

    /// The firmware version that real devices of the model report.
    ///
    /// Those of Sky and Pure come from Home Assistant's test data of 2022
    /// (`tests/components/sensibo/fixtures/data.json`), that of Elements from pysensibo's example of 2024.
    /// That of Air Pro is not recorded.
    public var usualFirmware: String {
        switch self {
        case .sky: "SKY30046"
        case .airPro: "AIR00111"
        case .pure: "PUR00111"
        case .elements: "ELM00119"
        }
    }

    /// The running time after which the filters of real devices need cleaning, in seconds: 300 hours, and
    /// 3,960 hours of a Pure.
    public var usualFilterSeconds: UInt32 { self == .pure ? 14_256_000 : 1_080_000 }

    /// Returns the capabilities of a device of the model.
    ///
    /// - Parameter airConditioner: The air conditioner that the device switches, if any.
    public func capabilities(of airConditioner: AirConditionerKind = .split) -> Capabilities {
        switch self {
        case .sky, .airPro: airConditioner.capabilities
        case .pure, .elements: .withoutRemote
        }
    }
}

/// The kind of power code that the remote of an air conditioner sends.
public enum RemoteKind: String, CaseIterable, Sendable {
    /// Separate codes for on and off.
    case discrete
    /// One code for both, so that a receiver that misses one assumes the opposite state.
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
