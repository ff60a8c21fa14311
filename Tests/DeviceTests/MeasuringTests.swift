import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Measurements of pods and their times")
struct MeasuringTests {
    /// A summer's day with that many simulated seconds per real one, from eight in the morning.
    private func summer(speed: Double = 10, _ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
        var scenario = Scenario(name: "summer")
        scenario.clock = Scenario.Clock(speed: speed, start: .init(secondOfDay: 8 * 3_600))
        scenario.weather = Scenario.Weather(meanCelsius: 28, swingKelvin: 6)
        change(&scenario)
        return scenario
    }

    @Test(
        "each pod measures once in 90 simulated seconds, at any speed and number of devices",
        arguments: [(0.5, 1), (1, 7), (600, 100), (10_000, 3)])
    func interval(speed: Double, devices: Int) {
        var bench = NodeBench(summer(speed: speed), devices: devices)
        let rounds = 5
        // A tenth of a round before the sixth begins.
        let end = Duration.nanoseconds(Int64((Double(rounds) - 0.001) * 90e9 / speed) + 20_000_000)
        let counts = Dictionary(bench.measured(until: end).map { ($0.device, 1) }, uniquingKeysWith: +)
        #expect(counts.count == devices)
        if speed < 10_000 { #expect(counts.values.allSatisfy { (rounds...rounds + 1).contains($0) }) }
    }

    @Test("a node that is late measures the values of the due times")
    func late() {
        func trace(inStepsOf step: Duration) -> [MeasuredDevice] {
            var bench = NodeBench(summer(speed: 60), devices: 20)
            var measured: [MeasuredDevice] = []
            bench.run(until: .seconds(60), inStepsOf: step) { measured += [$0].measured }
            return measured
        }
        let punctual = trace(inStepsOf: .milliseconds(50))
        // Forty rounds, and the first pod of the next at the end.
        #expect(punctual.count == 20 * 60 * 60 / 90 + 1)
        // Late by less than a whole round, which takes 1.5 s here.
        #expect(trace(inStepsOf: .milliseconds(750)) == punctual)
    }

    @Test("a node that is late by rounds makes a longer one, with a bounded number per step")
    func overload() {
        var bench = NodeBench(summer(speed: 10_000), devices: 5_000)
        var most = 0
        var counts: [DeviceID: Int] = [:]
        bench.run(until: .seconds(2), inStepsOf: .milliseconds(25)) { effect in
            let measured = [effect].measured
            most = max(most, measured.count)
            for one in measured { counts[one.device, default: 0] += 1 }
        }
        #expect(most == 2_048)
        // 80 steps of 2,048 make 32 rounds; the 20,000 s of the clock would be 222.
        #expect(counts.values.allSatisfy { (31...33).contains($0) })
        #expect(counts.count == 5_000)
        let lag = 20_000_000 - bench.node.rooms.round.dueMs
        #expect(lag < 3 * 640_000, "the rooms' clock is \(lag) ms behind")
    }

    @Test("an offline device publishes no measurements, and its room's climate continues")
    func offline() {
        var bench = NodeBench(summer(), devices: 2)
        let devices = bench.node.truth.map(\.device)
        bench.inject(.offline, [0], for: .seconds(60))
        let before = bench.node.rooms.measurements(of: 0)
        #expect(Set(bench.measured(until: .seconds(59)).map(\.device)) == [devices[1]])
        #expect(bench.node.rooms.measurements(of: 0) != before)
        #expect(bench.measured(until: .seconds(80)).contains { $0.device == devices[0] })
    }

    @Test("a room cools with its air conditioner, and follows the weather without it")
    func climate() {
        var bench = NodeBench(summer(speed: 600), devices: 40)
        let cooled = Set(bench.node.truth.filter(\.reported.state.isOn).map(\.device))
        #expect((10...30).contains(cooled.count))
        // Seven hours: it is three in the afternoon.
        let measured = bench.measured(until: .seconds(42)).map { ($0.device, $0.measurements) }
        let last = Dictionary(measured) { $1 }
        let (on, off) = (last.filter { cooled.contains($0.key) }, last.filter { !cooled.contains($0.key) })
        #expect(on.values.allSatisfy { (20...24.5).contains($0.celsius) })
        #expect(off.values.allSatisfy { $0.celsius > 26 })
    }

    @Test("pulled rows have the last measurements")
    func pull() throws {
        var bench = NodeBench(summer(), devices: 3)
        bench.run(until: .seconds(100))
        let rows = try bench.rows()
        #expect(rows.map(\.measurements) == (0..<3).map { bench.node.rooms.measurements(of: $0) })
    }

    @Test("two nodes of one seed measure the same, and those of another seed differ")
    func seeds() {
        func trace(seed: UInt64) -> [Measurements] {
            var bench = NodeBench(summer(), devices: 5, seed: seed)
            return bench.measured(until: .seconds(60)).map(\.measurements)
        }
        #expect(trace(seed: 1) == trace(seed: 1))
        #expect(trace(seed: 1) != trace(seed: 2))
    }

    @Test("Climate React cools a warm room once, and does not act against a later switch-off")
    func climateReact() {
        var bench = NodeBench(reacting(18, 24), devices: 20)
        // Devices that cool already keep their rooms within the range.
        let warming = bench.node.truth.filter { !$0.reported.state.isOn }.map(\.device)
        #expect(warming.count > 5)
        var versions: [DeviceID: Int] = [:]
        for (_, row) in bench.published(until: .seconds(6)) {
            versions[row.device, default: 0] += 1
            #expect(row.reported.state.isOn && row.reported.state.mode == .cool)
            #expect(row.reported.state.targetTemperature == 21)
        }
        #expect(Set(versions.keys) == Set(warming))
        #expect(versions.values.allSatisfy { $0 == 1 })
        for slot in 0..<20 { bench.send(.command(bench.command(ACStateChange(isOn: false), of: slot))) }
        bench.run(until: .seconds(7))
        #expect(bench.node.truth.count { !$0.reported.state.isOn } > 10)
        // Rooms that were and stay above the threshold stay off; they crossed it only once.
        bench.run(until: .seconds(30))
        #expect(bench.node.truth.allSatisfy { $0.reported.version <= Version(4) })
    }

    /// A warm fleet's scenario, whose group has a Climate React with that range.
    private func reacting(_ lowCelsius: Double, _ highCelsius: Double) -> Scenario {
        summer(speed: 600) {
            let range = Scenario.Group.ClimateReact(lowCelsius: lowCelsius, highCelsius: highCelsius)
            $0.population = Scenario.Population(groups: [Scenario.Group(climateReact: range)])
        }
    }

    @Test("Climate React does not act again when another scenario begins")
    func reactsOnce() {
        var scenario = reacting(14, 20)
        var bench = NodeBench(scenario, devices: 20)
        bench.run(until: .seconds(1))
        #expect(bench.node.truth.allSatisfy { $0.reported.state.isOn })
        for slot in 0..<20 { bench.send(.command(bench.toggle(slot))) }
        scenario.weather = Scenario.Weather(meanCelsius: 30, swingKelvin: 6)
        bench.step(.scenario(OrderID(bits: 1), scenario, beganAt: bench.now.wall))
        bench.run(until: .seconds(3))
        #expect(bench.node.truth.allSatisfy { !$0.reported.state.isOn })
    }

    @Test("a threshold crossed while a device is offline is acted upon when it returns")
    func reactsOnReturn() {
        var bench = NodeBench(reacting(14, 20), devices: 20)
        let slots = (0..<20).filter { !bench.node.truth[$0].reported.state.isOn }
        #expect(slots.count > 5)
        bench.inject(.offline, slots, for: .seconds(2))
        bench.run(until: .seconds(1.9))
        #expect(bench.node.truth.count { !$0.reported.state.isOn } == slots.count)
        bench.run(until: .seconds(3))
        #expect(bench.node.truth.allSatisfy { $0.reported.state.isOn })
    }
}
