extension ClimateReact.Measure: DefaultedWireEnum {
    init(wire number: UInt32) throws(WireError) {
        try self.init(wire: number, field: "measure", expected: "temperature, humidity or how warm it feels")
    }
}

extension ClimateReact: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (isEnabled, measure) = (false, UInt32(0))
        var (low, high) = (FieldReader?.none, FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&isEnabled)
            case 2: try fields.read(&measure)
            case 3: try fields.read(&low)
            case 4: try fields.read(&high)
            default: break
            }
        }
        self.init(
            isEnabled: isEnabled, measure: try Measure(wire: measure), low: try low.map(Side.init(wire:)),
            high: try high.map(Side.init(wire:)))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, isEnabled)
        fields.put(2, measure.wire)
        if let low { fields.put(3, low) }
        if let high { fields.put(4, high) }
    }
}

extension ClimateReact.Side: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (threshold, change) = (Int32(0), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&threshold)
            case 2: try fields.read(&change)
            default: break
            }
        }
        guard let tenths = Int16(exactly: threshold) else {
            throw .malformed("threshold", "-32768 to 32767 tenths")
        }
        guard let change else { throw .missing("climate_react.change") }
        self.init(tenths: tenths, change: try ACStateChange(wire: change))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, tenths)
        fields.put(2, change)
    }
}
