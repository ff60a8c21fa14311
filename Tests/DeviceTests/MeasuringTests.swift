import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Measurements of pods and their times")
struct MeasuringTests {
    /// A summer's day with that many simulated seconds per real one, from eight in the morning.
    private func summer(speed: Double = 10, _ change: (inout Scenario) -> Void = { _ in }) throws -> Scenario
    {
        var scenario = Scenario(name: "summer")
        let start = try #require(Scenario.TimeOfDay(hour: 8, minute: 0))
        scenario.clock = Scenario.Clock(speed: speed, start: start)
        scenario.weather = Scenario.Weather(meanCelsius: 28, swingKelvin: 6)
        change(&scenario)
        return scenario
    }

    @Test(
        "each pod measures once in 90 simulated seconds, at any speed and number of devices",
        arguments: [(0.5, 1), (1, 7), (600, 100), (10_000, 3)])
    func interval(speed: Double, devices: Int) throws {
        var bench = try NodeBench(summer(speed: speed), devices: devices)
        var counts: [DeviceID: Int] = [:]
        let rounds = 5
        // A tenth of a round before the sixth begins.
        bench.run(until: .nanoseconds(Int64((Double(rounds) - 0.001) * 90e9 / speed) + 20_000_000)) {
            _, effect in
            for one in effect.measured { counts[one.device, default: 0] += 1 }
        }
        #expect(counts.count == devices)
        if speed < 10_000 { #expect(counts.values.allSatisfy { (rounds...rounds + 1).contains($0) }) }
    }

    @Test("a node that is late measures the values of the due times")
    func late() throws {
        func trace(inStepsOf step: Duration) throws -> [MeasuredDevice] {
            var bench = try NodeBench(summer(speed: 60), devices: 20)
            var measured: [MeasuredDevice] = []
            bench.run(until: .seconds(60), inStepsOf: step) { measured += $0.measured }
            return measured
        }
        let punctual = try trace(inStepsOf: .milliseconds(50))
        // Forty rounds, and the first pod of the next at the end.
        #expect(punctual.count == 20 * 60 * 60 / 90 + 1)
        // Late by less than a whole round, which takes 1.5 s here.
        #expect(try trace(inStepsOf: .milliseconds(750)) == punctual)
    }

    @Test("a node that is late by rounds makes a longer one, with a bounded number per step")
    func overload() throws {
        var bench = try NodeBench(summer(speed: 10_000), devices: 5_000)
        var most = 0
        var counts: [DeviceID: Int] = [:]
        bench.run(until: .seconds(2), inStepsOf: .milliseconds(25)) { effect in
            most = max(most, effect.measured.count)
            for one in effect.measured { counts[one.device, default: 0] += 1 }
        }
        #expect(most == 2_048)
        // 80 steps of 2,048 make 32 rounds; the 20,000 s of the clock would be 222.
        #expect(counts.values.allSatisfy { (31...33).contains($0) })
        #expect(counts.count == 5_000)
        let lag = 20_000_000 - bench.node.rooms.round.dueMs
        #expect(lag < 3 * 640_000, "the rooms' clock is \(lag) ms behind")
    }

    @Test("an offline device publishes no measurements, and its room's climate continues")
    func offline() throws {
        var bench = try NodeBench(summer(), devices: 2)
        let offline = bench.node.truth[0].device
        _ = bench.send(.fault(.offline, devices: [offline], duration: .seconds(60), delay: .zero))
        let before = bench.node.rooms.measurements(of: 0)
        var received: Set<DeviceID> = []
        bench.run(until: .seconds(59)) { _, effect in received.formUnion(effect.measured.map(\.device)) }
        #expect(received == [bench.node.truth[1].device])
        #expect(bench.node.rooms.measurements(of: 0) != before)
        bench.run(until: .seconds(80)) { _, effect in received.formUnion(effect.measured.map(\.device)) }
        #expect(received.contains(offline))
    }

    @Test("a room cools with its air conditioner, and follows the weather without it")
    func climate() throws {
        var bench = try NodeBench(summer(speed: 600), devices: 40)
        let cooled = Set(bench.node.truth.filter(\.reported.state.isOn).map(\.device))
        #expect((10...30).contains(cooled.count))
        var last: [DeviceID: Measurements] = [:]
        // Seven hours: it is three in the afternoon.
        bench.run(until: .seconds(42)) { _, effect in
            for one in effect.measured { last[one.device] = one.measurements }
        }
        let (on, off) = (last.filter { cooled.contains($0.key) }, last.filter { !cooled.contains($0.key) })
        #expect(on.values.allSatisfy { (20...24.5).contains($0.celsius) })
        #expect(off.values.allSatisfy { $0.celsius > 26 })
    }

    @Test("pulled rows have the last measurements")
    func pull() throws {
        var bench = try NodeBench(summer(), devices: 3)
        bench.run(until: .seconds(100)) { _, _ in }
        let pull = ControllerMessage(epoch: Epoch(1), body: .pull(since: .zero, cursor: 0))
        let rows = bench.step(.controller(pull)).flatMap { effect -> [RowChunk.Row] in
            if case .send(let message) = effect, case .rows(let chunk) = message.body {
                chunk.rows
            } else {
                []
            }
        }
        #expect(rows.map(\.measurements) == (0..<3).map { bench.node.rooms.measurements(of: $0) })
    }

    @Test("two nodes of one seed measure the same, and those of another seed differ")
    func seeds() throws {
        func trace(seed: UInt64) throws -> [Measurements] {
            var bench = try NodeBench(summer(), devices: 5, seed: seed)
            var measured: [Measurements] = []
            bench.run(until: .seconds(60)) { _, effect in measured += effect.measured.map(\.measurements) }
            return measured
        }
        #expect(try trace(seed: 1) == trace(seed: 1))
        #expect(try trace(seed: 1) != trace(seed: 2))
    }

    @Test("Climate React cools a warm room once, and does not act against a later switch-off")
    func climateReact() throws {
        let scenario = try summer(speed: 600) {
            let range = Scenario.Group.ClimateReact(lowCelsius: 18, highCelsius: 24)
            $0.population = Scenario.Population(groups: [Scenario.Group(climateReact: range)])
        }
        var bench = try NodeBench(scenario, devices: 20)
        let off = ACStateChange(isOn: false)
        // Devices that cool already keep their rooms within the range.
        let warming = bench.node.truth.filter { !$0.reported.state.isOn }.map(\.device)
        #expect(warming.count > 5)
        var versions: [DeviceID: Int] = [:]
        bench.run(until: .seconds(6)) { _, effect in
            guard case .publish(let row) = effect else { return }
            versions[row.device, default: 0] += 1
            #expect(row.reported.state.isOn && row.reported.state.mode == .cool)
            #expect(row.reported.state.targetTemperature == 21)
        }
        #expect(Set(versions.keys) == Set(warming))
        #expect(versions.values.allSatisfy { $0 == 1 })
        for row in bench.node.truth {
            let identity = CommandIdentity(
                device: row.device, incarnation: row.reported.incarnation, commandNumber: CommandNumber(1),
                requestID: RequestID(high: 1, low: 1))
            let command = DeviceCommand(
                identity: identity, change: off, base: nil, timeToLive: .seconds(1))
            _ = bench.step(.controller(ControllerMessage(epoch: Epoch(1), body: .command(command))))
        }
        bench.run(until: .seconds(7)) { _, _ in }
        #expect(bench.node.truth.count { !$0.reported.state.isOn } > 10)
        // Rooms that were and stay above the threshold stay off; they crossed it only once.
        bench.run(until: .seconds(30)) { _, _ in }
        #expect(bench.node.truth.allSatisfy { $0.reported.version <= Version(4) })
    }

    /// A warm fleet whose group's Climate React cools; all devices are switched off after it has acted once.
    private func cooled(speed: Double = 600) throws -> (bench: NodeBench, scenario: Scenario) {
        let scenario = try summer(speed: speed) {
            let range = Scenario.Group.ClimateReact(lowCelsius: 14, highCelsius: 20)
            $0.population = Scenario.Population(groups: [Scenario.Group(climateReact: range)])
        }
        return (try NodeBench(scenario, devices: 20), scenario)
    }

    @Test("Climate React does not act again when another scenario begins")
    func reactsOnce() throws {
        var (bench, scenario) = try cooled()
        bench.run(until: .seconds(1)) { _, _ in }
        #expect(bench.node.truth.allSatisfy { $0.reported.state.isOn })
        for slot in 0..<20 { _ = bench.send(.command(bench.toggle(slot))) }
        scenario.weather = Scenario.Weather(meanCelsius: 30, swingKelvin: 6)
        _ = bench.step(.scenario(OrderID(bits: 1), scenario, beganAt: bench.now.wall))
        bench.run(until: .seconds(3)) { _, _ in }
        #expect(bench.node.truth.allSatisfy { !$0.reported.state.isOn })
    }

    @Test("a threshold crossed while a device is offline is acted upon when it returns")
    func reactsOnReturn() throws {
        var (bench, _) = try cooled()
        let devices = bench.node.truth.filter { !$0.reported.state.isOn }.map(\.device)
        #expect(devices.count > 5)
        _ = bench.send(.fault(.offline, devices: devices, duration: .seconds(2), delay: .zero))
        bench.run(until: .seconds(1.9)) { _, _ in }
        #expect(bench.node.truth.count { !$0.reported.state.isOn } == devices.count)
        bench.run(until: .seconds(3)) { _, _ in }
        #expect(bench.node.truth.allSatisfy { $0.reported.state.isOn })
    }
}

extension Node.Effect {
    /// The measurements; none for another effect.
    fileprivate var measured: [MeasuredDevice] {
        if case .measured(let devices) = self { devices } else { [] }
    }
}
