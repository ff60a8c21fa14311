import FleetProtocol

extension Measurements {
    /// What the pod in a room measures now; the strength of its radio differs a little each time.
    init(of climate: RoomClimate, in room: Room, using generator: inout some RandomNumberGenerator) {
        let vapourHPa = MoistAir.vapourHPa(ratio: climate.humidityRatio)
        let feelsLike = Self.feelsLike(celsius: climate.celsius, vapourHPa: vapourHPa)
        let strength = Int(room.rssiDBm) + Int.random(in: -2...2, using: &generator)
        let measured = Measurements(
            deciCelsius: Int16((climate.celsius * 10).rounded()),
            feelsLikeDeciCelsius: Int16((feelsLike.clamped(to: -99...999) * 10).rounded()),
            humidityPermille: UInt16((climate.relativeHumidityPercent * 10).rounded()),
            rssiDBm: Int8(min(max(strength, -100), -20)))
        guard let measured else { preconditionFailure("a room's climate is within what pods measure") }
        self = measured
    }

    /// How warm air of a temperature and a vapour pressure feels to somebody who sits in it.
    ///
    /// Steadman's apparent temperature without wind and sun (1994), as the Australian Bureau of Meteorology
    /// computes it, but never below the temperature: what pods report in dry rooms of 20 °C equals it.
    static func feelsLike(celsius: Double, vapourHPa: Double) -> Double {
        max(celsius, celsius + 0.33 * vapourHPa - 4)
    }
}
