extension DeviceSettings: Recordable {
    /// What there is beyond a timer and a filter, by the bits of the first byte. Before there were schedules
    /// it was 0 or 1, and so it still is where there are none.
    private enum Mark {
        static let climateReact: UInt8 = 0x01
        /// They follow at the end, behind their number in one byte.
        static let schedules: UInt8 = 0x02
        static let calibration: UInt8 = 0x04
        static let pureBoost: UInt8 = 0x08
        /// When the timer was set; it follows pure boost.
        static let timerCreated: UInt8 = 0x10
        static let known = climateReact | schedules | calibration | pureBoost | timerCreated
    }

    public func write(to writer: inout RecordWriter) {
        writer.put(
            byte: (climateReact == nil ? 0 : Mark.climateReact) | (schedules.isEmpty ? 0 : Mark.schedules)
                | (calibration == nil ? 0 : Mark.calibration) | (pureBoost == nil ? 0 : Mark.pureBoost)
                | (timer?.createdAt == nil ? 0 : Mark.timerCreated))
        if let climateReact { writer.put(climateReact) }
        writer.put(timer)
        writer.put(filter)
        if !schedules.isEmpty {
            writer.put(byte: UInt8(schedules.count))
            for schedule in schedules { writer.put(schedule) }
        }
        if let calibration { writer.put(calibration) }
        if let pureBoost { writer.put(pureBoost) }
        if let created = timer?.createdAt { writer.put(created) }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init()
        let mark = try reader.readByte()
        guard mark & ~Mark.known == 0 else { throw .malformed(field: "settings") }
        if mark & Mark.climateReact != 0 { climateReact = try reader.read(ClimateReact.self) }
        timer = try reader.readOptional(DeviceTimer.self, "timer")
        filter = try reader.readOptional(FilterStatus.self, "filter")
        if mark & Mark.schedules != 0 { schedules = try Self.readSchedules(from: &reader) }
        if mark & Mark.calibration != 0 { calibration = try reader.read(SensorCalibration.self) }
        if mark & Mark.pureBoost != 0 { pureBoost = try reader.read(PureBoost.self) }
        guard mark & Mark.timerCreated != 0 else { return }
        guard let timer else { throw .malformed(field: "timer") }
        self.timer = DeviceTimer(
            change: timer.change, due: timer.due, createdAt: try reader.read(WallTime.self))
    }

    private static func readSchedules(
        from reader: inout RecordReader
    ) throws(RecordError) -> [DeviceSchedule] {
        let count = Int(try reader.readByte())
        guard (1...Limits.deviceSchedules).contains(count) else { throw .malformed(field: "schedules") }
        var schedules: [DeviceSchedule] = []
        for _ in 0..<count { schedules.append(try reader.read(DeviceSchedule.self)) }
        return schedules
    }
}

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
