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
