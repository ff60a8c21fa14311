extension ACMode: WireEnum {
    init(wire number: UInt32) throws(WireError) {
        try self.init(wire: number, field: "mode", expected: "a mode")
    }
}

extension FanLevel: WireEnum {
    init(wire number: UInt32) throws(WireError) {
        try self.init(wire: number, field: "fan_level", expected: "a fan level")
    }
}

extension ACState: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (isOn, mode, celsius, fanLevel) = (false, UInt32(0), Int32(0), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&isOn)
            case 2: try fields.read(&mode)
            case 3: try fields.read(&celsius)
            case 4: try fields.read(&fanLevel)
            default: break
            }
        }
        try self.init(isOn: isOn, wireMode: mode, wireCelsius: celsius, wireFanLevel: fanLevel)
    }

    /// The state of settings that came as columns of rows or as fields.
    init(isOn: Bool, wireMode: UInt32, wireCelsius: Int32, wireFanLevel: UInt32) throws(WireError) {
        self.init(
            isOn: isOn, mode: try ACMode(wire: wireMode), targetCelsius: try Int8(wireCelsius: wireCelsius),
            fanLevel: try FanLevel(wire: wireFanLevel))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, isOn)
        fields.put(2, mode.wire)
        fields.put(3, targetCelsius)
        fields.put(4, fanLevel.wire)
    }
}

extension ACStateChange: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (isOn, mode, celsius, fanLevel) = (Bool?.none, UInt32?.none, Int32?.none, UInt32?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&isOn)
            case 2: try fields.read(&mode)
            case 3: try fields.read(&celsius)
            case 4: try fields.read(&fanLevel)
            default: break
            }
        }
        self.init(
            isOn: isOn, mode: try mode.map(ACMode.init(wire:)),
            targetCelsius: try celsius.map(Int8.init(wireCelsius:)),
            fanLevel: try fanLevel.map(FanLevel.init(wire:)))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, optional: isOn)
        fields.put(2, optional: mode?.wire)
        fields.put(3, optional: targetCelsius)
        fields.put(4, optional: fanLevel?.wire)
    }
}

extension Int8 {
    init(wireCelsius celsius: Int32) throws(WireError) {
        guard let value = Int8(exactly: celsius) else {
            throw .malformed("target_temperature_celsius", "-128 to 127")
        }
        self = value
    }
}
