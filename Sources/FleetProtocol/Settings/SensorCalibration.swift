/// What a pod adds to what its sensors say.
public struct SensorCalibration: Hashable, Sendable {
    /// How much may be added, in tenths: 10 °C or 10 % either way, what Home Assistant lets its users set.
    public static let tenths: ClosedRange<Int16> = -100...100

    /// Nothing is added.
    public static let zero = SensorCalibration()

    /// Tenths of a degree Celsius, one of ``tenths``.
    public var deciCelsius: Int16
    /// Tenths of a percent of relative humidity, one of ``tenths``.
    public var humidityPermille: Int16

    /// The calibration of those values.
    public init(deciCelsius: Int16 = 0, humidityPermille: Int16 = 0) {
        self.deciCelsius = deciCelsius
        self.humidityPermille = humidityPermille
    }
}
