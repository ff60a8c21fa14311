/// Devices that a request is about: none, or up to ``Limits/faultDevices``.
struct DeviceList {
    let devices: [DeviceID]

    init(wire fields: consuming FieldReader, field name: String) throws(WireError) {
        var devices: [DeviceID] = []
        while let field = try fields.next() {
            if field == 1 { try fields.read(&devices, field: name) }
        }
        self.devices = try Self.checked(devices, field: name)
    }

    static func checked(_ devices: [DeviceID], field name: String) throws(WireError) -> [DeviceID] {
        guard devices.count <= Limits.faultDevices else {
            throw .malformed(name, "at most \(Limits.faultDevices)")
        }
        return devices
    }
}

/// An order to a node about devices: none, or up to ``Limits/faultDevices``.
struct DeviceOrder: WireFields {
    let id: OrderID
    let devices: [DeviceID]

    init(id: OrderID, devices: [DeviceID]) {
        self.id = id
        self.devices = devices
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (bits, devices) = (UInt64(0), [DeviceID]())
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &bits)
            case 2: try fields.read(&devices, field: "order.devices")
            default: break
            }
        }
        self.init(id: OrderID(bits: bits), devices: try DeviceList.checked(devices, field: "order.devices"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fixed: id.bits)
        for device in devices { fields.put(2, device) }
    }
}

/// What a node says when it has carried out an order.
struct OrderDone: WireFields {
    let id: OrderID
    let devices: UInt32

    init(id: OrderID, devices: UInt32) {
        self.id = id
        self.devices = devices
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (bits, devices) = (UInt64(0), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &bits)
            case 2: try fields.read(&devices)
            default: break
            }
        }
        guard devices <= Limits.nodeDevices else {
            throw .malformed("done.devices", "at most \(Limits.nodeDevices)")
        }
        self.init(id: OrderID(bits: bits), devices: devices)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fixed: id.bits)
        fields.put(2, devices)
    }
}

extension OrderReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        self.init()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&devices)
            case 2: try fields.read(&nodes)
            case 3: try fields.read(&silentNodes)
            default: break
            }
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, devices)
        fields.put(2, nodes)
        fields.put(3, silentNodes)
    }
}
