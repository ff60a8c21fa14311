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

extension Swing: DefaultedWireEnum {
    init(wire number: UInt32) throws(WireError) {
        try self.init(wire: number, field: "swing", expected: "a swing")
    }
}

extension HorizontalSwing: DefaultedWireEnum {
    init(wire number: UInt32) throws(WireError) {
        try self.init(wire: number, field: "horizontal_swing", expected: "a horizontal swing")
    }
}

extension Light: DefaultedWireEnum {
    init(wire number: UInt32) throws(WireError) {
        try self.init(wire: number, field: "light", expected: "a light")
    }
}

extension TemperatureUnit: DefaultedWireEnum {
    init(wire number: UInt32) throws(WireError) {
        try self.init(wire: number, field: "temperature_unit", expected: "a unit of temperature")
    }
}

/// The settings of an air conditioner as they come: fields of a message, or one row of columns.
struct WireSettings {
    var isOn = false
    var mode: UInt32 = 0
    var target: Int32 = 0
    var fanLevel: UInt32 = 0
    var swing: UInt32 = 0
    var horizontalSwing: UInt32 = 0
    var light: UInt32 = 0
    var unit: UInt32 = 0
}

extension ACState: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var settings = WireSettings()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&settings.isOn)
            case 2: try fields.read(&settings.mode)
            case 3: try fields.read(&settings.target)
            case 4: try fields.read(&settings.fanLevel)
            case 5: try fields.read(&settings.swing)
            case 6: try fields.read(&settings.horizontalSwing)
            case 7: try fields.read(&settings.light)
            case 8: try fields.read(&settings.unit)
            default: break
            }
        }
        try self.init(wire: settings)
    }

    /// The state of settings that came.
    init(wire settings: WireSettings) throws(WireError) {
        self.init(
            isOn: settings.isOn, mode: try ACMode(wire: settings.mode),
            targetTemperature: try Int8(wireDegrees: settings.target),
            temperatureUnit: try TemperatureUnit(wire: settings.unit),
            fanLevel: try FanLevel(wire: settings.fanLevel), swing: try Swing(wire: settings.swing),
            horizontalSwing: try HorizontalSwing(wire: settings.horizontalSwing),
            light: try Light(wire: settings.light))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, isOn)
        fields.put(2, mode.wire)
        fields.put(3, targetTemperature)
        fields.put(4, fanLevel.wire)
        fields.put(5, swing.wire)
        fields.put(6, horizontalSwing.wire)
        fields.put(7, light.wire)
        fields.put(8, temperatureUnit.wire)
    }
}

extension ACStateChange: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (isOn, mode, target, fanLevel) = (Bool?.none, UInt32?.none, Int32?.none, UInt32?.none)
        var (swing, horizontalSwing) = (UInt32?.none, UInt32?.none)
        var (light, unit) = (UInt32?.none, UInt32?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&isOn)
            case 2: try fields.read(&mode)
            case 3: try fields.read(&target)
            case 4: try fields.read(&fanLevel)
            case 5: try fields.read(&swing)
            case 6: try fields.read(&horizontalSwing)
            case 7: try fields.read(&light)
            case 8: try fields.read(&unit)
            default: break
            }
        }
        self.init(
            isOn: isOn, mode: try mode.map(ACMode.init(wire:)),
            targetTemperature: try target.map(Int8.init(wireDegrees:)),
            temperatureUnit: try unit.map(TemperatureUnit.init(wire:)),
            fanLevel: try fanLevel.map(FanLevel.init(wire:)), swing: try swing.map(Swing.init(wire:)),
            horizontalSwing: try horizontalSwing.map(HorizontalSwing.init(wire:)),
            light: try light.map(Light.init(wire:)))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, optional: isOn)
        fields.put(2, optional: mode?.wire)
        fields.put(3, optional: targetTemperature)
        fields.put(4, optional: fanLevel?.wire)
        fields.put(5, optional: swing?.wire)
        fields.put(6, optional: horizontalSwing?.wire)
        fields.put(7, optional: light?.wire)
        fields.put(8, optional: temperatureUnit?.wire)
    }
}

extension Int8 {
    init(wireDegrees degrees: Int32) throws(WireError) {
        guard let value = Int8(exactly: degrees) else {
            throw .malformed("target_temperature", "-128 to 127")
        }
        self = value
    }
}
