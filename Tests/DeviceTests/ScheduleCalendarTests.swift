import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Next times of schedules")
struct ScheduleCalendarTests {
    /// A plan, a moment in seconds since 1970, and the next times after it.
    struct Case: CustomTestStringConvertible {
        let plan: SchedulePlan?
        let after: Int64
        let next: [Int64]
        let testDescription: String

        init(
            _ description: String, at time: String, on weekdays: Weekdays = .all, in zone: String = "UTC",
            after: Int64, next: [Int64]
        ) {
            testDescription = description
            plan = SchedulePlan(at: time, on: weekdays, in: zone)
            (self.after, self.next) = (after, next)
        }
    }

    /// 2027-01-15, a Friday, 08:00 UTC.
    private static let friday: Int64 = 1_800_000_000
    private static let day: Int64 = 86_400

    private static let cases = [
        Case(
            "later today, and then each day", at: "08:01", after: friday,
            next: [friday + 60, friday + 60 + day, friday + 60 + 2 * day]),
        Case("right now is over", at: "08:00", after: friday, next: [friday + day]),
        Case(
            "from Monday to Friday", at: "07:00", on: .working, after: friday,
            next: [friday - 3_600 + 3 * day, friday - 3_600 + 4 * day]),
        Case(
            "once a week, today and in a week", at: "09:00", on: Weekdays([.friday]), after: friday,
            next: [friday + 3_600, friday + 3_600 + 7 * day]),
        Case(
            "once a week, and today it is over", at: "07:00", on: Weekdays([.friday]), after: friday,
            next: [friday - 3_600 + 7 * day]),
        Case(
            "midnight belongs to the day that begins", at: "00:00", on: Weekdays([.saturday]), after: friday,
            next: [friday + 16 * 3_600]),
        Case(
            "the last minute of a day", at: "23:59", on: Weekdays([.friday]), after: friday,
            next: [friday + 16 * 3_600 - 60]),
        Case(
            "it is Saturday in the east already", at: "00:30", on: Weekdays([.saturday]),
            in: "Asia/Kathmandu", after: friday + 10 * 3_600, next: [friday + 10 * 3_600 + 45 * 60]),
        Case(
            "it is still Thursday in the west", at: "23:30", on: Weekdays([.thursday]),
            in: "America/New_York", after: friday - 4 * 3_600, next: [friday - 3 * 3_600 - 1_800]),
        Case(
            "before 1970 counts as after", at: "00:00", on: Weekdays([.wednesday]), after: -100_000,
            next: [-86_400, 6 * 86_400]),
        // 2026-03-29, 01:00 UTC: from 02:00 to 03:00.
        Case(
            "clocks put forward: the days have 23 hours", at: "12:00", in: "Europe/Oslo",
            after: 1_774_695_600, next: [1_774_778_400, 1_774_864_800]),
        Case(
            "clocks put forward over it: as long after midnight as ever", at: "02:30", in: "Europe/Oslo",
            after: 1_774_700_000, next: [1_774_747_800, 1_774_830_600]),
        Case(
            "clocks put forward by half an hour over it", at: "02:15", in: "Australia/Lord_Howe",
            after: 1_791_039_600, next: [1_791_042_300, 1_791_126_900]),
        // 2026-10-25, 01:00 UTC: from 03:00 to 02:00.
        Case(
            "clocks put back: the days have 25 hours", at: "12:00", in: "Europe/Oslo",
            after: 1_792_836_000, next: [1_792_926_000, 1_793_012_400]),
        Case(
            "clocks put back over it: the first of two times", at: "02:30", in: "Europe/Oslo",
            after: 1_792_880_000, next: [1_792_888_200, 1_792_978_200]),
        Case(
            "asked between the two times: the next day's", at: "02:30", in: "Europe/Oslo",
            after: 1_792_890_600, next: [1_792_978_200]),
        Case(
            "clocks put back in the west", at: "01:30", on: Weekdays([.sunday]), in: "America/New_York",
            after: 1_793_500_000, next: [1_793_511_000, 1_794_119_400]),
        Case(
            "a day that a place has left out is over as the next begins", at: "12:00",
            on: Weekdays([.friday, .saturday]), in: "Pacific/Apia", after: 1_325_200_000,
            next: [1_325_282_400, 1_325_887_200 - 86_400]),
    ]

    @Test("a schedule's next time is the next of its days at its time, by its zone's clock", arguments: cases)
    func next(test: Case) throws {
        let plan = try #require(test.plan)
        var (moment, found) = (WallTime(unixMilliseconds: test.after * 1_000), [Int64]())
        for _ in test.next {
            moment = try #require(plan.next(after: moment, by: Zones()))
            found.append(moment.unixMilliseconds / 1_000)
        }
        #expect(found == test.next)
    }

    @Test("a schedule's time is not reached a millisecond early")
    func milliseconds() throws {
        let plan = try #require(SchedulePlan(at: "08:00"))
        let early = WallTime(unixMilliseconds: Self.friday * 1_000 - 1)
        #expect(plan.next(after: early, by: Zones())?.unixMilliseconds == Self.friday * 1_000)
    }

    @Test("a schedule in an unknown zone has no next time")
    func unknownZone() throws {
        let plan = try #require(SchedulePlan(at: "08:00", in: "Mars/Olympus"))
        #expect(plan.next(after: WallTime(unixMilliseconds: 0), by: Zones()) == nil)
    }
}
