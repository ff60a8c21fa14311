import Glibc

/// Water vapour in air, at the pressure of the standard atmosphere.
enum MoistAir {
    /// The pressure of the standard atmosphere, in hPa (ISO 2533).
    static let pressureHPa = 1_013.25
    /// A kilogram of air takes that many joules to warm by a kelvin, near 20 °C.
    static let heatCapacityJoulesPerKgKelvin = 1_006.0
    /// A kilogram of water takes that many joules to become vapour, at 20 °C.
    static let latentHeatJoulesPerKg = 2.454e6

    /// The molar mass of water over that of dry air (ASHRAE Fundamentals, chapter 1).
    private static let molarMassRatio = 0.621_945

    /// How much vapour air can hold over liquid water, as a pressure in hPa.
    ///
    /// The Magnus formula with the coefficients of Sonntag (1990), as in WMO-No. 8, annex 4.B: for -45 to
    /// 60 °C. Outside it stays finite and positive down to -243 °C, and is no longer accurate.
    static func saturationHPa(celsius: Double) -> Double {
        6.112 * exp(17.62 * celsius / (243.12 + celsius))
    }

    /// To what air must cool down for its vapour to condense; the formula above, solved for the temperature.
    ///
    /// - Parameter relativeHumidityPercent: Of dry air a thousandth counts, for it has no dew point.
    static func dewPointCelsius(celsius: Double, relativeHumidityPercent: Double) -> Double {
        let vapourHPa = saturationHPa(celsius: celsius) * max(relativeHumidityPercent, 0.1) / 100
        let exponent = log(vapourHPa / 6.112)
        return 243.12 * exponent / (17.62 - exponent)
    }

    /// The humidity ratio of saturated air: kilograms of vapour for each kilogram of dry air, up to 90 °C.
    static func saturatedRatio(celsius: Double) -> Double {
        let vapourHPa = saturationHPa(celsius: celsius)
        return molarMassRatio * vapourHPa / (pressureHPa - vapourHPa)
    }

    /// The pressure of the vapour in air of that humidity ratio, in hPa.
    static func vapourHPa(ratio: Double) -> Double {
        pressureHPa * ratio / (molarMassRatio + ratio)
    }

    /// How much of what the air could hold it holds: 0 to 100 %.
    static func relativeHumidityPercent(celsius: Double, ratio: Double) -> Double {
        min(max(100 * vapourHPa(ratio: ratio) / saturationHPa(celsius: celsius), 0), 100)
    }
}
