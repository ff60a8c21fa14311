import Foundation
import Testing

extension EndToEnd {
    @Suite("Device settings of users", .timeLimit(.minutes(3)))
    struct ScheduleTests {
        /// A line of `fleet schedule DEVICE --json`.
        private struct SettledLine: Decodable {
            struct Schedule: Decodable {
                let id: String
                let enabled: Bool
                let time: String
                let timeZone: String
            }

            let schedules: [Schedule]
        }

        @Test("a schedule runs every day, also after a crash of its node, until it is disabled")
        func dayAfterDay() async throws {
            // A day takes 8.64 s.
            let scenario = "about: A clock that runs away.\nclock: {speed: 10000}"
            try await Lab.withFleet(devices: 3, scenario: scenario, ["--restart-nodes"]) { lab in
                try await TestObserver.with(lab) { observer in
                    let added = try await lab.succeed(
                        "schedule", "Bedroom 1", "--at", "12:30", "--zone", "Europe/Oslo", "--on")
                    #expect(added.output.contains("on at 12:30 every day (Europe/Oslo)"), "\(added.output)")
                    await observer.sees(2) { $0.name == "Bedroom 1" && $0.cause == "schedule" }
                    _ = try await lab.fleet("inject", "crash", "Bedroom 1")
                    let before = await observer.count { $0.cause == "schedule" }
                    await observer.sees(before + 1) { $0.name == "Bedroom 1" && $0.cause == "schedule" }
                    let shown = try await lab.fleet("schedule", "Bedroom 1", "--json").line(SettledLine.self)
                    let schedule = try #require(shown.schedules.first)
                    #expect(schedule.enabled && schedule.time == "12:30")
                    #expect(schedule.timeZone == "Europe/Oslo")
                    try await lab.succeed("schedule", "Bedroom 1", "--disable", schedule.id)
                    try await lab.succeed("schedule", "Bedroom 1", "--remove", schedule.id)
                    try await lab.expect(
                        1, "schedule", "Bedroom 1", "--enable", schedule.id, saying: ["not found"])
                    try await lab.expect(
                        1, "schedule", "Bedroom 1", "--at", "12:30", "--zone", "Mars/Olympus", "--on",
                        saying: ["Mars/Olympus: unknown"])
                }
            }
        }

        @Test("one clock: the API shows it, a schedule follows its start, and a timer its speed")
        func oneClock() async throws {
            // An hour takes six seconds.
            let scenario = "clock: {speed: 600, start: \"06:00\"}"
            try await Lab.withFleet(devices: 3, gateway: true, scenario: scenario) { lab in
                let device = try await lab.device("Bedroom 1")
                let key = try await lab.apiKey("clock")
                @Sendable func ask(_ path: String, _ more: String...) async throws -> String {
                    try await lab.curl("api/v1/pods/\(device.id)/\(path)/?apiKey=\(key)", more).body
                }
                @Sendable func seconds(in answer: String) throws -> Int {
                    let found = try #require(answer.firstMatch(of: /SecondsFromNow":(-?\d+)/), "\(answer)")
                    return try #require(Int(found.1))
                }
                try await TestObserver.with(lab) { observer in
                    let timer = try await ask(
                        "timer", "-X", "PUT", "-d", #"{"minutesFromNow":120,"acState":{"on":true}}"#)
                    #expect((3_600...7_200).contains(try seconds(in: timer)), "\(timer)")
                    let target = try #require(timer.firstMatch(of: /"targetTime":"[^T]*T(\d\d):(\d\d)/))
                    let due = (Int(target.1) ?? 0) * 60 + (Int(target.2) ?? 0) + 1
                    #expect(due >= 8 * 60, "\(timer)")
                    let time = String(format: "%02d:%02d", due / 60 % 24, due % 60)
                    let days = ["sun", "mon", "tues", "wednes", "thurs", "fri", "satur"]
                    let list = days.map { "\"\($0)day\"" }.joined(separator: ",")
                    let schedule = try await ask(
                        "schedules", "-d",
                        #"{"targetTimeLocal":"\#(time)","timezone":"UTC","acState":{"on":false},"#
                            + #""recurOnDaysOfWeek":[\#(list)]}"#)
                    #expect(schedule.contains("T\(time):0"), "\(schedule)")
                    #expect(try seconds(in: schedule) <= 7_260)
                    for cause in ["timer", "schedule"] {
                        await observer.sees { $0.name == "Bedroom 1" && $0.cause == cause }
                    }
                }
            }
        }

        @Test("an observer that joins later shows that a command changed settings")
        func reportedLater() async throws {
            try await Lab.withFleet { lab in
                try await lab.succeed("timer", "Bedroom 1", "--in", "1h", "--off")
                let never = ["--until", "device \"Bedroom 1\" offline", "--timeout", "3s"]
                let reported = try await lab.run("observer", ["--plain", "--since", "1m"] + never)
                #expect(reported.status == 75, "\(reported.talk)")
                #expect(reported.output.contains("Bedroom 1: settings changed by demo@sensibus.local"))
                #expect(!reported.output.contains("toggled"), "\(reported.output)")
            }
        }
    }
}
