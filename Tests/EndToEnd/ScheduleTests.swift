import Foundation
import Testing

extension EndToEnd {
    @Suite("Device settings of users")
    struct ScheduleTests {
        /// A day takes 8.64 s.
        private static let scenario = """
            about: A clock that runs away.
            clock: {speed: 10000}
            """

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

        @Test(
            "a schedule runs every day, also after a crash of its node, until it is disabled",
            .timeLimit(.minutes(3)))
        func dayAfterDay() async throws {
            try await Lab.withLab { lab in
                let file = "\(lab.directory)/fast.yaml"
                try Self.scenario.write(toFile: file, atomically: true, encoding: .utf8)
                let up = try await lab.fleet(
                    "up", "--detach", "--no-gateway", "--restart-nodes", "--devices", "3", "--scenario", file
                )
                try #require(up.status == 0, "fleet up: \(up.talk)")
                try await TestObserver.with(lab) { observer in
                    await observer.sees { $0.kind == "resync" }
                    let added = try await lab.fleet(
                        "schedule", "Bedroom 1", "--at", "12:30", "--zone", "Europe/Oslo", "--on")
                    #expect(added.status == 0, "\(added.talk)")
                    #expect(added.output.contains("on at 12:30 every day (Europe/Oslo)"), "\(added.output)")
                    await observer.sees(2) { $0.name == "Bedroom 1" && $0.cause == "schedule" }
                    _ = try await lab.fleet("inject", "crash", "Bedroom 1")
                    let before = await observer.count { $0.cause == "schedule" }
                    await observer.sees(before + 1) { $0.name == "Bedroom 1" && $0.cause == "schedule" }
                    let shown = try await lab.fleet("schedule", "Bedroom 1", "--json").line(SettledLine.self)
                    let schedule = try #require(shown.schedules.first)
                    #expect(schedule.enabled && schedule.time == "12:30")
                    #expect(schedule.timeZone == "Europe/Oslo")
                    let disabled = try await lab.fleet("schedule", "Bedroom 1", "--disable", schedule.id)
                    #expect(disabled.status == 0, "\(disabled.talk)")
                    let removed = try await lab.fleet("schedule", "Bedroom 1", "--remove", schedule.id)
                    #expect(removed.status == 0, "\(removed.talk)")
                    let unknown = try await lab.fleet("schedule", "Bedroom 1", "--enable", schedule.id)
                    #expect(unknown.status == 1)
                    #expect(unknown.talk.contains("not found"), "\(unknown.talk)")
                    let nowhere = try await lab.fleet(
                        "schedule", "Bedroom 1", "--at", "12:30", "--zone", "Mars/Olympus", "--on")
                    #expect(nowhere.status == 1)
                    #expect(nowhere.talk.contains("Mars/Olympus: unknown"), "\(nowhere.talk)")
                }
            }
        }

        @Test(
            "one clock: the API shows it, a schedule follows its start, and a timer its speed",
            .timeLimit(.minutes(2)))
        func oneClock() async throws {
            try await Lab.withLab { lab in
                let file = "\(lab.directory)/dawn.yaml"
                // An hour takes six seconds.
                try "clock: {speed: 600, start: \"06:00\"}".write(
                    toFile: file, atomically: true, encoding: .utf8)
                let up = try await lab.fleet(
                    "up", "--detach", "--gateway-port", "0", "--devices", "3", "--scenario", file)
                try #require(up.status == 0, "fleet up: \(up.talk)")
                let device = try await lab.device("Bedroom 1")
                let key = try await lab.fleet("apikey", "create", "clock").output
                    .trimmingCharacters(in: .newlines)
                let url = try String(contentsOfFile: lab.file("gateway-url"), encoding: .utf8)
                    .trimmingCharacters(in: .newlines)
                @Sendable func ask(_ path: String, _ more: String...) async throws -> String {
                    try await lab.run(
                        "/usr/bin/curl",
                        ["-sS", "-m", "20", "\(url)api/v1/pods/\(device.id)/\(path)/?apiKey=\(key)"] + more
                    ).output
                }
                @Sendable func seconds(in answer: String) throws -> Int {
                    let found = try #require(answer.firstMatch(of: /SecondsFromNow":(-?\d+)/), "\(answer)")
                    return try #require(Int(found.1))
                }
                try await TestObserver.with(lab) { observer in
                    await observer.sees { $0.kind == "resync" }
                    let timer = try await ask(
                        "timer", "-X", "PUT", "-d", #"{"minutesFromNow":120,"acState":{"on":true}}"#)
                    #expect((3_600...7_200).contains(try seconds(in: timer)), "\(timer)")
                    let target = try #require(timer.firstMatch(of: /"targetTime":"[^T]*T(\d\d):(\d\d)/))
                    let due = (Int(target.1) ?? 0) * 60 + (Int(target.2) ?? 0) + 1
                    #expect(due >= 8 * 60, "\(timer)")
                    let time = String(format: "%02d:%02d", due / 60 % 24, due % 60)
                    let days = "sunday monday tuesday wednesday thursday friday saturday".split(
                        separator: " ")
                    let list = days.map { "\"\($0)\"" }.joined(separator: ",")
                    let schedule = try await ask(
                        "schedules", "-d",
                        #"{"targetTimeLocal":"\#(time)","timezone":"UTC","acState":{"on":false},"#
                            + #""recurOnDaysOfWeek":[\#(list)]}"#)
                    #expect(schedule.contains("T\(time):0"), "\(schedule)")
                    #expect(try seconds(in: schedule) <= 7_260)
                    await observer.sees { $0.name == "Bedroom 1" && $0.cause == "timer" }
                    await observer.sees { $0.name == "Bedroom 1" && $0.cause == "schedule" }
                }
            }
        }

        @Test("an observer that joins later shows that a command changed settings", .timeLimit(.minutes(1)))
        func reportedLater() async throws {
            try await Lab.withFleet { lab in
                let set = try await lab.fleet("timer", "Bedroom 1", "--in", "1h", "--off")
                #expect(set.status == 0, "\(set.talk)")
                let reported = try await lab.run(
                    "observer",
                    [
                        "--plain", "--since", "1m", "--until", "device \"Bedroom 1\" offline", "--timeout",
                        "3s",
                    ])
                #expect(reported.status == 75, "\(reported.talk)")
                #expect(reported.output.contains("Bedroom 1: settings changed by demo@sensibus.local"))
                #expect(!reported.output.contains("toggled"), "\(reported.output)")
            }
        }
    }
}
