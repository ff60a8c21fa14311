import Stepping

extension Fault: WireEnum {
    init(wire number: UInt32) throws(WireError) {
        try self.init(wire: number, field: "fault", expected: "a fault")
    }

    /// The devices that an order names: at least one, and no more than ``Limits/faultDevices``.
    static func checked(devices: [DeviceID]) throws(WireError) -> [DeviceID] {
        guard (1...Limits.faultDevices).contains(devices.count) else {
            throw .malformed("devices", "1 to \(Limits.faultDevices)")
        }
        return devices
    }

    /// How long an order says that it lasts, at most ``Limits/longestFault``.
    static func duration(wireMilliseconds milliseconds: UInt32) throws(WireError) -> Duration {
        let duration = Duration.milliseconds(Int64(milliseconds))
        guard duration <= Limits.longestFault else { throw .malformed("duration_ms", "at most a day") }
        return duration
    }

    /// How much later an order says that devices carry out commands, at most ``Limits/longestDelay``.
    static func delay(wireMilliseconds milliseconds: UInt32) throws(WireError) -> Duration {
        let delay = Duration.milliseconds(Int64(milliseconds))
        guard delay <= Limits.longestDelay else { throw .malformed("delay_ms", "at most 30 s") }
        return delay
    }
}

/// What a fault is asked for or ordered with; both say it in the same fields.
struct FaultOrder: WireFields {
    let fault: Fault
    let devices: [DeviceID]
    let duration: Duration
    let delay: Duration

    init(_ fault: Fault, _ devices: [DeviceID], _ duration: Duration, _ delay: Duration) {
        self.fault = fault
        self.devices = devices
        self.duration = duration
        self.delay = delay
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (fault, devices, milliseconds, delay) = (UInt32(0), [DeviceID](), UInt32(0), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&fault)
            case 2: try fields.read(&devices, field: "devices")
            case 3: try fields.read(&milliseconds)
            case 4: try fields.read(&delay)
            default: break
            }
        }
        self.init(
            try Fault(wire: fault), try Fault.checked(devices: devices),
            try Fault.duration(wireMilliseconds: milliseconds), try Fault.delay(wireMilliseconds: delay))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fault.wire)
        for device in devices { fields.put(2, device) }
        fields.put(3, UInt32(clamping: duration.wholeMilliseconds))
        fields.put(4, UInt32(clamping: delay.wholeMilliseconds))
    }
}
