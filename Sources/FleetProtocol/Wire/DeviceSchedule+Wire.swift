import Stepping

extension ScheduleID {
    init(wire text: String) throws(WireError) {
        guard let id = ScheduleID(text) else {
            throw .malformed("schedule.id", "\(DeviceID.length) letters or digits")
        }
        self = id
    }
}

extension SchedulePlan: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (change, minute, weekdays, zone) = (FieldReader?.none, UInt32(0), UInt32(0), "")
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&change)
            case 2: try fields.read(&minute)
            case 3: try fields.read(&weekdays)
            case 4: try fields.read(&zone)
            default: break
            }
        }
        guard let change else { throw .missing("schedule.change") }
        let wanted = try ACStateChange(wire: change)
        guard !wanted.isEmpty else { throw .malformed("schedule.change", "at least one setting") }
        guard let time = LocalTime(minuteOfDay: minute) else {
            throw .malformed("schedule.minute_of_day", "0 to \(LocalTime.minutesOfDay.upperBound)")
        }
        guard let days = UInt8(exactly: weekdays), (1...Weekdays.all.rawValue).contains(days) else {
            throw .malformed("schedule.weekdays", "1 to \(Weekdays.all.rawValue), a bit for each day")
        }
        guard let place = TimeZoneName(zone) else {
            throw .malformed(
                "schedule.time_zone",
                "1 to \(Limits.timeZoneBytes) characters of [A-Za-z0-9_+/-], the first a letter")
        }
        self.init(change: wanted, time: time, weekdays: Weekdays(rawValue: days), zone: place)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, change)
        fields.put(2, time.minuteOfDay)
        fields.put(3, weekdays.rawValue)
        fields.put(4, zone.text)
    }
}

extension DeviceSchedule: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (id, plan, isEnabled) = ("", FieldReader?.none, false)
        var (created, due, calendarDue) = (Int64(0), Int64(0), Int64(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&plan)
            case 3: try fields.read(&isEnabled)
            case 4: try fields.read(&created)
            case 5: try fields.read(&due)
            case 6: try fields.read(&calendarDue)
            default: break
            }
        }
        guard let plan else { throw .missing("schedule.plan") }
        self.init(
            id: try ScheduleID(wire: id), plan: try SchedulePlan(wire: plan), isEnabled: isEnabled,
            createdAt: WallTime(wireMilliseconds: created), due: WallTime(wireMilliseconds: due),
            calendarDue: WallTime(wireMilliseconds: calendarDue))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id.characters)
        fields.put(2, plan)
        fields.put(3, isEnabled)
        fields.put(4, createdAt.unixMilliseconds)
        fields.put(5, due.unixMilliseconds)
        fields.put(6, calendarDue.unixMilliseconds)
    }

    /// What one takes of a message's bytes at most: its id 10, a plan with the 19 of a change 60, whether it
    /// is enabled 2, three times 33, and 2 around them.
    static let bytesAtMost = 107
}
