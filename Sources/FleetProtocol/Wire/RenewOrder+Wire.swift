/// Devices that are to begin new incarnations.
struct RenewOrder: WireFields {
    let devices: [SeenDevice]

    init(devices: [SeenDevice]) {
        self.devices = devices
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var devices: [SeenDevice] = []
        while let field = try fields.next() {
            if field == 1 { try fields.read(&devices) }
        }
        guard (1...Limits.renewedDevices).contains(devices.count) else {
            throw .malformed("renew.devices", "1 to \(Limits.renewedDevices)")
        }
        self.init(devices: devices)
    }

    func write(to fields: inout FieldWriter) {
        for device in devices { fields.put(1, device) }
    }
}

extension SeenDevice: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (device, incarnation, version) = (DeviceID?.none, UInt64(0), UInt64(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(fixed: &incarnation)
            case 3: try fields.read(&version)
            default: break
            }
        }
        guard let device else { throw .malformedDevice() }
        self.init(
            device: device, incarnation: Incarnation(bits: incarnation),
            version: try Version(wire: version, field: "version"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, device)
        fields.put(2, fixed: incarnation.bits)
        fields.put(3, version.value)
    }
}
