import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Scenario events in a node")
struct NodeEventTests {
    private static let requestID = RequestID(high: 1, low: 1)

    private func scenario(speed: Double = 1, _ change: (inout Scenario) -> Void) throws -> Scenario {
        var scenario = Scenario(name: "test")
        scenario.clock = Scenario.Clock(speed: speed, start: try time(6))
        change(&scenario)
        return scenario
    }

    private func time(_ hour: Int, _ minute: Int = 0) throws -> Scenario.TimeOfDay {
        try #require(Scenario.TimeOfDay(hour: hour, minute: minute))
    }

    private func command(_ bench: NodeBench, timeToLive: Duration = .seconds(5)) -> Node.Input {
        let row = bench.node.truth[0]
        let identity = CommandIdentity(
            device: row.device, incarnation: row.reported.incarnation, commandNumber: CommandNumber(1),
            requestID: Self.requestID)
        let change = ACStateChange(isOn: !row.reported.state.isOn)
        let command = DeviceCommand(identity: identity, change: change, base: nil, timeToLive: timeToLive)
        return .controller(ControllerMessage(epoch: Epoch(1), body: .command(command)))
    }

    /// The verdicts among the effects, with the time that the device took.
    private func verdict(_ effect: Node.Effect) -> CommandResult? {
        guard case .send(let message) = effect, case .result(let result) = message.body else { return nil }
        return result
    }

    @Test("few turns have as many events as many turns, but a frozen process skips its frozen time")
    func fewTurns() throws {
        let storm = try scenario(speed: 100) { $0.people.handRemotes = Scenario.Rate(perHour: 3_600) }
        var bench = try NodeBench(storm)
        func flips(_ effects: [Node.Effect]) -> Int {
            effects.count { if case .publish = $0 { true } else { false } }
        }
        var seen = 0
        for _ in 0..<100 { seen += flips(bench.turn(after: .milliseconds(50))) }
        // 10 devices with 1,000 events a second together, for 5 s.
        #expect((4_600...5_400).contains(seen))
        #expect((40...400).contains(flips(bench.turn(after: .seconds(3_600)))))
    }

    @Test("people switch devices in the hours of a rate only, as often as it says")
    func profile() throws {
        let hours = Scenario.Rate(daily: [.init(from: try time(8), to: try time(18), perHour: 2)])
        var bench = try NodeBench(scenario(speed: 600) { $0.people.switches = hours }, devices: 100)
        var inside = 0
        try bench.run(until: .seconds(144)) { elapsed, effect in
            guard case .publish = effect else { return }
            let hour = 6 + elapsed / .seconds(6)
            try #require((8...18.01).contains(hour), "a device was switched at \(hour)")
            inside += 1
        }
        // 2,000 are expected, and 45 are one standard deviation.
        #expect((1_800...2_200).contains(inside))
    }

    @Test("a device answers within the latency, once for repeated commands")
    func latency() throws {
        let latency = Scenario.Latency.uniform(low: .milliseconds(50), high: .milliseconds(250))
        var bench = try NodeBench(scenario { $0.answer = latency })
        let command = command(bench)
        #expect(bench.step(command).isEmpty)
        #expect(bench.step(command).isEmpty)
        var answers: [(at: Duration, CommandResult)] = []
        bench.run(until: .seconds(6)) { elapsed, effect in
            if let result = verdict(effect) { answers.append((elapsed, result)) }
        }
        #expect(answers.map(\.1.verdict) == [.applied])
        let answer = try #require(answers.first)
        #expect((.milliseconds(50)...Duration.milliseconds(250)).contains(answer.at))
        #expect(Duration.microseconds(Int64(answer.1.deviceUs)) >= .milliseconds(50))
    }

    @Test("scenario events do not depend on commands")
    func apartFromCommands() throws {
        let busy = try scenario(speed: 60) {
            $0.answer = .uniform(low: .milliseconds(50), high: .milliseconds(250))
            $0.infrared.loss = 0.5
            $0.network.drops = Scenario.Rate(perHour: 6)
            $0.reboots.rate = Scenario.Rate(perHour: 2)
        }
        func connections(commanded: Bool) throws -> [String] {
            var bench = try NodeBench(busy)
            var seen: [String] = []
            for second in 1...60 {
                if commanded { _ = bench.send(.command(bench.toggle(0, number: UInt64(second)))) }
                var isConnected = bench.node.truth.map(\.isConnected)
                let devices = bench.node.truth.map(\.device)
                bench.run(until: .seconds(second)) { elapsed, effect in
                    guard case .publish(let row) = effect,
                        let slot = devices.firstIndex(of: row.device), isConnected[slot] != row.isConnected
                    else { return }
                    isConnected[slot] = row.isConnected
                    seen.append("\(elapsed) \(slot) \(row.isConnected)")
                }
            }
            return seen
        }
        let alone = try connections(commanded: false)
        #expect(alone.count > 20)
        #expect(try connections(commanded: true) == alone)
    }

    @Test("effects of events have the times at which the events were due, even if the node is late")
    func lateTurns() throws {
        let (six, seven) = (try time(6), try time(7))
        let busy = try scenario(speed: 60) {
            $0.hangs = Scenario.Hangs(rate: Scenario.Rate(perHour: 30), lasting: .seconds(60))
            $0.network.drops = Scenario.Rate(perHour: 60)
            $0.people.handRemotes = Scenario.Rate(daily: [.init(from: six, to: seven, perHour: 30)])
        }
        func trace(inStepsOf step: Duration) throws -> [DeviceRow] {
            var bench = try NodeBench(busy)
            var rows: [DeviceRow] = []
            bench.run(until: .seconds(60), inStepsOf: step) { effect in
                if case .publish(let row) = effect { rows.append(row) }
            }
            return rows
        }
        let punctual = try trace(inStepsOf: .milliseconds(1))
        #expect(punctual.count > 100)
        #expect(try trace(inStepsOf: .milliseconds(75)) == punctual)
    }

    @Test("a device slower than its command's time to live answers in time that it expired")
    func tooLate() throws {
        var bench = try NodeBench(scenario { $0.answer = .fixed(.seconds(20)) })
        #expect(bench.step(command(bench, timeToLive: .seconds(2))).isEmpty)
        var answers: [(Duration, Verdict)] = []
        bench.run(until: .seconds(30)) { elapsed, effect in
            if let result = verdict(effect) { answers.append((elapsed, result.verdict)) }
        }
        #expect(answers.map(\.0) == [.seconds(2)])
        #expect(answers.map(\.1) == [.expired])
    }

    @Test("a rebooting device is offline for the simulated time, and may lose its memory")
    func reboots() throws {
        var bench = try NodeBench(
            scenario(speed: 60) {
                $0.reboots = Scenario.Reboots(
                    rate: Scenario.Rate(perHour: 1), lasting: .seconds(120), memoryLoss: 1)
            }, devices: 1)
        let before = bench.node.truth[0].reported.incarnation
        var offline: Duration?
        var back: Duration?
        bench.run(until: .seconds(3_600)) { elapsed, effect in
            guard case .publish(let row) = effect, back == nil else { return }
            if !row.isConnected, offline == nil { offline = elapsed }
            if row.isConnected { back = elapsed }
        }
        let (left, returned) = (try #require(offline), try #require(back))
        #expect(returned - left == .seconds(2))
        #expect(bench.node.truth[0].reported.incarnation != before)
    }

    @Test("a hanging device does not answer, and recovers after the scenario's time")
    func hangs() throws {
        var bench = try NodeBench(
            scenario {
                $0.hangs = Scenario.Hangs(rate: Scenario.Rate(perHour: 3_600), lasting: .seconds(3))
            }, devices: 1, seed: 3)
        var longest = Duration.zero
        bench.run(until: .seconds(30)) { _, _ in }
        _ = bench.step(command(bench, timeToLive: .seconds(2)))
        bench.run(until: .seconds(40)) { _, effect in
            if let result = verdict(effect) {
                longest = max(longest, .microseconds(Int64(result.deviceUs)))
            }
        }
        #expect(longest > .zero)
        #expect(longest <= .seconds(2))
    }

    /// A herd of all devices: how many disconnected and returned together, and when.
    private func herd(
        of devices: Int, at time: Scenario.TimeOfDay, until end: Duration
    ) throws -> (changes: [(at: Duration, change: Int)], most: Int) {
        var bench = try NodeBench(
            scenario(speed: 600) {
                $0.herd = Scenario.Herd(times: [time], part: 1, lasting: .seconds(600))
            }, devices: devices)
        var changes: [(at: Duration, change: Int)] = []
        bench.run(until: end) { elapsed, effect in
            guard case .publish(let row) = effect else { return }
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
    func herd() throws {
        let changes = try herd(of: 10, at: time(7), until: .seconds(300)).changes
        #expect(changes.map(\.change) == [-10, 10, -10, 10, -10, 10])
        let offline = changes.filter { $0.change < 0 }.map { $0.at / .seconds(1) }
        // Seven o'clock is an hour after the start, and days are 144 s apart.
        for (moment, expected) in zip(offline, [6.0, 150, 294]) { #expect(abs(moment - expected) < 0.01) }
        #expect(changes[1].at - changes[0].at == .seconds(1))
    }

    @Test("a herd that is too large for one step disconnects and returns in several short steps")
    func largeHerd() throws {
        let (changes, most) = try herd(of: 40_000, at: time(6, 1), until: .seconds(2))
        // One more each for the ping and the measurements.
        #expect(most <= Node.eventsPerStep + 2)
        #expect(changes.map(\.change) == [-40_000, 40_000])
    }

    @Test("a herd with a part includes that part of the devices")
    func partOfHerd() throws {
        let times = [try time(6, 1)]
        var bench = try NodeBench(
            scenario(speed: 600) {
                $0.herd = Scenario.Herd(times: times, part: 0.25, lasting: .seconds(6_000))
            }, devices: 20_000)
        bench.run(until: .milliseconds(500)) { _, _ in }
        #expect((14_700...15_300).contains(bench.connected))
    }

    @Test(
        "a node crashes as often as its scenario says, regardless of its number of devices",
        arguments: [1, 50])
    func crashes(devices: Int) throws {
        var bench = try NodeBench(
            scenario(speed: 60) { $0.nodes = Scenario.Nodes(crashes: Scenario.Rate(perHour: 1)) },
            devices: devices)
        var count = 0
        bench.run(until: .seconds(6_000)) { _, effect in if effect == .crash { count += 1 } }
        // 100 are expected, and 10 are one standard deviation.
        #expect((60...140).contains(count))
    }
}
