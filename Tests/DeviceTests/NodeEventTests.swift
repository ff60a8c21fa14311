import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Scenario events in a node")
struct NodeEventTests {
    private func scenario(speed: Double = 1, _ change: (inout Scenario) -> Void) -> Scenario {
        var scenario = Scenario(name: "test")
        scenario.clock = Scenario.Clock(speed: speed, start: time(6))
        change(&scenario)
        return scenario
    }

    private func time(_ hour: Int, _ minute: Int = 0) -> Scenario.TimeOfDay {
        Scenario.TimeOfDay(secondOfDay: hour * 3_600 + minute * 60)
    }

    @Test("few turns have as many events as many turns, but a frozen process skips its frozen time")
    func fewTurns() {
        let storm = scenario(speed: 100) { $0.people.handRemotes = Scenario.Rate(perHour: 3_600) }
        var bench = NodeBench(storm)
        var seen = 0
        for _ in 0..<100 { seen += bench.turn(after: .milliseconds(50)).published.count }
        // 10 devices with 1,000 events a second together, for 5 s.
        #expect((4_600...5_400).contains(seen))
        #expect((40...400).contains(bench.turn(after: .seconds(3_600)).published.count))
    }

    @Test("people switch devices in the hours of a rate only, as often as it says")
    func profile() throws {
        let hours = Scenario.Rate(daily: [.init(from: time(8), to: time(18), perHour: 2)])
        var bench = NodeBench(scenario(speed: 600) { $0.people.switches = hours }, devices: 100)
        let switches = bench.published(until: .seconds(144))
        for (elapsed, _) in switches {
            let hour = 6 + elapsed / .seconds(6)
            try #require((8...18.01).contains(hour), "a device was switched at \(hour)")
        }
        // 2,000 are expected, and 45 are one standard deviation.
        #expect((1_800...2_200).contains(switches.count))
    }

    @Test("a device answers within the latency, once for repeated commands")
    func latency() throws {
        let latency = Scenario.Latency.uniform(low: .milliseconds(50), high: .milliseconds(250))
        var bench = NodeBench(scenario { $0.answer = latency })
        let command = bench.toggle()
        #expect(bench.send(.command(command)).isEmpty)
        #expect(bench.send(.command(command)).isEmpty)
        let answers = bench.results(until: .seconds(6))
        #expect(answers.map(\.result.verdict) == [.applied])
        let answer = try #require(answers.first)
        #expect((.milliseconds(50)...Duration.milliseconds(250)).contains(answer.at))
        #expect(Duration.microseconds(Int64(answer.result.deviceUs)) >= .milliseconds(50))
    }

    @Test("scenario events do not depend on commands")
    func apartFromCommands() {
        let busy = scenario(speed: 60) {
            $0.answer = .uniform(low: .milliseconds(50), high: .milliseconds(250))
            $0.infrared.loss = 0.5
            $0.network.drops = Scenario.Rate(perHour: 6)
            $0.reboots.rate = Scenario.Rate(perHour: 2)
        }
        func connections(commanded: Bool) -> [String] {
            var bench = NodeBench(busy)
            var seen: [String] = []
            for second in 1...60 {
                if commanded { bench.send(.command(bench.toggle(0, number: UInt64(second)))) }
                var isConnected = bench.node.truth.map(\.isConnected)
                let devices = bench.node.truth.map(\.device)
                for (elapsed, row) in bench.published(until: .seconds(second)) {
                    guard let slot = devices.firstIndex(of: row.device),
                        isConnected[slot] != row.isConnected
                    else { continue }
                    isConnected[slot] = row.isConnected
                    seen.append("\(elapsed) \(slot) \(row.isConnected)")
                }
            }
            return seen
        }
        let alone = connections(commanded: false)
        #expect(alone.count > 20)
        #expect(connections(commanded: true) == alone)
    }

    @Test("effects of events have the times at which the events were due, even if the node is late")
    func lateTurns() {
        let morning = Scenario.Rate(daily: [.init(from: time(6), to: time(7), perHour: 30)])
        let busy = scenario(speed: 60) {
            $0.hangs = Scenario.Hangs(rate: Scenario.Rate(perHour: 30), lasting: .seconds(60))
            $0.network.drops = Scenario.Rate(perHour: 60)
            $0.people.handRemotes = morning
        }
        func trace(inStepsOf step: Duration) -> [DeviceRow] {
            var bench = NodeBench(busy)
            var rows: [DeviceRow] = []
            bench.run(until: .seconds(60), inStepsOf: step) { rows += [$0].published }
            return rows
        }
        let punctual = trace(inStepsOf: .milliseconds(1))
        #expect(punctual.count > 100)
        #expect(trace(inStepsOf: .milliseconds(75)) == punctual)
    }

    @Test("a device slower than its command's time to live answers in time that it expired")
    func tooLate() {
        var bench = NodeBench(scenario { $0.answer = .fixed(.seconds(20)) })
        #expect(bench.send(.command(bench.toggle(timeToLive: .seconds(2)))).isEmpty)
        let answers = bench.results(until: .seconds(30))
        #expect(answers.map(\.at) == [.seconds(2)])
        #expect(answers.map(\.result.verdict) == [.expired])
    }

    @Test("a rebooting device is offline for the simulated time, and may lose its memory")
    func reboots() throws {
        var bench = NodeBench(
            scenario(speed: 60) {
                $0.reboots = Scenario.Reboots(
                    rate: Scenario.Rate(perHour: 1), lasting: .seconds(120), memoryLoss: 1)
            }, devices: 1)
        let before = bench.node.truth[0].reported.incarnation
        let changes = bench.published(until: .seconds(3_600))
        let left = try #require(changes.first { !$0.row.isConnected }).at
        let returned = try #require(changes.first { $0.row.isConnected && $0.at > left }).at
        #expect(returned - left == .seconds(2))
        #expect(bench.node.truth[0].reported.incarnation != before)
    }

    @Test("a hanging device does not answer, and recovers after the scenario's time")
    func hangs() {
        var bench = NodeBench(
            scenario {
                $0.hangs = Scenario.Hangs(rate: Scenario.Rate(perHour: 3_600), lasting: .seconds(3))
            }, devices: 1, seed: 3)
        bench.run(until: .seconds(30))
        bench.send(.command(bench.toggle(timeToLive: .seconds(2))))
        let longest = bench.results(until: .seconds(40)).map(\.result.deviceUs).max() ?? 0
        #expect(longest > 0)
        #expect(longest <= 2_000_000)
    }

    /// A herd of all devices: how many disconnected and returned together, and when.
    private func herd(
        of devices: Int, at time: Scenario.TimeOfDay, until end: Duration
    ) -> (changes: [(at: Duration, change: Int)], most: Int) {
        var bench = NodeBench(
            scenario(speed: 600) {
                $0.herd = Scenario.Herd(times: [time], part: 1, lasting: .seconds(600))
            }, devices: devices)
        var changes: [(at: Duration, change: Int)] = []
        for (elapsed, row) in bench.published(until: end) {
            let change = row.isConnected ? 1 : -1
            if let last = changes.last, last.at == elapsed {
                changes[changes.count - 1].change += change
            } else {
                changes.append((elapsed, change))
            }
        }
        return (changes, bench.mostEffects)
    }

    @Test("a herd disconnects together, returns together, and disconnects again the next day")
    func herd() {
        let changes = herd(of: 10, at: time(7), until: .seconds(300)).changes
        #expect(changes.map(\.change) == [-10, 10, -10, 10, -10, 10])
        let offline = changes.filter { $0.change < 0 }.map { $0.at / .seconds(1) }
        // Seven o'clock is an hour after the start, and days are 144 s apart.
        for (moment, expected) in zip(offline, [6.0, 150, 294]) { #expect(abs(moment - expected) < 0.01) }
        #expect(changes[1].at - changes[0].at == .seconds(1))
    }

    @Test("a herd that is too large for one step disconnects and returns in several short steps")
    func largeHerd() {
        let (changes, most) = herd(of: 40_000, at: time(6, 1), until: .seconds(2))
        // One more each for the ping and the measurements.
        #expect(most <= Node.eventsPerStep + 2)
        #expect(changes.map(\.change) == [-40_000, 40_000])
    }

    @Test("a herd with a part includes that part of the devices")
    func partOfHerd() {
        var bench = NodeBench(
            scenario(speed: 600) {
                $0.herd = Scenario.Herd(times: [time(6, 1)], part: 0.25, lasting: .seconds(6_000))
            }, devices: 20_000)
        bench.run(until: .milliseconds(500))
        #expect((14_700...15_300).contains(bench.connected))
    }

    @Test(
        "a node crashes as often as its scenario says, regardless of its number of devices",
        arguments: [1, 50])
    func crashes(devices: Int) {
        var bench = NodeBench(
            scenario(speed: 60) { $0.nodes = Scenario.Nodes(crashes: Scenario.Rate(perHour: 1)) },
            devices: devices)
        var count = 0
        bench.run(until: .seconds(6_000)) { _, effect in if effect == .crash { count += 1 } }
        // 100 are expected, and 10 are one standard deviation.
        #expect((60...140).contains(count))
    }
}
