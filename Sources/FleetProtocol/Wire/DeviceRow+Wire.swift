extension DeviceRow: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var device: DeviceID?
        var (number, incarnation, epoch, last, version) = (
            UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0)
        )
        var state: FieldReader?
        var (isConnected, cause, settings) = (false, UInt32(0), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(&number)
            case 3: try fields.read(fixed: &incarnation)
            case 4: try fields.read(&epoch)
            case 5: try fields.read(&last)
            case 6: try fields.read(&version)
            case 7: try fields.read(&state)
            case 8: try fields.read(&isConnected)
            case 9: try fields.read(&cause)
            case 10: try fields.read(&settings)
            default: break
            }
        }
        guard let state else { throw .missing("row.state") }
        guard let device else { throw .malformedDevice() }
        self.init(
            device: device, number: try ChangeNumber(wire: number, field: "number"),
            reported: DeviceState(
                state: try ACState(wire: state), version: try Version(wire: version, field: "version"),
                incarnation: Incarnation(bits: incarnation)),
            epoch: try Epoch(wire: epoch, field: "epoch"),
            lastSequence: try CommandSequence(wire: last, field: "last_seq"), isConnected: isConnected,
            cause: try ChangeCause(wire: cause), settings: try settings.map(DeviceSettings.init(wire:)))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, device)
        fields.put(2, number.value)
        fields.put(3, fixed: reported.incarnation.bits)
        fields.put(4, epoch.value)
        fields.put(5, lastSequence.value)
        fields.put(6, reported.version.value)
        fields.put(7, reported.state)
        fields.put(8, isConnected)
        fields.put(9, cause.wire)
        if let settings { fields.put(10, settings) }
    }
}
