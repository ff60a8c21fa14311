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
        writer.put(mode)
        writer.put(targetTemperature)
        writer.put(fanLevel)
        guard !isShort else { return }
        writer.put(swing)
        writer.put(horizontalSwing)
        writer.put(light)
        writer.put(temperatureUnit)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let mark = try reader.readByte()
        guard mark <= Mark.all else { throw .malformed(field: "on") }
        self.init(
            isOn: mark & Mark.isOn != 0, mode: try reader.read(ACMode.self),
            targetTemperature: try reader.read(Int8.self), fanLevel: try reader.read(FanLevel.self))
        guard mark & Mark.isLong != 0 else { return }
        swing = try reader.read(Swing.self)
        horizontalSwing = try reader.read(HorizontalSwing.self)
        light = try reader.read(Light.self)
        temperatureUnit = try reader.read(TemperatureUnit.self)
    }
}
