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
    let remark: OrderRemark?

    init(id: OrderID, devices: UInt32, remark: OrderRemark?) {
        self.id = id
        self.devices = devices
        self.remark = remark
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (bits, devices, remark) = (UInt64(0), UInt32(0), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &bits)
            case 2: try fields.read(&devices)
            case 3: try fields.read(&remark)
            default: break
            }
        }
        guard devices <= Limits.nodeDevices else {
            throw .malformed("done.devices", "at most \(Limits.nodeDevices)")
        }
        self.init(
            id: OrderID(bits: bits), devices: devices,
            remark: remark == 0
                ? nil : try OrderRemark(wire: remark, field: "done.remark", expected: "a remark"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fixed: id.bits)
        fields.put(2, devices)
        fields.put(3, remark?.wire ?? 0)
    }
}

extension OrderRemark: WireEnum {}

/// An order to go on with another scenario.
struct ScenarioOrder: WireFields {
    let id: OrderID
    let scenario: String

    init(id: OrderID, scenario: String) {
        self.id = id
        self.scenario = scenario
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (bits, scenario) = (UInt64(0), "")
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(fixed: &bits)
            case 2: try fields.read(&scenario)
            default: break
            }
        }
        self.init(id: OrderID(bits: bits), scenario: try Self.checked(scenario))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fixed: id.bits)
        fields.put(2, scenario)
    }

    /// What chooses a scenario, unless it is nothing or too long.
    static func checked(_ scenario: String) throws(WireError) -> String {
        guard (1...Limits.scenarioBytes).contains(scenario.utf8.count) else {
            throw .malformed("scenario", "1 to \(Limits.scenarioBytes) bytes")
        }
        return scenario
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
            case 4: try fields.read(&refusingNodes)
            case 5: try fields.read(&keptPopulations)
            default: break
            }
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, devices)
        fields.put(2, nodes)
        fields.put(3, silentNodes)
        fields.put(4, refusingNodes)
        fields.put(5, keptPopulations)
    }
}
