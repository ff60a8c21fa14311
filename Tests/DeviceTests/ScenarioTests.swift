import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Scenario")
struct ScenarioTests {
    private typealias Time = Scenario.TimeOfDay

    private func time(_ hour: Int, _ minute: Int = 0) throws -> Scenario.TimeOfDay {
        try #require(Scenario.TimeOfDay(hour: hour, minute: minute))
    }

    @Test("the scenario quiet has no events")
    func quiet() {
        #expect(ScenarioEvent.allCases.allSatisfy { Scenario.quiet.rate(of: $0).isNever })
        #expect(Scenario.quiet.herd == nil)
        #expect(Scenario.quiet.answer == .fixed(.zero))
        #expect(Scenario.quiet.clock.speed == 1)
    }

    @Test("the scenario lively has its documented rates for 100 devices")
    func lively() {
        #expect(
            abs(Scenario.lively.perSecond(Scenario.lively.people.handRemotes.meanPerHour) - 0.005) < 1e-12)
        #expect(abs(Scenario.lively.perSecond(Scenario.lively.network.drops.meanPerHour) - 0.001_25) < 1e-12)
        #expect(Scenario.lively.dwellSeconds == 4)
    }

    @Test("a faster clock increases real rates and shortens durations")
    func speed() {
        var scenario = Scenario.lively
        scenario.clock.speed = 600
        #expect(abs(scenario.perSecond(scenario.people.handRemotes.meanPerHour) - 3) < 1e-9)
        #expect(abs(scenario.dwellSeconds - 4.0 / 600) < 1e-12)
        #expect(scenario.clock.secondsPerDay == 144)
        #expect(scenario.clock.timeOfDay(afterRealSeconds: 73) == Time(secondOfDay: 600))
    }

    @Test("a rate's period includes its first second and not its end, also over midnight")
    func boundaries() throws {
        let rate = Scenario.Rate(daily: [
            .init(from: try time(8), to: try time(18), perHour: 2),
            .init(from: try time(22), to: try time(6), perHour: 1),
        ])
        let expected: [(Int, Double)] = [
            (0, 1), (6 * 3_600 - 1, 1), (6 * 3_600, 0), (8 * 3_600 - 1, 0), (8 * 3_600, 2),
            (18 * 3_600 - 1, 2),
            (18 * 3_600, 0), (22 * 3_600 - 1, 0), (22 * 3_600, 1), (86_399, 1), (86_400, 1), (-1, 1),
        ]
        for (second, perHour) in expected { #expect(rate.rate(at: second) == perHour, "\(second)") }
        #expect(rate.peakPerHour == 2)
        #expect(abs(rate.meanPerHour - 28.0 / 24) < 1e-12)
        #expect(!rate.isConstant && Scenario.Rate(perHour: 3).isConstant && Scenario.Rate.never.isNever)
    }

    @Test("the daily mean of a rate equals the sum of its seconds")
    func mean() throws {
        let rate = Scenario.Rate(daily: [
            .init(from: try time(23, 30), to: try time(0, 15), perHour: 7),
            .init(from: try time(0, 15), to: try time(12), perHour: 0.5),
        ])
        let sum = (0..<86_400).reduce(0.0) { $0 + rate.rate(at: $1) }
        #expect(abs(rate.meanPerHour - sum / 86_400) < 1e-9)
    }

    @Test("the temperature is highest at the hottest time, and lowest half a day later")
    func weather() throws {
        let weather = Scenario.Weather(meanCelsius: 20, swingKelvin: 8, hottest: try time(15))
        #expect(weather.celsius(at: try time(15)) == 28)
        #expect(abs(weather.celsius(at: try time(3)) - 12) < 1e-9)
        #expect(abs(weather.celsius(at: try time(9)) - 20) < 1e-9)
        #expect(abs(weather.celsius(at: try time(21)) - 20) < 1e-9)
    }

    @Test("a herd's next time after the last of a day is the first of the next day")
    func herd() throws {
        let herd = Scenario.Herd(times: [try time(14), try time(6)], part: 1, lasting: .seconds(1))
        #expect(herd.secondsUntilNext(after: try time(5)) == 3_600)
        #expect(herd.secondsUntilNext(after: try time(6)) == 8 * 3_600)
        #expect(herd.secondsUntilNext(after: try time(14)) == 16 * 3_600)
        let daily = Scenario.Herd(times: [try time(6)], part: 1, lasting: .seconds(1))
        #expect(daily.secondsUntilNext(after: try time(6)) == 86_400)
    }

    @Test("random latencies have the given median and percentile")
    func latencies() {
        var generator = SeededGenerator(seed: 11)
        let logNormal = Scenario.Latency.logNormal(median: .milliseconds(80), p99: .milliseconds(400))
        let drawn = (0..<20_000).map { _ in logNormal.drawn(using: &generator) }.sorted()
        #expect((.milliseconds(78)...(.milliseconds(82))).contains(drawn[10_000]))
        #expect((.milliseconds(360)...(.milliseconds(440))).contains(drawn[19_800]))
        let uniform = Scenario.Latency.uniform(low: .milliseconds(10), high: .milliseconds(20))
        let even = (0..<1_000).map { _ in uniform.drawn(using: &generator) }
        #expect(even.allSatisfy { (.milliseconds(10)...(.milliseconds(20))).contains($0) })
        #expect(even.contains { $0 < .milliseconds(11) } && even.contains { $0 > .milliseconds(19) })
        #expect(Scenario.Latency.fixed(.seconds(1)).drawn(using: &generator) == .seconds(1))
        let sameAlways = Scenario.Latency.logNormal(median: .seconds(1), p99: .seconds(1))
        #expect(sameAlways.drawn(using: &generator) == .seconds(1))
    }

    @Test("a time of day is printed like a clock, and 24:00 is invalid")
    func timesOfDay() throws {
        #expect(try time(8, 5).description == "08:05")
        #expect(Time(secondOfDay: 86_399).description == "23:59")
        #expect(Time(hour: 24, minute: 0) == nil && Time(hour: -1, minute: 0) == nil)
        #expect(Time(hour: 12, minute: 60) == nil)
        #expect(Time.noon.advanced(bySeconds: 86_400 * 3.5) == .midnight)
        #expect(Time.noon.advanced(bySeconds: -43_201) == Time(secondOfDay: 86_399))
    }
}
