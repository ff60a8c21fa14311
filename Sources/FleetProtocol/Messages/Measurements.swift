/// What a pod measures in its room: eight bytes with their alignment.
public struct Measurements: Hashable, Sendable {
    /// How often a pod measures, by the simulated clock: what real ones were seen to do.
    public static let interval: Duration = .seconds(90)

    /// The least and the most of each, in the units of the values.
    public static let deciCelsiusBounds: ClosedRange<Int16> = -600...900
    /// As above.
    public static let feelsLikeDeciCelsiusBounds: ClosedRange<Int16> = -990...9_990
    /// As above.
    public static let humidityPermilleBounds: ClosedRange<UInt16> = 0...1_000
    /// As above.
    public static let rssiDBmBounds: ClosedRange<Int8> = -100 ... -20

    /// The temperature in tenths of a degree Celsius.
    public let deciCelsius: Int16
    /// How warm it feels, in tenths of a degree Celsius.
    public let feelsLikeDeciCelsius: Int16
    /// The relative humidity in tenths of a percent.
    public let humidityPermille: UInt16
    /// How well the pod hears its access point, in dBm.
    public let rssiDBm: Int8

    /// The measurements of those values; nil when one of them is out of its bounds.
    public init?(deciCelsius: Int16, feelsLikeDeciCelsius: Int16, humidityPermille: UInt16, rssiDBm: Int8) {
        guard Self.deciCelsiusBounds.contains(deciCelsius),
            Self.feelsLikeDeciCelsiusBounds.contains(feelsLikeDeciCelsius),
            Self.humidityPermilleBounds.contains(humidityPermille), Self.rssiDBmBounds.contains(rssiDBm)
        else { return nil }
        self.deciCelsius = deciCelsius
        self.feelsLikeDeciCelsius = feelsLikeDeciCelsius
        self.humidityPermille = humidityPermille
        self.rssiDBm = rssiDBm
    }

    /// The temperature, one decimal, °C.
    public var celsius: Double { Double(deciCelsius) / 10 }
    /// How warm it feels, one decimal, °C; never less than the temperature.
    public var feelsLikeCelsius: Double { Double(feelsLikeDeciCelsius) / 10 }
    /// The relative humidity, one decimal, percent.
    public var humidityPercent: Double { Double(humidityPermille) / 10 }
}

/// What one device's pod measured last.
public struct MeasuredDevice: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// What its pod measured.
    public let measurements: Measurements

    /// Those measurements of that device.
    public init(device: DeviceID, measurements: Measurements) {
        self.device = device
        self.measurements = measurements
    }
}
