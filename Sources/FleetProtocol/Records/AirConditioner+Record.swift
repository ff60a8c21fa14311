public import Records

extension ACState: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(isOn)
        writer.put(mode.rawValue)
        writer.put(targetCelsius)
        writer.put(fanLevel.rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let isOn = try reader.takeBool("on")
        guard let mode = ACMode(rawValue: try reader.takeByte()) else { throw .malformed(field: "mode") }
        let targetCelsius = try reader.take(Int8.self)
        guard let fanLevel = FanLevel(rawValue: try reader.takeByte()) else {
            throw .malformed(field: "fan level")
        }
        self.init(isOn: isOn, mode: mode, targetCelsius: targetCelsius, fanLevel: fanLevel)
    }
}

extension ACStateChange: Recordable {
    /// Which settings are there, a bit each.
    private enum Field {
        static let isOn: UInt8 = 1
        static let mode: UInt8 = 2
        static let targetCelsius: UInt8 = 4
        static let fanLevel: UInt8 = 8
        static let all: UInt8 = 15
    }

    public func write(to writer: inout RecordWriter) {
        var fields: UInt8 = 0
        if isOn != nil { fields |= Field.isOn }
        if mode != nil { fields |= Field.mode }
        if targetCelsius != nil { fields |= Field.targetCelsius }
        if fanLevel != nil { fields |= Field.fanLevel }
        writer.put(fields)
        if let isOn { writer.put(isOn) }
        if let mode { writer.put(mode.rawValue) }
        if let targetCelsius { writer.put(targetCelsius) }
        if let fanLevel { writer.put(fanLevel.rawValue) }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init()
        let fields = try reader.takeByte()
        guard fields <= Field.all else { throw .malformed(field: "settings") }
        if fields & Field.isOn != 0 { isOn = try reader.takeBool("on") }
        if fields & Field.mode != 0 {
            guard let mode = ACMode(rawValue: try reader.takeByte()) else { throw .malformed(field: "mode") }
            self.mode = mode
        }
        if fields & Field.targetCelsius != 0 { targetCelsius = try reader.take(Int8.self) }
        if fields & Field.fanLevel != 0 {
            guard let level = FanLevel(rawValue: try reader.takeByte()) else {
                throw .malformed(field: "fan level")
            }
            fanLevel = level
        }
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
