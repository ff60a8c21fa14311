/// What a pod measures in its room: eight bytes with their alignment.
public struct Measurements: Hashable, Sendable {
    /// The temperature in tenths of a degree Celsius.
    public let deciCelsius: Int16
    /// How warm it feels, in tenths of a degree Celsius.
    public let feelsLikeDeciCelsius: Int16
    /// The relative humidity in tenths of a percent, 0 to 1,000.
    public let humidityPermille: UInt16
    /// How well the pod hears its access point, -100 to -20 dBm.
    public let rssiDBm: Int8

    /// The temperature, one decimal, -60 to 90 °C.
    public var temperatureCelsius: Double { Double(deciCelsius) / 10 }
    /// How warm it feels, one decimal; never less than the temperature.
    public var feelsLikeCelsius: Double { Double(feelsLikeDeciCelsius) / 10 }
    /// The relative humidity, one decimal, 0 to 100 %.
    public var humidityPercent: Double { Double(humidityPermille) / 10 }

    /// What the pod in a room measures now; the strength of its radio differs a little each time.
    init(of climate: RoomClimate, in room: Room, using generator: inout some RandomNumberGenerator) {
        let vapourHPa = MoistAir.vapourHPa(ratio: climate.humidityRatio)
        let feelsLike = Self.feelsLike(celsius: climate.celsius, vapourHPa: vapourHPa)
        deciCelsius = Int16((climate.celsius * 10).rounded())
        feelsLikeDeciCelsius = Int16((feelsLike.clamped(to: -99...999) * 10).rounded())
        humidityPermille = UInt16((climate.relativeHumidityPercent * 10).rounded())
        rssiDBm = Int8(min(max(Int(room.rssiDBm) + Int.random(in: -2...2, using: &generator), -100), -20))
    }

    /// How warm air of a temperature and a vapour pressure feels to somebody who sits in it.
    ///
    /// Steadman's apparent temperature without wind and sun (1994), as the Australian Bureau of Meteorology
    /// computes it, but never below the temperature: what pods report in dry rooms of 20 °C equals it.
    static func feelsLike(celsius: Double, vapourHPa: Double) -> Double {
        max(celsius, celsius + 0.33 * vapourHPa - 4)
    }
}
