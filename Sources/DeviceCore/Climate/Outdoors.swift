import Glibc

/// The weather around a fleet: the same every day.
///
/// The temperature is a sinusoid; the dew point stays, as it nearly does on a day without fronts, so
/// the relative humidity falls when it gets warm.
public struct Outdoors: Hashable, Sendable {
    /// The dew points that there can be, °C.
    static let dewPointBounds = -60.0...40.0

    /// The mean temperature of the day, -50 to 55 °C.
    public let meanCelsius: Double
    /// How far the temperature goes above and below the mean, 0 to 25 K.
    public let halfSwingKelvin: Double
    /// The hour of the highest temperature, 0 to 24.
    public let hottestHour: Double
    /// The temperature below which water would condense, -60 to 40 °C.
    public let dewPointCelsius: Double

    /// A hot, humid day: 22 to 34 °C.
    public static let summer = Outdoors(meanCelsius: 28, halfSwingKelvin: 6, dewPointCelsius: 19)
    /// A mild winter's day: -1 to 7 °C.
    public static let winter = Outdoors(meanCelsius: 3, halfSwingKelvin: 4, dewPointCelsius: -1)

    /// The weather of those values, all within their bounds.
    public init(
        meanCelsius: Double, halfSwingKelvin: Double, hottestHour: Double = 15, dewPointCelsius: Double
    ) {
        precondition((-50...55).contains(meanCelsius), "the mean of a day is -50 to 55 °C")
        precondition((0...25).contains(halfSwingKelvin), "half the swing of a day is 0 to 25 K")
        precondition((0...24).contains(hottestHour), "the hottest hour is 0 to 24")
        precondition(Self.dewPointBounds.contains(dewPointCelsius), "a dew point is -60 to 40 °C")
        self.meanCelsius = meanCelsius
        self.halfSwingKelvin = halfSwingKelvin
        self.hottestHour = hottestHour
        self.dewPointCelsius = dewPointCelsius
    }

    /// The temperature that many seconds after midnight, in °C.
    public func celsius(atSecondOfDay second: Double) -> Double {
        meanCelsius + halfSwingKelvin * cos(2 * .pi * (second / 3_600 - hottestHour) / 24)
    }

    /// The humidity ratio that many seconds after midnight, in kg/kg; dew falls where it is colder than the
    /// dew point.
    func humidityRatio(atSecondOfDay second: Double) -> Double {
        MoistAir.saturatedRatio(celsius: min(dewPointCelsius, celsius(atSecondOfDay: second)))
    }
}
