import FleetProtocol
import Testing

@Suite("Values of schedules")
struct ScheduleValueTests {
    @Test(
        "the text of a parsed time of day equals the input",
        arguments: [("00:00", 0), ("08:30", 510), ("22:15", 1_335), ("23:59", 1_439)])
    func time(text: String, minute: Int) throws {
        let time = try #require(LocalTime(text))
        #expect(time.minuteOfDay == minute)
        #expect(time.description == text)
        #expect(LocalTime(minuteOfDay: minute) == time)
    }

    @Test(
        "an invalid time of day is refused",
        arguments: ["", ":", "8:30", "24:00", "12:60", "12:30:00", "+8:30", "12:3\u{0665}", "12-30", "-1:30"])
    func noTime(text: String) {
        #expect(LocalTime(text) == nil)
    }

    @Test("a day has 1,440 minutes", arguments: [-1, 1_440, Int.max])
    func noMinute(minute: Int) {
        #expect(LocalTime(minuteOfDay: minute) == nil)
    }

    @Test(
        "days since 1970 have their day of the week",
        arguments: [
            (Int64(0), Weekday.thursday), (-1, .wednesday), (-4, .sunday), (3, .sunday), (4, .monday),
            (20_541, .sunday), (-20_541, .monday),
        ])
    func weekday(days: Int64, weekday: Weekday) {
        #expect(Weekday(daysSince1970: days) == weekday)
    }

    @Test("a set of weekdays has the inserted days, in the order of the week")
    func weekdays() {
        let days = Weekdays([.sunday, .monday, .sunday])
        #expect(days.days == [.monday, .sunday])
        #expect(days.rawValue == 65)
        #expect(Weekdays.working.days == [.monday, .tuesday, .wednesday, .thursday, .friday])
        #expect(Weekdays.all.rawValue == 127)
        #expect(Weekdays(rawValue: 128).days.isEmpty)
    }

    @Test(
        "a time zone's name is safe to pass on",
        arguments: [
            ("Europe/Oslo", true), ("UTC", true), ("Etc/GMT+12", true),
            ("America/Argentina/ComodRivadavia", true), ("America/Port-au-Prince", true), ("", false),
            ("/etc/passwd", false), ("../UTC", false), ("Europe/Os lo", false), ("Europe/Ålesund", false),
            ("A23456789012345678901234567890123", false), (":UTC", false), ("1/2", false),
        ])
    func zone(text: String, isName: Bool) {
        #expect((TimeZoneName(text)?.text == text) == isName)
    }

    @Test("a schedule's ID has eight letters or digits, even if made from random bits")
    func id() throws {
        #expect(try #require(ScheduleID("k3Rx9QaB")).description == "k3Rx9QaB")
        #expect(ScheduleID("k3Rx9Qa") == nil)
        #expect(ScheduleID("k3Rx9Qa-") == nil)
        let ids = (0..<1_000 as Range<UInt64>).map { ScheduleID(randomBits: $0 &* 0x9e37_79b9_7f4a_7c15) }
        #expect(Set(ids).count == 1_000)
        #expect(ids.allSatisfy { ScheduleID($0.description) == $0 && ScheduleID(bits: $0.bits) == $0 })
    }
}
