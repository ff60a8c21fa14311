import ArgumentParser
import FleetProtocol
import Testing

@testable import fleet

@Suite("What is typed to set what devices do by themselves")
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

    @Test("a timer is asked for as it was typed", arguments: timers)
    func timer(words: [String], change: SettingChange?) throws {
        #expect(try TimerCommand.parse(["Hall"] + words).change == change)
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

    @Test("Climate React is asked for as it was typed", arguments: ranges)
    func climateReact(words: [String], change: SettingChange?) throws {
        #expect(try ClimateReactCommand.parse(["Hall"] + words).change == change)
    }

    @Test(
        "filters are asked for as it was typed",
        arguments: [
            (["--clean"], SettingChange.filterCleaned),
            (["--threshold", "200h"], .filterThreshold(seconds: 720_000)),
            ([], nil),
        ])
    func filter(words: [String], change: SettingChange?) throws {
        #expect(try FilterCommand.parse(["Hall"] + words).change == change)
    }

    private static let wrong: [([String], String)] = [
        (["timer", "Hall", "--in", "30m"], "say when and what"),
        (["timer", "Hall", "--off"], "say when and what"),
        (["timer", "Hall", "--in", "25h", "--off"], "at most 24h"),
        (["timer", "Hall", "--in", "10ms", "--off"], "at least 1s"),
        (["timer", "Hall", "--cancel", "--in", "1h"], "--cancel stands alone"),
        (["timer", "Hall", "--in", "1h", "--off", "--set", "on"], "leave out --on and --off"),
        (["timer", "Hall", "--in", "1h", "--set", "warm"], "'warm' sets nothing: write on, off, a mode"),
        (["climate-react", "Hall", "--set-above", "off"], "add --below or --above"),
        (["climate-react", "Hall", "--by", "humidity"], "add --below or --above"),
        (["climate-react", "Hall", "--below", "19.25"], "19.25"),
        (["filter", "Hall", "--clean", "--threshold", "3h"], "one at a time"),
        (["filter", "Hall", "--threshold", "3m"], "at least 1h"),
    ]

    @Test("what cannot be meant is refused with what to write instead", arguments: wrong)
    func refused(line: [String], words: String) {
        do {
            _ = try Fleet.parseAsRoot(line)
            Issue.record("\(line) was taken")
        } catch {
            #expect(Fleet.message(for: error).contains(words), "\(Fleet.message(for: error))")
        }
    }
}
