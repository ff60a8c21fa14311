import DeviceCore
import FleetProtocol
import Foundation
import Testing
import UserFiles

@Suite("Ready-made scenarios")
struct ReadyMadeTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../scenarios")

    @Test(
        "each ready-made scenario equals its file, and has a description",
        arguments: ReadyMadeScenario.allCases)
    func parsed(readyMade: ReadyMadeScenario) throws {
        let scenario = try readyMade.scenario()
        #expect(scenario.name == readyMade.rawValue)
        #expect(scenario.about.hasSuffix("."))
        let file = Self.directory.appending(path: "\(readyMade.rawValue).yaml")
        #expect(try Array(Data(contentsOf: file)) == readyMade.text)
    }

    @Test("there is a ready-made scenario for each file, and no other")
    func complete() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path())
        #expect(Set(files) == Set(ReadyMadeScenario.allCases.map { "\($0.rawValue).yaml" }))
    }

    @Test("each scenario file begins with a comment", arguments: ReadyMadeScenario.allCases)
    func explained(readyMade: ReadyMadeScenario) {
        let lines = String(decoding: readyMade.text, as: UTF8.self).split(separator: "\n")
        #expect(lines.prefix(2).allSatisfy { $0.hasPrefix("#") })
        #expect(lines.allSatisfy { $0.count <= 110 })
    }

    @Test("the two built-in scenarios equal their files")
    func builtIn() throws {
        for (readyMade, builtIn) in [(ReadyMadeScenario.quiet, Scenario.quiet), (.lively, .lively)] {
            var scenario = try readyMade.scenario()
            scenario.about = builtIn.about
            #expect(scenario == builtIn)
        }
    }

    @Test("in office-day, people switch in working hours, and the afternoon is hottest")
    func officeDay() throws {
        let scenario = try ReadyMadeScenario.officeDay.scenario()
        #expect(scenario.clock == Scenario.Clock(speed: 600, start: Scenario.TimeOfDay(secondOfDay: 21_600)))
        #expect(scenario.clock.secondsPerDay == 144)
        #expect(scenario.people.switches.rate(at: 8 * 3_600) == 0.8)
        #expect(scenario.people.switches.rate(at: 3 * 3_600) == 0)
        #expect(scenario.people.handRemotes.rate(at: 8 * 3_600 - 1) == 0.01)
        #expect(scenario.people.handRemotes.rate(at: 8 * 3_600) == 0.5)
        #expect(scenario.weather.celsius(at: Scenario.TimeOfDay(secondOfDay: 16 * 3_600)) == 32)
        #expect(scenario.population.groups.contains { $0.climateReact != nil })
        #expect(scenario.population.groups.contains { $0.remote == .toggle })
        #expect(Scenario.Layout(of: scenario.population).counts(of: 100) == [2, 45, 23, 30])
        #expect(scenario.answer == .logNormal(median: .milliseconds(80), p99: .milliseconds(500)))
    }

    @Test("the other ready-made scenarios have what their names say")
    func others() throws {
        #expect(try ReadyMadeScenario.calm.scenario().clock.speed == 1)
        let flaky = try ReadyMadeScenario.flakyWiFi.scenario().network
        #expect(flaky.drops.rate(at: 20 * 3_600) == 6 && flaky.drops.rate(at: 3_600) == 0.2)
        let lossy = try ReadyMadeScenario.lossyInfrared.scenario()
        #expect(lossy.infrared.loss == 0.2)
        #expect(Set(lossy.population.groups.map(\.remote)) == [.discrete, .toggle])
        let herd = try #require(try ReadyMadeScenario.thunderingHerd.scenario().herd)
        #expect(herd.times.count == 3 && herd.part == 0.9 && herd.lasting == .seconds(600))
        let worst = try ReadyMadeScenario.worstDay.scenario()
        #expect(worst.hangs.rate.perHour(at: .noon) == 0.5 && worst.reboots.memoryLoss == 0.1)
        #expect(worst.nodes.crashes.meanPerHour > 0 && worst.herd != nil)
        #expect(Set(worst.population.groups.map(\.model)) == Set(ProductModel.allCases))
    }

    @Test("mixed has every model and every kind of air conditioner among few devices")
    func mixed() throws {
        let population = try ReadyMadeScenario.mixed.scenario().population
        #expect(Set(population.groups.map(\.model)) == Set(ProductModel.allCases))
        #expect(Set(population.groups.map(\.airConditioner)) == Set(AirConditionerKind.allCases))
        let counts = Scenario.Layout(of: population).counts(of: 15)
        #expect(counts.allSatisfy { $0 > 0 })
    }

    @Test("lived-in has each kind of setting, a filter that is due, and a day that has passed")
    func livedIn() throws {
        let scenario = try ReadyMadeScenario.livedIn.scenario()
        #expect(scenario.clock.past == .seconds(86_400))
        let settings = scenario.population.groups.map(\.settings)
        #expect(settings.contains { $0.calibration != nil } && settings.contains { $0.pureBoost != nil })
        #expect(settings.contains { $0.schedules.count > 1 })
        #expect(settings.contains { ($0.filterRun ?? .zero) > .seconds(ProductModel.sky.usualFilterSeconds) })
        #expect(scenario.population.groups.contains { $0.climateReact != nil })
        #expect(!scenario.people.switches.isNever)
    }

    @Test("in cloudy, devices have no faults, and the cloud has one of each kind")
    func cloudy() throws {
        let scenario = try ReadyMadeScenario.cloudy.scenario()
        #expect(Set(scenario.cloud.map(\.fault.kind)) == Set(CloudFault.Kind.allCases))
        #expect(scenario.network.drops.isNever && scenario.hangs.rate.isNever)
        let bad = try #require(scenario.cloud.first { $0.fault.kind == .badPod })
        #expect(bad.fault.pods == ["Bedroom 1"] && !bad.fault.isKeyMissing)
        #expect((bad.from, bad.to) == (43_200, 46_800))
        let day = scenario.cloudDay
        #expect(day.speed == 60 && day.start == 21_600 && day.parts == scenario.cloud)
    }
}
