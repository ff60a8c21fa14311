public import Records

extension SettingChange: Recordable {
    public func write(to writer: inout RecordWriter) {
        switch self {
        case .climateReact(let wanted):
            writer.put(byte: 1)
            writer.put(wanted)
        case .climateReactEnabled(let isEnabled):
            writer.put(byte: 2)
            writer.put(isEnabled)
        case .timer(let change, let seconds):
            writer.put(byte: 3)
            writer.put(change)
            writer.put(seconds)
        case .noTimer: writer.put(byte: 4)
        case .filterCleaned: writer.put(byte: 5)
        case .filterThreshold(let seconds):
            writer.put(byte: 6)
            writer.put(seconds)
        }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.takeByte() {
        case 1: self = .climateReact(try reader.take(ClimateReact.self))
        case 2: self = .climateReactEnabled(try reader.takeBool("enabled"))
        case 3:
            self = .timer(try reader.take(ACStateChange.self), afterSeconds: try reader.take(UInt32.self))
        case 4: self = .noTimer
        case 5: self = .filterCleaned
        case 6: self = .filterThreshold(seconds: try reader.take(UInt32.self))
        default: throw .malformed(field: "setting")
        }
    }
}
