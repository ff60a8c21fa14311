import ArgumentParser
import FleetProtocol
import Testing
import UserText

@testable import fleet

@Suite("Device setting commands")
struct SettingCommandTests {
    private static let on = ACStateChange(isOn: true, mode: .heat)

    private static let timers: [([String], SettingChange?)] = [
        (["--in", "30m", "--off"], .timer(ACStateChange(isOn: false), afterSeconds: 1_800)),
        (["--in", "1.5s", "--on"], .timer(ACStateChange(isOn: true), afterSeconds: 1)),
        (
            ["--in", "24h", "--set", "on,heat,21,fan:low"],
            .timer(
                ACStateChange(isOn: true, mode: .heat, targetTemperature: 21, fanLevel: .low),
                afterSeconds: 86_400)
        ),
        (["--cancel"], .noTimer), ([], nil),
    ]

    @Test("timer arguments become the setting change", arguments: timers)
    func timer(arguments: [String], change: SettingChange?) throws {
        #expect(try TimerCommand.parse(["Hall"] + arguments).change == change)
    }

    private static let ranges: [([String], SettingChange?)] = [
        (
            ["--below", "19", "--above", "26.5"],
            .climateReact(
                ClimateReact(
                    low: .init(tenths: 190, change: on),
                    high: .init(tenths: 265, change: ACStateChange(isOn: true, mode: .cool))))
        ),
        (
            ["--off", "--above", "65", "--by", "humidity"],
            .climateReact(
                ClimateReact(
                    isEnabled: false, measure: .humidity, low: nil,
                    high: .init(tenths: 650, change: ACStateChange(isOn: true, mode: .dry))))
        ),
        (
            ["--below", "-5.5", "--set-below", "off", "--by", "feelsLike"],
            .climateReact(
                ClimateReact(
                    measure: .feelsLike, low: .init(tenths: -55, change: ACStateChange(isOn: false)),
                    high: nil))
        ),
        (["--on"], .climateReactEnabled(true)), (["--off"], .climateReactEnabled(false)), ([], nil),
    ]

    @Test("Climate React arguments become the setting change", arguments: ranges)
    func climateReact(arguments: [String], change: SettingChange?) throws {
        #expect(try ClimateReactCommand.parse(["Hall"] + arguments).change == change)
    }

    private static let schedules: [([String], String?)] = [
        (["--at", "22:15", "--off"], "schedule \(newID): off at 22:15 every day (Europe/Oslo)"),
        (
            ["--at", "06:30", "--days", "mon-fri", "--zone", "UTC", "--set", "on,heat,21"],
            "schedule \(newID): on, heat, 21 °C at 06:30 Mon to Fri (UTC)"
        ),
        (
            ["--at", "00:00", "--days", "Saturday,fri-sat,tue", "--on", "--id", "k3Rx9QaB"],
            "schedule k3Rx9QaB: on at 00:00 Tue, Fri, Sat (Europe/Oslo)"
        ),
        (
            ["--at", "00:00", "--days", "sat-mon", "--on"],
            "schedule \(newID): on at 00:00 Mon, Sat, Sun (Europe/Oslo)"
        ),
        (["--enable", "k3Rx9QaB"], "schedule k3Rx9QaB enabled"),
        (["--disable", "k3Rx9QaB"], "schedule k3Rx9QaB disabled"),
        (["--remove", "k3Rx9QaB"], "schedule k3Rx9QaB removed"), ([], nil),
    ]
    private static let newID = ScheduleID(randomBits: 3)

    @Test("schedule arguments become the setting change and its description", arguments: schedules)
    func schedule(arguments: [String], expected: String?) throws {
        let zone = try #require(TimeZoneName("Europe/Oslo"))
        let command = try ScheduleCommand.parse(["Hall"] + arguments)
        #expect(command.change(as: Self.newID, in: zone)?.text == expected)
    }

    @Test(
        "calibration arguments become the setting change",
        arguments: [
            (["--temperature", "-0.5"], SettingChange.calibration(deciCelsius: -5, humidityPermille: nil)),
            (
                ["--humidity", "10", "--temperature", "0"],
                .calibration(deciCelsius: 0, humidityPermille: 100)
            ),
            ([], nil),
        ])
    func calibration(arguments: [String], change: SettingChange?) throws {
        #expect(try CalibrateCommand.parse(["Hall"] + arguments).change == change)
    }

    @Test(
        "Pure Boost arguments become the setting change",
        arguments: [
            (["--off"], SettingChange.pureBoost(PureBoost(isEnabled: false))),
            (
                ["--on", "--sensitive", "--with", "prime", "--with", "geofence"],
                .pureBoost(PureBoost(sensitivity: .sensitive, integrations: [.geofence, .prime]))
            ),
            ([], nil),
        ])
    func pureBoost(arguments: [String], change: SettingChange?) throws {
        #expect(try PureBoostCommand.parse(["Hall"] + arguments).change == change)
    }

    @Test(
        "filter arguments become the setting change",
        arguments: [
            (["--clean"], SettingChange.filterCleaned),
            (["--threshold", "200h"], .filterThreshold(seconds: 720_000)),
            ([], nil),
        ])
    func filter(arguments: [String], change: SettingChange?) throws {
        #expect(try FilterCommand.parse(["Hall"] + arguments).change == change)
    }

    private static let wrong: [([String], String)] = [
        (["timer", "Hall", "--in", "30m"], "delay or change missing"),
        (["timer", "Hall", "--off"], "delay or change missing"),
        (["timer", "Hall", "--in", "25h", "--off"], "at most 24h"),
        (["timer", "Hall", "--in", "10ms", "--off"], "at least 1s"),
        (["timer", "Hall", "--cancel", "--in", "1h"], "--cancel takes no other option"),
        (["timer", "Hall", "--in", "1h", "--off", "--set", "on"], "leave out --on and --off"),
        (["timer", "Hall", "--in", "1h", "--set", "warm"], "'warm' sets nothing: write on, off, a mode"),
        (["schedule", "Hall", "--at", "22:15"], "time or change missing"),
        (["schedule", "Hall", "--off"], "time or change missing"),
        (["schedule", "Hall", "--id", "k3Rx9QaB"], "time or change missing"),
        (["schedule", "Hall", "--at", "24:00", "--off"], "write 00:00 to 23:59"),
        (["schedule", "Hall", "--at", "22:15", "--off", "--days", "mo"], "'mo' is not a day of the week"),
        (["schedule", "Hall", "--at", "22:15", "--off", "--days", "mon-wed-fri"], "not a day of the week"),
        (["schedule", "Hall", "--at", "22:15", "--off", "--zone", "/etc"], "a name such as Europe/Oslo"),
        (["schedule", "Hall", "--at", "22:15", "--off", "--set", "on"], "leave out --on and --off"),
        (["schedule", "Hall", "--remove", "k3Rx9QaB", "--enable", "k3Rx9QaB"], "one at a time"),
        (["schedule", "Hall", "--remove", "k3Rx9QaB", "--at", "22:15", "--off"], "one at a time"),
        (["schedule", "Hall", "--remove", "k3"], "'k3' is not a schedule ID"),
        (["calibrate", "Hall", "--temperature", "10.1"], "10.1 is out of range"),
        (["calibrate", "Hall", "--humidity", "0.25"], "0.25"),
        (["pure-boost", "Hall", "--sensitive"], "add --on or --off"),
        (["climate-react", "Hall", "--set-above", "off"], "add --below or --above"),
        (["climate-react", "Hall", "--by", "humidity"], "add --below or --above"),
        (["climate-react", "Hall", "--below", "19.25"], "19.25"),
        (["air-filter", "Hall", "--clean", "--threshold", "3h"], "one at a time"),
        (["air-filter", "Hall", "--threshold", "3m"], "at least 1h"),
    ]

    @Test("invalid setting arguments are refused with what to write instead", arguments: wrong)
    func refused(line: [String], text: String) {
        let message = Fleet.usageError(of: line)
        #expect(message.contains(text), "\(message)")
    }
}
