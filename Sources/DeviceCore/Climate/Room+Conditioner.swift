import FleetProtocol

/// What the air conditioner does to the room while its compressor runs.
extension Room {
    /// The share of the rated cooling that lowers the temperature; the rest takes water out.
    static let sensibleShare = 0.75
    /// The humidity ratio of the room that the rating is for: 27 °C, wet bulb 19 °C (ISO 5151, condition T1).
    static let ratedRatio = 0.0104
    /// The humidity ratio of the air that has touched the coil: saturated at 11 °C.
    ///
    /// There the rated heat and the rated water need the same stream of air, within a tenth.
    static let coilRatio = 0.0082
    /// How much of its rated heat `dry` takes out: little, so that it can go on for long.
    private static let drySensibleFactor = 0.35
    /// How much of its rated water `dry` takes out.
    private static let dryMoistureFactor = 0.8

    /// The heat that comes into the room by a duty, in watts; negative while it cools.
    func heatWatts(of duty: Duty, set state: ACState) -> Double {
        switch duty {
        case .idle: 0
        case .heating: heatingWatts * state.fanLevel.capacityFactor
        case .cooling:
            -coolingWatts * Self.sensibleShare * state.fanLevel.capacityFactor
                * (state.mode == .dry ? Self.drySensibleFactor : 1)
        }
    }

    /// The air that would have to be dried down to ``coilRatio`` to take out as much water, in kg/s.
    func driedKgPerSecond(of duty: Duty, set state: ACState) -> Double {
        guard duty == .cooling else { return 0 }
        let ratedKgPerSecond = coolingWatts * (1 - Self.sensibleShare) / MoistAir.latentHeatJoulesPerKg
        return ratedKgPerSecond / (Self.ratedRatio - Self.coilRatio) * state.fanLevel.capacityFactor
            * (state.mode == .dry ? Self.dryMoistureFactor : 1)
    }
}

extension FanLevel {
    /// How much of its rated capacity an air conditioner has at this level; `auto` blows as hard as it can.
    var capacityFactor: Double {
        switch self {
        case .quiet: 0.5
        case .low: 0.65
        case .medium: 0.85
        case .high, .auto: 1
        }
    }
}
