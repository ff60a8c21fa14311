/// What devices have reported, as columns.
struct ReportedDevices: WireFields {
    let devices: [ReportedDevice]

    init(_ devices: [ReportedDevice]) {
        self.devices = devices
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (ids, incarnations, versions) = ([DeviceID](), [UInt64](), [UInt64]())
        var states = StateColumns()
        var causes: [UInt32] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&ids, field: "device")
            case 2: try fields.read(fixed: &incarnations)
            case 3: try fields.read(&versions)
            case 4...11: try states.read(field - 4, of: &fields)
            case 12: try fields.read(&causes)
            default: break
            }
        }
        guard incarnations.count == ids.count, versions.count == ids.count, states.areOfLength(ids.count),
            causes.isEmpty || causes.count == ids.count
        else { throw .malformed("reports", "columns of one length") }
        guard ids.count <= Limits.updateDevices else {
            throw .malformed("reports", "at most \(Limits.updateDevices)")
        }
        var devices: [ReportedDevice] = []
        devices.reserveCapacity(ids.count)
        for index in ids.indices {
            let state = DeviceState(
                state: try states.state(at: index),
                version: try Version(wire: versions[index], field: "version"),
                incarnation: Incarnation(bits: incarnations[index]))
            let cause = try ChangeCause(wire: causes.isEmpty ? 0 : causes[index])
            devices.append(ReportedDevice(device: ids[index], state: state, cause: cause))
        }
        self.init(devices)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, devices: devices.count) { devices[$0].device }
        fields.put(2, fixedColumn: devices.count) { devices[$0].state.incarnation.bits }
        fields.put(3, column: devices.count) { devices[$0].state.version.value }
        StateColumns.write(devices.count, from: 4, to: &fields) { devices[$0].state.state }
        guard devices.contains(where: { $0.cause != .request }) else { return }
        fields.put(12, column: devices.count) { devices[$0].cause.wire }
    }
}
