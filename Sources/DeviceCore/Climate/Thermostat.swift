import FleetProtocol

/// When an air conditioner's compressor starts and stops: two set points, each with the same hysteresis.
struct Thermostat: Sendable {
    /// How far apart `auto` keeps the set points of cooling and heating, in kelvin.
    static let deadBandKelvin = 2.0

    /// What it cools down to; nil where it does not cool.
    let coolingCelsius: Double?
    /// What it heats up to; nil where it does not heat.
    let heatingCelsius: Double?
    /// Half the distance between starting and stopping.
    let halfHysteresisKelvin: Double

    /// The thermostat of an air conditioner that is set so.
    init(_ state: ACState, hysteresisKelvin: Double) {
        let target = state.targetCelsius
        var (cooling, heating): (Double?, Double?) = (nil, nil)
        if state.isOn {
            switch state.mode {
            case .cool, .dry: cooling = target
            case .heat: heating = target
            case .auto:
                cooling = target + Self.deadBandKelvin / 2
                heating = target - Self.deadBandKelvin / 2
            case .fan: break
            }
        }
        coolingCelsius = cooling
        heatingCelsius = heating
        halfHysteresisKelvin = hysteresisKelvin / 2
    }

    /// The duty at a temperature, after another: at a limit, what follows it.
    func duty(after duty: Duty, at celsius: Double) -> Duty {
        if let coolingCelsius {
            let isStarted = duty == .cooling && celsius > coolingCelsius - halfHysteresisKelvin
            if isStarted || celsius >= coolingCelsius + halfHysteresisKelvin { return .cooling }
        }
        if let heatingCelsius {
            let isStarted = duty == .heating && celsius < heatingCelsius + halfHysteresisKelvin
            if isStarted || celsius <= heatingCelsius - halfHysteresisKelvin { return .heating }
        }
        return .idle
    }

    /// The temperature at which a duty ends while the room gets warmer or colder; nil where it goes on.
    func limit(of duty: Duty, isWarming: Bool) -> Double? {
        switch (duty, isWarming) {
        case (.idle, true): coolingCelsius.map { $0 + halfHysteresisKelvin }
        case (.idle, false): heatingCelsius.map { $0 - halfHysteresisKelvin }
        case (.cooling, false): coolingCelsius.map { $0 - halfHysteresisKelvin }
        case (.heating, true): heatingCelsius.map { $0 + halfHysteresisKelvin }
        case (.cooling, true), (.heating, false): nil
        }
    }
}
