import CMath
import FleetProtocol

/// Water vapour in air, at the pressure of the standard atmosphere.
enum MoistAir {
    /// The pressure of the standard atmosphere, in hPa (ISO 2533).
    static let pressureHPa = 1_013.25
    /// The specific heat capacity of air near 20 °C, in J/(kg·K).
    static let heatCapacityJoulesPerKgKelvin = 1_006.0
    /// The latent heat of vaporization of water at 20 °C, in J/kg.
    static let latentHeatJoulesPerKg = 2.454e6

    /// The molar mass of water over that of dry air (ASHRAE Fundamentals, chapter 1).
    private static let molarMassRatio = 0.621_945

    /// Returns the saturation vapour pressure over liquid water, in hPa.
    ///
    /// The Magnus formula with the coefficients of Sonntag (1990), as in WMO-No. 8, annex 4.B: for -45 to
    /// 60 °C. Outside it stays finite and positive down to -243 °C, but is not accurate.
    static func saturationHPa(celsius: Double) -> Double {
        6.112 * exp(17.62 * celsius / (243.12 + celsius))
    }

    /// Returns the dew point: the formula above, solved for the temperature. At least a thousandth of
    /// humidity is used, because dry air has no dew point.
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

    /// The humidity ratio of air with a relative humidity, up to 90 °C.
    static func ratio(celsius: Double, relativeHumidityPercent: Double) -> Double {
        let vapour = saturationHPa(celsius: celsius) * relativeHumidityPercent / 100
        return molarMassRatio * vapour / (pressureHPa - vapour)
    }

    /// The pressure of the vapour in air of that humidity ratio, in hPa.
    static func vapourHPa(ratio: Double) -> Double { pressureHPa * ratio / (molarMassRatio + ratio) }

    /// Returns the relative humidity, 0 to 100 %.
    static func relativeHumidityPercent(celsius: Double, ratio: Double) -> Double {
        min(max(100 * vapourHPa(ratio: ratio) / saturationHPa(celsius: celsius), 0), 100)
    }
}

/// The constant influences on the humidity ratio of a room.
struct Moisture {
    /// The effective mass of moist air in kg: the room's air, and the buffer of walls and textiles.
    private let massKg: Double
    /// The air that comes in from outside, in kg/s.
    private let freshKgPerSecond: Double
    /// The air that a wet coil dries down to ``Room/coilRatio``, in kg/s.
    private let driedKgPerSecond: Double
    /// The vapour that comes in, from outside and from people, in kg/s.
    private let vapourKgPerSecond: Double

    init(of room: Room, among around: Surroundings, duty: Duty, set state: ACState) {
        massKg = room.airKg * room.moistureBuffer
        freshKgPerSecond = room.freshAirKgPerSecond
        driedKgPerSecond = room.driedKgPerSecond(of: duty, set: state)
        vapourKgPerSecond = freshKgPerSecond * around.humidityRatio + around.vapourKgPerSecond
    }

    /// The equilibrium humidity ratio without a wet coil, in kg/kg.
    var settledRatio: Double { vapourKgPerSecond / freshKgPerSecond }

    /// Returns the exact humidity ratio after some time. A coil is wet only while the air is moister than the
    /// air that has touched it. So the ratio follows one of two exponentials, and switches between them at
    /// most once.
    func ratio(after seconds: Double, from start: Double) -> Double {
        let coilRatio = Room.coilRatio
        let isWet = start > coilRatio
        guard driedKgPerSecond > 0, isWet != (settledRatio > coilRatio) else {
            return ratio(after: seconds, from: start, isWet: isWet)
        }
        let settled = self.settled(isWet: isWet)
        let wait = log((start - settled) / (coilRatio - settled)) / rate(isWet: isWet)
        guard wait < seconds else { return ratio(after: seconds, from: start, isWet: isWet) }
        return ratio(after: seconds - wait, from: coilRatio, isWet: !isWet)
    }

    private func ratio(after seconds: Double, from start: Double, isWet: Bool) -> Double {
        let settled = self.settled(isWet: isWet)
        return settled + (start - settled) * exp(-seconds * rate(isWet: isWet))
    }

    private func settled(isWet: Bool) -> Double {
        guard isWet else { return settledRatio }
        return (vapourKgPerSecond + driedKgPerSecond * Room.coilRatio) / (freshKgPerSecond + driedKgPerSecond)
    }

    private func rate(isWet: Bool) -> Double {
        (freshKgPerSecond + (isWet ? driedKgPerSecond : 0)) / massKg
    }
}
