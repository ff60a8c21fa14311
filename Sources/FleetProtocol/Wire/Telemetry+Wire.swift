extension Telemetry: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        var fields = try FieldReader(message: bytes)
        var (version, bootID, rows) = (UInt32(0), UInt64(0), [DeviceRow]())
        var measured: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            case 2: try fields.read(fixed: &bootID)
            case 3: try fields.read(&rows)
            case 4: try fields.read(&measured)
            default: break
            }
        }
        try WireError.check(version: version)
        self.init(
            bootID: BootID(bits: bootID), rows: rows,
            measured: try measured.map(MeasuredDevices.init(wire:))?.devices ?? [])
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, fixed: bootID.bits)
            for row in rows { fields.put(3, row) }
            if !measured.isEmpty { fields.put(4, MeasuredDevices(measured)) }
        }
    }
}
