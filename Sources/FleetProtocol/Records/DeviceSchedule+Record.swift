public import FileFraming
import FleetTime

extension ScheduleID: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(bits)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let id = ScheduleID(bits: try reader.take(UInt64.self)) else {
            throw .malformed(field: "schedule's id")
        }
        self = id
    }
}

extension SchedulePlan: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(change)
        writer.put(time.minuteOfDay)
        writer.put(byte: weekdays.rawValue)
        writer.put(zone.text)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let change = try reader.take(ACStateChange.self)
        guard let time = LocalTime(minuteOfDay: try reader.take(UInt16.self)) else {
            throw .malformed(field: "time of day")
        }
        let weekdays = try reader.takeByte()
        guard (1...Weekdays.all.rawValue).contains(weekdays) else { throw .malformed(field: "weekdays") }
        guard let zone = TimeZoneName(try reader.takeText("time zone")) else {
            throw .malformed(field: "time zone")
        }
        self.init(change: change, time: time, weekdays: Weekdays(rawValue: weekdays), zone: zone)
    }
}

extension DeviceSchedule: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(id)
        writer.put(plan)
        writer.put(isEnabled)
        writer.put(createdAt)
        writer.put(due)
        writer.put(calendarDue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(
            id: try reader.take(ScheduleID.self), plan: try reader.take(SchedulePlan.self),
            isEnabled: try reader.takeBool("enabled"), createdAt: try reader.take(WallTime.self),
            due: try reader.take(WallTime.self), calendarDue: try reader.take(WallTime.self))
    }
}
