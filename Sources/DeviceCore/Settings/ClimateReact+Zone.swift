import FleetProtocol

extension ClimateReact {
    /// Where a measurement lies.
    enum Zone: UInt8 {
        case below, within, above
    }

    /// Where a measurement lies; on a threshold it is within.
    func zone(of measurements: Measurements) -> Zone {
        let tenths = measure.tenths(of: measurements)
        if let high, tenths > high.tenths { return .above }
        if let low, tenths < low.tenths { return .below }
        return .within
    }

    /// What is to be set in a zone; nil for nothing.
    func change(in zone: Zone) -> ACStateChange? {
        switch zone {
        case .below: low?.change
        case .within: nil
        case .above: high?.change
        }
    }

    /// What the devices of a scenario's group are set to: heating and cooling towards the middle of a range.
    init(_ usual: Scenario.Group.ClimateReact) {
        func side(_ celsius: Double, _ mode: ACMode) -> Side {
            let middle = Int8(((usual.lowCelsius + usual.highCelsius) / 2).rounded())
            return Side(
                tenths: Int16((celsius * 10).rounded()),
                change: ACStateChange(
                    isOn: true, mode: mode, targetTemperature: middle, temperatureUnit: .celsius))
        }
        self.init(low: side(usual.lowCelsius, .heat), high: side(usual.highCelsius, .cool))
    }
}
