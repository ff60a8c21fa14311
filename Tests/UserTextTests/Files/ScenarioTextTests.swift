import DeviceCore
import FleetProtocol
import Foundation
import Glibc
import Testing
import UserFiles
import UserText

@Suite("Scenario files")
struct ScenarioTextTests {
    private func scenario(_ text: String) throws -> Scenario {
        try ScenarioText.parse(Array(text.utf8), file: "x.yaml", name: "x")
    }

    @Test("omitted keys have their defaults")
    func defaults() throws {
        #expect(try scenario("name: x") == Scenario(name: "x"))
        let network = try scenario("network: {drops-per-hour: 2}").network
        #expect(network == Scenario.Network(drops: .init(perHour: 2), meanTimeWithout: .seconds(8)))
        let herd = try scenario("herd: {at: [\"09:00\"]}").herd
        #expect(herd == Scenario.Herd(times: [.init(secondOfDay: 32_400)], part: 1, lasting: .seconds(30)))
    }

    @Test("every key sets its value")
    func everyKey() throws {
        let scenario = try scenario(
            """
            name: Everything
            about: |
              Two
              lines.
            clock: {speed: 0.5, start: 23:59, past: 2h}
            weather: {mean: -3.5, swing: 2, hottest: "14:30", humidity: 80}
            population:
              - {count: 3, model: airq, site: A, rooms: [Hall, '7'], remote: toggle, firmware: SKY30046,
                 climate-react: {low: 19.5, high: 24}, filters-run: 312h, calibration: {humidity: -1.5},
                 schedules: [{at: 06:30, days: [monday, sunday], zone: Europe/Oslo, set: {power: on, temperature: 21}},
                             {at: "22:45", set: {power: off}}]}
              - {share: 2, model: pure, pure-boost: sensitive}
            people: {switches-per-hour: 1.5, hand-remotes-per-hour: [{from: 22:00, to: 24:00, rate: 3}]}
            network: {drops-per-hour: 0.5, mean-time-without: 1.5m}
            infrared: {loss: 0.25}
            answer: {low: 0s, high: 200ms}
            hangs: {per-hour: 1, lasting: 10s}
            reboots: {per-hour: 2, lasting: 15s, memory-lost: 1}
            nodes: {crashes-per-hour: 0.1}
            herd: {at: ["14:00", 09:00], part: 0.5, away: 1h}
            """)
        var expected = Scenario(name: "Everything", about: "Two lines.")
        expected.clock = .init(speed: 0.5, start: .init(secondOfDay: 86_340), past: .seconds(7_200))
        expected.weather = .init(
            meanCelsius: -3.5, swingKelvin: 2, hottest: .init(secondOfDay: 52_200), humidityPercent: 80)
        var group = Scenario.Group(
            size: .count(3), model: .airPro, site: "A", rooms: ["Hall", "7"], remote: .toggle,
            climateReact: .init(lowCelsius: 19.5, highCelsius: 24), firmware: "SKY30046")
        group.settings.filterRun = .seconds(312 * 3_600)
        group.settings.calibration = SensorCalibration(humidityPermille: -15)
        group.settings.schedules = [
            SchedulePlan(
                change: ACStateChange(isOn: true, targetTemperature: 21),
                time: try #require(LocalTime("06:30")),
                weekdays: Weekdays([.monday, .sunday]), zone: try #require(TimeZoneName("Europe/Oslo"))),
            SchedulePlan(
                change: ACStateChange(isOn: false), time: try #require(LocalTime("22:45")), weekdays: .all,
                zone: .utc),
        ]
        var purifiers = Scenario.Group(size: .share(2), model: .pure)
        purifiers.settings.pureBoost = PureBoost(
            sensitivity: .sensitive, integrations: [.measurements, .airConditioners])
        expected.population = .init(groups: [group, purifiers])
        expected.people = .init(
            switches: .init(perHour: 1.5),
            handRemotes: .init(daily: [.init(from: .init(secondOfDay: 79_200), to: .midnight, perHour: 3)]))
        expected.network = .init(drops: .init(perHour: 0.5), meanTimeWithout: .seconds(90))
        expected.infrared = .init(loss: 0.25)
        expected.answer = .uniform(low: .zero, high: .milliseconds(200))
        expected.hangs = .init(rate: .init(perHour: 1), lasting: .seconds(10))
        expected.reboots = .init(rate: .init(perHour: 2), lasting: .seconds(15), memoryLoss: 1)
        expected.nodes = .init(crashes: .init(perHour: 0.1))
        expected.herd = .init(
            times: [.init(secondOfDay: 32_400), .init(secondOfDay: 50_400)], part: 0.5,
            lasting: .seconds(3_600))
        #expect(scenario == expected)
    }

    @Test("periods may span midnight, follow each other, and fill the day")
    func periods() throws {
        let rate = try scenario(
            """
            people:
              switches-per-hour:
                - {from: "22:00", to: "06:00", rate: 1}
                - {from: "06:00", to: "22:00", rate: 2}
            """
        ).people.switches
        #expect([21, 22, 23, 0, 5, 6].map { rate.rate(at: $0 * 3_600) } == [2, 1, 1, 1, 1, 2])
        let whole = try scenario(
            "nodes: {crashes-per-hour: [{from: \"00:00\", to: \"24:00\", rate: 2}]}"
        ).nodes.crashes
        #expect(whole == Scenario.Rate(perHour: 2))
    }
}

@Suite("ScenarioChoice")
struct ScenarioChoiceTests {
    /// Calls a closure with an empty directory that is removed afterwards.
    private func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { _ = Result { try FileManager.default.removeItem(at: directory) } }
        try body(directory.path())
    }

    private func message(
        of argument: String, in directory: String = "/", zones: ZoneDatabase? = nil
    ) -> String {
        do {
            _ = try ScenarioChoice(argument, relativeTo: directory, zones: zones)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("a name chooses a ready-made scenario", arguments: ReadyMadeScenario.allCases)
    func name(readyMade: ReadyMadeScenario) throws {
        let choice = try ScenarioChoice(readyMade.rawValue, relativeTo: "/")
        #expect(choice.scenario == (try readyMade.scenario()))
        #expect(choice.argument == readyMade.rawValue)
    }

    @Test("an unknown name is refused with the known names and the closest one")
    func unknown() {
        #expect(message(of: "ofice-day").contains("no scenario 'ofice-day'; did you mean office-day?"))
        #expect(message(of: "storm").contains("scenarios: quiet, lively, calm, office-day, flaky-wifi"))
        #expect(message(of: "").contains("no scenario ''"))
        #expect(message(of: "\u{1b}[31m").contains("'\u{fffd}[31m'"))
    }

    @Test("a schedule in a time zone that this machine does not know is refused by its place")
    func unknownZone() throws {
        try inDirectory { directory in
            let text = "population: [{schedules: [{at: \"06:30\", zone: Europe/Osloo, set: {power: on}}]}]"
            try Data(text.utf8).write(to: URL(filePath: "\(directory)/x.yaml"))
            for (zones, allowed) in [
                ("/usr/share/zoneinfo", "a time zone such as Europe/Oslo that this machine knows"),
                ("/nonexistent", "UTC: this machine has no other time zones, install tzdata"),
            ] {
                let text = message(of: "x.yaml", in: directory, zones: ZoneDatabase(directory: zones))
                #expect(text.contains("found 'Europe/Osloo'; allowed: \(allowed)"))
            }
            #expect(message(of: "x.yaml", in: directory) == "", "another machine may know it")
        }
    }

    @Test("a path chooses a file, which is named after itself and passed on by its absolute path")
    func file() throws {
        try inDirectory { directory in
            for file in ["my day.yaml", "b.yml", "plain"] {
                try Data("infrared: {loss: 0.5}".utf8).write(to: URL(filePath: "\(directory)/\(file)"))
            }
            for (argument, name) in [("my day.yaml", "my day"), ("./b.yml", "b"), ("./plain", "plain")] {
                let choice = try ScenarioChoice(argument, relativeTo: directory)
                #expect(choice.scenario.name == name)
                #expect(choice.scenario.infrared.loss == 0.5)
                #expect(choice.argument == "\(directory)/\(argument)")
                #expect(try ScenarioChoice(choice.argument, relativeTo: "/nowhere") == choice)
            }
        }
    }

    @Test("a file that cannot be read is refused with the reason")
    func unreadable() throws {
        try inDirectory { directory in
            #expect(
                message(of: "none.yaml", in: directory).hasPrefix(
                    "none.yaml: no such file; name a readable file"))
            #expect(message(of: directory).contains("not a regular file"))
            #expect(mkfifo("\(directory)/pipe.yaml", 0o600) == 0)
            #expect(message(of: "pipe.yaml", in: directory).contains("not a regular file"))
            #expect(message(of: "/dev/zero").contains("not a regular file"))
        }
    }

    @Test("a file of a tebibyte is refused after reading no more than the limit")
    func large() throws {
        try inDirectory { directory in
            let path = "\(directory)/large.yaml"
            #expect(FileManager.default.createFile(atPath: path, contents: Data("about: x".utf8)))
            #expect(truncate(path, 1 << 40) == 0)
            #expect(message(of: path).contains("more than 64 KiB; allowed: at most 64 KiB"))
        }
    }
}

/// Previews are compared literally: a change of one appears in the review.
///
/// `SENSIBUS_WRITE_SNAPSHOTS=1 make test FILTER=PreviewTests` rewrites the files.
@Suite("Previews of scenarios")
struct PreviewTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Snapshots")
    private static let writes = ProcessInfo.processInfo.environment["SENSIBUS_WRITE_SNAPSHOTS"] == "1"

    private func expect(_ text: String, asIn name: String) throws {
        let file = Self.directory.appending(path: name)
        if Self.writes {
            try FileManager.default.createDirectory(at: Self.directory, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let stored = try String(contentsOf: file, encoding: .utf8)
        #expect(text == stored, "if this change is intended, rewrite \(name)")
    }

    @Test(
        "a scenario's text preview equals its snapshot",
        arguments: [ReadyMadeScenario.quiet, .officeDay, .worstDay, .cloudy])
    func text(readyMade: ReadyMadeScenario) throws {
        let preview = ScenarioPreview(of: try readyMade.scenario(), devices: 100)
        try expect(preview.lines.joined(separator: "\n") + "\n", asIn: "\(readyMade.rawValue).txt")
    }

    @Test("a scenario's JSON preview equals its snapshot, and is valid JSON")
    func json() throws {
        let preview = ScenarioPreview(of: try ReadyMadeScenario.worstDay.scenario(), devices: 100)
        try expect(preview.json.line + "\n", asIn: "worst-day.json")
        let object = try JSONSerialization.jsonObject(with: Data(preview.json.line.utf8)) as? [String: Any]
        #expect(object?["devices"] as? Int == 100)
        let rooms = try #require(object?["population"] as? [[String: Any]])
        #expect(rooms.compactMap { $0["devices"] as? Int }.reduce(0, +) == 100)
    }

    @Test("a preview has the rate of reports: one per device every 90 simulated seconds")
    func reports() throws {
        let preview = ScenarioPreview(of: try ReadyMadeScenario.officeDay.scenario(), devices: 900)
        #expect(preview.lines.contains { $0.hasPrefix("6,000/s reports") })
    }

    @Test("a preview fits any number of devices", arguments: [1, 2, 7, 1_000_000])
    func sizes(devices: Int) throws {
        for readyMade in ReadyMadeScenario.allCases {
            let preview = ScenarioPreview(of: try readyMade.scenario(), devices: devices)
            #expect(preview.lines.contains { $0.hasPrefix("\(FigureText.count(devices)) in all: ") })
            #expect(preview.json.line.contains("\"devices\":\(devices)"))
        }
    }
}
