public import Records
import Stepping

extension DeviceSettings: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(climateReact)
        writer.put(timer)
        writer.put(filter)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init()
        climateReact = try reader.takeOptional(ClimateReact.self, "climate react")
        timer = try reader.takeOptional(DeviceTimer.self, "timer")
        filter = try reader.takeOptional(FilterStatus.self, "filter")
    }
}

extension ClimateReact: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(isEnabled)
        writer.put(byte: measure.rawValue)
        writer.put(low)
        writer.put(high)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let isEnabled = try reader.takeBool("enabled")
        guard let measure = Measure(rawValue: try reader.takeByte()) else {
            throw .malformed(field: "measure")
        }
        self.init(
            isEnabled: isEnabled, measure: measure, low: try reader.takeOptional(Side.self, "low side"),
            high: try reader.takeOptional(Side.self, "high side"))
    }
}

extension ClimateReact.Side: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(tenths)
        writer.put(change)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(tenths: try reader.take(Int16.self), change: try reader.take(ACStateChange.self))
    }
}

extension DeviceTimer: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(change)
        writer.put(due)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(change: try reader.take(ACStateChange.self), due: try reader.take(WallTime.self))
    }
}

extension FilterStatus: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(cleanedAt)
        writer.put(thresholdSeconds)
        writer.put(notedSeconds.bitPattern)
        writer.put(notedAt)
        writer.put(secondsPerSecond.bitPattern)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(
            cleanedAt: try reader.takeOptional(WallTime.self, "time of cleaning"),
            thresholdSeconds: try reader.take(UInt32.self),
            notedSeconds: Double(bitPattern: try reader.take(UInt64.self)),
            notedAt: try reader.take(WallTime.self),
            secondsPerSecond: Double(bitPattern: try reader.take(UInt64.self)))
    }
}
