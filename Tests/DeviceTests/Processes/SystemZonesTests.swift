import FleetProtocol
import Foundation
import ProcessSupport
import Testing

@testable import DeviceCore
@testable import device_sim

@Suite("Time zones of the system")
struct SystemZonesTests {
    private static let zones = [
        "UTC", "Europe/Oslo", "America/New_York", "America/Santiago", "Australia/Lord_Howe", "Asia/Kolkata",
        "Asia/Tehran", "Pacific/Auckland", "Pacific/Apia", "Africa/Casablanca", "America/St_Johns",
    ]

    @Test("schedules in the system's time zones agree with Foundation's calendar", arguments: zones)
    func asFoundation(zone: String) throws {
        var generator = SeededGenerator(seed: 1)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        for _ in 0..<200 {
            // From 2015 to 2034.
            let seconds = Int64.random(in: 1_420_070_400...2_019_686_400, using: &generator)
            let minute = Int.random(in: 0..<1_440, using: &generator)
            let day = try #require(Weekday.allCases.randomElement(using: &generator))
            let plan = SchedulePlan(
                change: ACStateChange(isOn: true), time: try #require(LocalTime(minuteOfDay: minute)),
                weekdays: Weekdays([day]), zone: try #require(TimeZoneName(zone)))
            // Foundation counts days of the week from Sunday, which is 1.
            let wanted = DateComponents(
                hour: minute / 60, minute: minute % 60, second: 0,
                weekday: Int(day.rawValue + 1) % 7 + 1)
            let next = calendar.nextDate(
                after: Date(timeIntervalSince1970: Double(seconds)), matching: wanted,
                matchingPolicy: .nextTimePreservingSmallerComponents, repeatedTimePolicy: .first)
            let ours = plan.next(
                after: WallTime(unixMilliseconds: seconds * 1_000), by: Environment.timeZones)
            #expect(
                ours?.unixMilliseconds == next.map { Int64($0.timeIntervalSince1970) * 1_000 },
                "\(plan) after \(seconds)")
        }
    }
}
