/// Measured devices as columns: their ids, and what their pods measured.
struct MeasuredDevices: WireFields {
    let devices: [MeasuredDevice]

    init(_ devices: [MeasuredDevice]) {
        self.devices = devices
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var ids: [DeviceID] = []
        var columns = MeasurementColumns()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&ids, field: "device")
            case 2...5: try columns.read(field - 2, of: &fields)
            default: break
            }
        }
        guard columns.areOfLength(ids.count) else { throw .malformed("measured", "columns of one length") }
        guard ids.count <= Limits.chunkRows else {
            throw .malformed("measured", "at most \(Limits.chunkRows)")
        }
        var devices: [MeasuredDevice] = []
        devices.reserveCapacity(ids.count)
        for (index, id) in ids.enumerated() {
            guard let measurements = try columns.measurements(at: index) else {
                throw .malformed("measured", "measurements of each device")
            }
            devices.append(MeasuredDevice(device: id, measurements: measurements))
        }
        self.init(devices)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, devices: devices.count) { devices[$0].device }
        MeasurementColumns.write(devices.count, from: 2, to: &fields) { devices[$0].measurements }
    }
}
