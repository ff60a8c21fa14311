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

    /// The nearest whole degree of this unit: 22 °C is 72 °F.
    ///
    /// - Returns: -128 to 127; what lies beyond is the nearest of these.
    public func degrees(from degrees: Int8, in unit: TemperatureUnit) -> Int8 {
        let exact =
            switch (unit, self) {
            case (.celsius, .fahrenheit): Double(degrees) * 9 / 5 + 32
            case (.fahrenheit, .celsius): (Double(degrees) - 32) * 5 / 9
            case (.celsius, .celsius), (.fahrenheit, .fahrenheit): Double(degrees)
            }
        return Int8(min(max(exact.rounded(), -128), 127))
    }
}
