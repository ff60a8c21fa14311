public import FileFraming

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
        case .schedule(let id, let plan):
            writer.put(byte: 7)
            writer.put(id)
            writer.put(plan)
        case .scheduleEnabled(let id, let isEnabled):
            writer.put(byte: 8)
            writer.put(id)
            writer.put(isEnabled)
        case .noSchedule(let id):
            writer.put(byte: 9)
            writer.put(id)
        case .calibration(let deciCelsius, let humidityPermille):
            writer.put(byte: 10)
            for added in [deciCelsius, humidityPermille] {
                writer.put(added != nil)
                writer.put(added ?? 0)
            }
        case .pureBoost(let wanted):
            writer.put(byte: 11)
            writer.put(wanted)
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
        case 7: self = .schedule(try reader.take(ScheduleID.self), try reader.take(SchedulePlan.self))
        case 8:
            self = .scheduleEnabled(try reader.take(ScheduleID.self), try reader.takeBool("enabled"))
        case 9: self = .noSchedule(try reader.take(ScheduleID.self))
        case 10:
            var added: [Int16?] = []
            for _ in 0..<2 {
                let isThere = try reader.takeBool("calibration")
                let tenths = try reader.take(Int16.self)
                added.append(isThere ? tenths : nil)
            }
            self = .calibration(deciCelsius: added[0], humidityPermille: added[1])
        case 11: self = .pureBoost(try reader.take(PureBoost.self))
        default: throw .malformed(field: "setting")
        }
    }
}
