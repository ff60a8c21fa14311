public import FileFraming

/// Four bytes for an air conditioner whose flaps, vanes, display and unit are as it was built, and eight for
/// others. Files that are older than those settings have only the four.
extension ACState: Recordable {
    /// What the first byte says.
    private enum Mark {
        static let isOn: UInt8 = 1
        /// Four more bytes follow.
        static let isLong: UInt8 = 2
        static let all: UInt8 = 3
    }

    /// Whether what came later to a state is as it was built.
    private var isShort: Bool {
        swing == .stopped && horizontalSwing == .stopped && light == .on && temperatureUnit == .celsius
    }

    public func write(to writer: inout RecordWriter) {
        writer.put(byte: (isOn ? Mark.isOn : 0) | (isShort ? 0 : Mark.isLong))
        writer.put(mode.rawValue)
        writer.put(targetTemperature)
        writer.put(fanLevel.rawValue)
        guard !isShort else { return }
        writer.put(swing.rawValue)
        writer.put(horizontalSwing.rawValue)
        writer.put(light.rawValue)
        writer.put(temperatureUnit.rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let mark = try reader.takeByte()
        guard mark <= Mark.all else { throw .malformed(field: "on") }
        self.init(
            isOn: mark & Mark.isOn != 0, mode: try reader.take("mode"),
            targetTemperature: try reader.take(Int8.self), fanLevel: try reader.take("fan level"))
        guard mark & Mark.isLong != 0 else { return }
        swing = try reader.take("swing")
        horizontalSwing = try reader.take("horizontal swing")
        light = try reader.take("light")
        temperatureUnit = try reader.take("unit of temperature")
    }
}

extension RecordReader {
    /// Takes a setting: the byte of one of its cases.
    fileprivate mutating func take<Setting: RawRepresentable<UInt8>>(
        _ field: String
    ) throws(RecordError) -> Setting {
        guard let value = Setting(rawValue: try takeByte()) else { throw .malformed(field: field) }
        return value
    }
}

extension ACStateChange: Recordable {
    /// Which settings are there, a bit each.
    private enum Field {
        static let isOn: UInt8 = 1
        static let mode: UInt8 = 2
        static let targetTemperature: UInt8 = 4
        static let fanLevel: UInt8 = 8
        static let swing: UInt8 = 16
        static let horizontalSwing: UInt8 = 32
        static let light: UInt8 = 64
        static let temperatureUnit: UInt8 = 128
    }

    public func write(to writer: inout RecordWriter) {
        var fields: UInt8 = 0
        if isOn != nil { fields |= Field.isOn }
        if mode != nil { fields |= Field.mode }
        if targetTemperature != nil { fields |= Field.targetTemperature }
        if fanLevel != nil { fields |= Field.fanLevel }
        if swing != nil { fields |= Field.swing }
        if horizontalSwing != nil { fields |= Field.horizontalSwing }
        if light != nil { fields |= Field.light }
        if temperatureUnit != nil { fields |= Field.temperatureUnit }
        writer.put(fields)
        if let isOn { writer.put(isOn) }
        if let mode { writer.put(mode.rawValue) }
        if let targetTemperature { writer.put(targetTemperature) }
        if let fanLevel { writer.put(fanLevel.rawValue) }
        if let swing { writer.put(swing.rawValue) }
        if let horizontalSwing { writer.put(horizontalSwing.rawValue) }
        if let light { writer.put(light.rawValue) }
        if let temperatureUnit { writer.put(temperatureUnit.rawValue) }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init()
        let fields = try reader.takeByte()
        if fields & Field.isOn != 0 { isOn = try reader.takeBool("on") }
        if fields & Field.mode != 0 { mode = try reader.take("mode") }
        if fields & Field.targetTemperature != 0 { targetTemperature = try reader.take(Int8.self) }
        if fields & Field.fanLevel != 0 { fanLevel = try reader.take("fan level") }
        if fields & Field.swing != 0 { swing = try reader.take("swing") }
        if fields & Field.horizontalSwing != 0 { horizontalSwing = try reader.take("horizontal swing") }
        if fields & Field.light != 0 { light = try reader.take("light") }
        if fields & Field.temperatureUnit != 0 { temperatureUnit = try reader.take("unit of temperature") }
    }
}

extension DeviceState: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(state)
        writer.put(version)
        writer.put(incarnation)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(
            state: try reader.take(ACState.self), version: try reader.take(Version.self),
            incarnation: try reader.take(Incarnation.self))
    }
}
