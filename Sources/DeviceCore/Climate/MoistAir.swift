import CMath
import FleetProtocol

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

/// What changes the humidity ratio of a room, all of it constant.
struct Moisture {
    /// The moist air that the room counts as, in kg: its own, and what walls and textiles hold.
    private let massKg: Double
    /// The air that comes in from outside, in kg/s.
    private let freshKgPerSecond: Double
    /// The air that a wet coil dries down to ``Room/coilRatio``, in kg/s.
    private let driedKgPerSecond: Double
    /// The vapour that comes in, from outside and from people, in kg/s.
    private let vapourKgPerSecond: Double

    /// What changes a room's moisture while its compressor has one duty.
    init(of room: Room, among around: Surroundings, duty: Duty, set state: ACState) {
        massKg = room.airKg * room.moistureBuffer
        freshKgPerSecond = room.freshAirKgPerSecond
        driedKgPerSecond = room.driedKgPerSecond(of: duty, set: state)
        vapourKgPerSecond = freshKgPerSecond * around.humidityRatio + around.vapourKgPerSecond
    }

    /// Where the humidity ratio would come to rest if no coil were wet, in kg/kg.
    var settledRatio: Double { vapourKgPerSecond / freshKgPerSecond }

    /// The humidity ratio after some time, exactly.
    ///
    /// A coil is wet only while the air is moister than what has touched it, so the ratio follows one of
    /// two exponentials, and goes over from one to the other once at most.
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
