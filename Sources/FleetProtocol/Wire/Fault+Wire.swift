import Stepping

extension Fault {
    init(wire: Sensibus_V1_FaultKind) throws(WireError) {
        switch wire {
        case .offline: self = .offline
        case .hang: self = .hang
        case .flip: self = .flip
        case .reset: self = .reset
        case .unspecified, .UNRECOGNIZED: throw .malformed("fault", "a fault")
        }
    }

    var wire: Sensibus_V1_FaultKind {
        switch self {
        case .offline: .offline
        case .hang: .hang
        case .flip: .flip
        case .reset: .reset
        }
    }

    /// The devices that an order names, at most ``Limits/faultDevices``.
    static func devices(wire texts: [String]) throws(WireError) -> [DeviceID] {
        guard (1...Limits.faultDevices).contains(texts.count) else {
            throw .malformed("devices", "1 to \(Limits.faultDevices)")
        }
        var devices: [DeviceID] = []
        devices.reserveCapacity(texts.count)
        for text in texts { devices.append(try DeviceID(wire: text, field: "devices")) }
        return devices
    }

    /// How long an order says that it lasts, at most ``Limits/longestFault``.
    static func duration(wireMilliseconds milliseconds: UInt32) throws(WireError) -> Duration {
        let duration = Duration.milliseconds(Int64(milliseconds))
        guard duration <= Limits.longestFault else { throw .malformed("duration_ms", "at most a day") }
        return duration
    }
}
