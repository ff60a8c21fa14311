import SwiftProtobuf

extension ACMode {
    init(wire: Sensibus_V1_Mode, field: String = "mode") throws(WireError) {
        switch wire {
        case .cool: self = .cool
        case .heat: self = .heat
        case .fan: self = .fan
        case .auto: self = .auto
        case .dry: self = .dry
        case .unspecified, .UNRECOGNIZED: throw .malformed(field, "a mode")
        }
    }

    var wire: Sensibus_V1_Mode {
        switch self {
        case .cool: .cool
        case .heat: .heat
        case .fan: .fan
        case .auto: .auto
        case .dry: .dry
        }
    }
}

extension FanLevel {
    init(wire: Sensibus_V1_FanLevel, field: String = "fan_level") throws(WireError) {
        switch wire {
        case .quiet: self = .quiet
        case .low: self = .low
        case .medium: self = .medium
        case .high: self = .high
        case .auto: self = .auto
        case .unspecified, .UNRECOGNIZED: throw .malformed(field, "a fan level")
        }
    }

    var wire: Sensibus_V1_FanLevel {
        switch self {
        case .quiet: .quiet
        case .low: .low
        case .medium: .medium
        case .high: .high
        case .auto: .auto
        }
    }
}

extension ACState {
    init(wire: Sensibus_V1_ACState) throws(WireError) {
        self.init(
            isOn: wire.on, mode: try ACMode(wire: wire.mode),
            targetCelsius: try Int8(wireCelsius: wire.targetTemperatureCelsius),
            fanLevel: try FanLevel(wire: wire.fanLevel))
    }

    var wire: Sensibus_V1_ACState {
        .with {
            $0.on = isOn
            $0.mode = mode.wire
            $0.targetTemperatureCelsius = Int32(targetCelsius)
            $0.fanLevel = fanLevel.wire
        }
    }
}

extension ACStateChange {
    init(wire: Sensibus_V1_ACStateChange) throws(WireError) {
        self.init(
            isOn: wire.hasOn ? wire.on : nil,
            mode: wire.hasMode ? try ACMode(wire: wire.mode) : nil,
            targetCelsius: wire.hasTargetTemperatureCelsius
                ? try Int8(wireCelsius: wire.targetTemperatureCelsius) : nil,
            fanLevel: wire.hasFanLevel ? try FanLevel(wire: wire.fanLevel) : nil)
    }

    var wire: Sensibus_V1_ACStateChange {
        .with {
            if let isOn { $0.on = isOn }
            if let mode { $0.mode = mode.wire }
            if let targetCelsius { $0.targetTemperatureCelsius = Int32(targetCelsius) }
            if let fanLevel { $0.fanLevel = fanLevel.wire }
        }
    }
}

extension Int8 {
    init(wireCelsius celsius: Int32) throws(WireError) {
        guard let value = Int8(exactly: celsius) else {
            throw .malformed("target_temperature_celsius", "-128 to 127")
        }
        self = value
    }
}
