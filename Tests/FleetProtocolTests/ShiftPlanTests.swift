import FleetProtocol
import Testing

@Suite("ShiftPlan")
struct ShiftPlanTests {
    /// Parses shifts such as `Kari 10-20`, in seconds after a fixed hour.
    private static func plan(_ words: String...) throws -> ShiftPlan {
        ShiftPlan(
            try words.map { words in
                let parts = words.split { " -".contains($0) }
                let times = try parts.dropFirst().map { time(try #require(Int64($0))) }
                let who = String(parts[0])
                return try Shift(who: who, email: Email(who), from: times[0], to: times[1])
            })
    }

    private static func time(_ seconds: Int64) -> WallTime {
        WallTime(unixMilliseconds: 1_800_000_000_000 + seconds * 1_000)
    }

    private static func seconds(_ time: WallTime?) -> Int64? {
        time.map { ($0.unixMilliseconds - 1_800_000_000_000) / 1_000 }
    }

    private static func text(_ spans: [ShiftPlan.Span]) -> [String] {
        spans.map { "\(seconds($0.from) ?? -1)-\(seconds($0.to) ?? -1)" }
    }

    @Test(
        "a person is on duty from the beginning of a shift until before its end",
        arguments: [
            (9, []), (10, ["Kari"]), (19, ["Kari"]), (20, ["Ola"]), (29, ["Ola"]), (30, ["Ola", "Per"]),
            (39, ["Ola", "Per"]), (40, ["Per"]), (50, []), (60, ["Kari"]), (70, []),
        ] as [(Int64, [String])])
    func onDuty(second: Int64, people: [String]) throws {
        let plan = try Self.plan("Per 30-50", "Kari 10-20", "Kari 60-70", "Ola 20-40")
        #expect(plan.onDuty(at: Self.time(second)).map(\.who) == people)
    }

    @Test("a person with overlapping shifts is listed once, with the one that ends last")
    func same() throws {
        let plan = try Self.plan("Kari 10-20", "Kari 12-40", "Kari 12-40", "Kari 15-18", "Ola 5-16")
        #expect(plan.onDuty(at: Self.time(15)).map(\.who) == ["Ola", "Kari"])
        #expect(plan.onDuty(at: Self.time(15)).map { Self.seconds($0.to) } == [16, 40])
        #expect(plan.overlaps.count == 1)
    }

    @Test("two names with one email are one person, and a name without an email is another")
    func persons() throws {
        let email = try #require(Email("kari@example.com"))
        let (from, to) = (Self.time(0), Self.time(10))
        let shifts = [
            try Shift(who: "Kari", email: email, from: from, to: to),
            try Shift(who: "K. Nordmann", email: email, from: from, to: Self.time(20)),
            try Shift(who: "Kari", from: from, to: to),
        ]
        #expect(ShiftPlan(shifts).onDuty(at: from).map(\.who) == ["Kari", "K. Nordmann"])
    }

    @Test(
        "a plan has the time of its next change, and the time from which a person is on duty",
        arguments: [
            (0, 10, 10), (10, 20, 10), (20, 30, 30), (25, 30, 30), (30, 35, 30), (35, 40, 35), (40, nil, nil),
            (99, nil, nil),
        ] as [(Int64, Int64?, Int64?)])
    func changes(second: Int64, next: Int64?, duty: Int64?) throws {
        let plan = try Self.plan("Kari 10-20", "Ola 30-40", "Per 35-40")
        #expect(Self.seconds(plan.nextChange(after: Self.time(second))) == next)
        #expect(Self.seconds(plan.nextDuty(from: Self.time(second))) == duty)
    }

    @Test("a plan reports the gaps and the overlaps of its shifts")
    func spans() throws {
        let plan = try Self.plan(
            "Kari 0-10", "Ola 10-20", "Per 15-30", "Kari 18-25", "Ola 40-50", "Kari 45-60", "Per 60-70")
        #expect(Self.text(plan.gaps) == ["30-40"])
        #expect(Self.text(plan.overlaps) == ["15-25", "45-50"])
    }

    @Test("touching shifts and an empty plan have neither gaps nor overlaps")
    func touching() throws {
        let plan = try Self.plan("Kari 0-10", "Ola 10-20", "Kari 20-30")
        #expect(plan.gaps.isEmpty && plan.overlaps.isEmpty)
        let empty = ShiftPlan()
        #expect(empty.gaps.isEmpty && empty.overlaps.isEmpty && empty.onDuty(at: Self.time(0)).isEmpty)
        #expect(empty.nextChange(after: Self.time(0)) == nil && empty.nextDuty(from: Self.time(0)) == nil)
    }

    @Test("upcoming shifts are those that begin later")
    func upcoming() throws {
        let plan = try Self.plan("Kari 10-20", "Ola 20-30", "Per 30-40")
        #expect(plan.upcoming(after: Self.time(20)).map(\.who) == ["Per"])
        #expect(plan.upcoming(after: Self.time(19)).map(\.who) == ["Ola", "Per"])
    }

    @Test("a plan of maximum size is evaluated quickly, even if all shifts overlap")
    func large() throws {
        let shifts = try (0..<Int64(Limits.accountShifts)).map { index in
            try Shift(who: "Person \(index)", from: Self.time(index), to: Self.time(index + 5_000))
        }
        let plan = ShiftPlan(shifts.reversed())
        #expect(plan.onDuty(at: Self.time(4_999)).count == Limits.accountShifts)
        #expect(Self.text(plan.overlaps) == ["1-9998"])
    }

    @Test("an empty shift, one that ends before it begins, or one out of range is refused")
    func refused() throws {
        #expect(throws: ShiftError.empty) { try Self.plan("Kari 10-10") }
        #expect(throws: ShiftError.empty) { try Self.plan("Kari 11-10") }
        #expect(throws: ShiftError.time) {
            try Shift(who: "Kari", from: WallTime(unixMilliseconds: -1), to: Self.time(0))
        }
        #expect(throws: ShiftError.time) {
            try Shift(
                who: "Kari", from: Self.time(0),
                to: WallTime(unixMilliseconds: Shift.times.upperBound + 1))
        }
    }

    @Test("an invisible name is refused, and so is a long one unless it is an email")
    func names() throws {
        let long = String(repeating: "x", count: 65)
        let (from, to) = (Self.time(0), Self.time(1))
        for name in ["", " ", "a\nb", long] {
            #expect(throws: ShiftError.self) { try Shift(who: name, from: from, to: to) }
        }
        let email = try #require(Email("\(long)@example.com"))
        #expect(try Shift(who: email.address, email: email, from: from, to: to).person == email.address)
        #expect(throws: ShiftError.self) { try Shift(who: email.address, from: from, to: to) }
    }
}

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
