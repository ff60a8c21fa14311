import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Timers, filters and other settings of a node")
struct NodeSettingsTests {
    private static let on = ACStateChange(isOn: true)
    private static let off = ACStateChange(isOn: false)
    private static let cooling = ACStateChange(isOn: true, mode: .cool, targetTemperature: 20)

    /// A node whose first device has that setting.
    private func bench(
        _ setting: SettingChange, _ scenario: Scenario = .quiet
    ) throws -> (bench: NodeBench, effects: [Node.Effect]) {
        var bench = try NodeBench(scenario, devices: 2)
        let effects = bench.send(bench.command(setting))
        return (bench, effects)
    }

    @Test("a timer command raises the version, and is remembered, answered and published")
    func timerIsACommand() throws {
        let (bench, effects) = try bench(.timer(Self.off, afterSeconds: 60))
        let row = bench.node.truth[0]
        let due = NodeBench.start.wall.advanced(by: .seconds(60))
        let timer = DeviceTimer(change: Self.off, due: due, createdAt: NodeBench.start.wall)
        #expect(row.settings?.timer == timer)
        #expect(row.reported.version == Version(2))
        #expect(bench.results(effects).map(\.verdict) == [.applied])
        #expect(bench.results(effects).map(\.row) == [row])
        #expect(bench.published(effects) == [row])
        guard case .remember(let entry)? = effects.first else { throw Unexpected.effects(effects) }
        #expect(entry.settings == row.settings)
    }

    private enum Unexpected: Error { case effects([Node.Effect]) }

    @Test("a timer sets its device once, by the simulated clock, and is then removed")
    func timerFires() throws {
        var scenario = Scenario.quiet
        scenario.clock.speed = 10
        var (bench, _) = try bench(.timer(Self.cooling, afterSeconds: 60), scenario)
        var fired: [(Duration, DeviceRow)] = []
        bench.run(until: .seconds(60)) { time, effect in
            if case .publish(let row) = effect { fired.append((time, row)) }
        }
        #expect(fired.map(\.0) == [.seconds(6)])
        let row = try #require(fired.first?.1)
        #expect(row.cause == .timer)
        #expect(row.reported.version == Version(3))
        #expect(row.reported.state.isOn && row.reported.state.targetTemperature == 20)
        #expect(row.settings == nil)
    }

    @Test("a timer that is set again starts over, and a removed one does not run")
    func timerReplaced() throws {
        var (bench, _) = try bench(.timer(Self.cooling, afterSeconds: 10))
        _ = bench.turn(after: .seconds(5))
        _ = bench.send(bench.command(.timer(Self.cooling, afterSeconds: 10), number: 2))
        #expect(bench.published(bench.turn(after: .seconds(9))).isEmpty)
        #expect(bench.results(bench.send(bench.command(.noTimer, number: 3))).map(\.verdict) == [.applied])
        #expect(
            bench.results(bench.send(bench.command(.noTimer, number: 4))).map(\.verdict) == [.unchanged])
        bench.run(until: .seconds(60)) { _, effect in
            if case .publish(let row) = effect { Issue.record("\(row)") }
        }
    }

    @Test("a repeated settings command is applied once")
    func twice() throws {
        var (bench, _) = try bench(.timer(Self.off, afterSeconds: 60))
        let first = bench.node.truth[0]
        let identity = CommandIdentity(
            device: first.device, incarnation: first.reported.incarnation, commandNumber: CommandNumber(1),
            requestID: RequestID(high: 0, low: 1))
        _ = bench.turn(after: .seconds(5))
        let again = bench.send(
            .configure(
                DeviceCommand(
                    identity: identity, change: ACStateChange(), base: nil, timeToLive: .seconds(5)),
                .timer(Self.off, afterSeconds: 60)))
        #expect(bench.results(again).map(\.verdict) == [.applied])
        #expect(bench.node.truth[0] == first)
    }

    @Test("a settings command with an outdated base is a conflict and changes nothing")
    func conflict() throws {
        var bench = try NodeBench(devices: 2)
        let effects = bench.send(bench.command(.filterCleaned, base: Version(7)))
        #expect(bench.results(effects).map(\.verdict) == [.conflict])
        #expect(bench.node.truth[0].settings == nil)
    }

    @Test("a timer that was due while its node was away runs once at its return")
    func timerOverRestarts() throws {
        let (first, set) = try bench(.timer(Self.cooling, afterSeconds: 60))
        let second = try NodeBench(
            devices: 2, remembering: try NodeBench(devices: 2).memory(and: set),
            after: .seconds(100))
        #expect(second.node.truth[0].reported.incarnation == first.node.truth[0].reported.incarnation)
        let fired = second.firstEffects
        #expect(second.published(fired).map(\.cause) == [.timer])
        #expect(second.node.truth[0].settings == nil)
        let known = try first.memory(and: fired)
        let third = try NodeBench(devices: 2, remembering: known, after: .seconds(200))
        #expect(third.published(third.firstEffects).isEmpty)
        #expect(third.node.truth[0].reported == second.node.truth[0].reported)
        #expect(third.node.truth[0].cause == .timer)
    }

    @Test("settings and counters are restored from a rewritten memory")
    func rewritten() throws {
        var (bench, _) = try bench(.timer(Self.off, afterSeconds: 600))
        _ = bench.send(bench.command(.filterCleaned, number: 2))
        let react = ClimateReact(
            measure: .humidity, low: nil, high: .init(tenths: 600, change: ACStateChange(mode: .dry)))
        _ = bench.send(bench.command(.climateReact(react), number: 3))
        let again = try NodeBench(devices: 2, remembering: try bench.memory())
        #expect(again.node.truth.map(\.settings) == bench.node.truth.map(\.settings))
        #expect(again.node.truth.map(\.reported) == bench.node.truth.map(\.reported))
    }

    @Test("a reset device has no settings")
    func reset() throws {
        var (bench, _) = try bench(.timer(Self.off, afterSeconds: 60))
        let effects = bench.send(
            .fault(.reset, devices: [bench.node.truth[0].device], duration: .zero))
        #expect(bench.published(effects).map(\.settings) == [nil])
        let set = try bench.memory(and: effects)
        #expect(set.settings(of: bench.node.truth[0].device) == nil)
    }

    @Test("filter hours count while the device is on, by any cause, and start at zero after cleaning")
    func filter() throws {
        var scenario = Scenario.quiet
        scenario.clock.speed = 100
        var (bench, _) = try bench(.filterCleaned, scenario)
        func running() -> Double? {
            let now = NodeBench.start.wall.advanced(by: bench.elapsed)
            return bench.node.truth[0].settings?.filter?.runningSeconds(at: now)
        }
        func make(_ isOn: Bool, _ number: UInt64) {
            let row = bench.node.truth[0]
            _ = bench.send(
                .command(
                    DeviceCommand(
                        identity: CommandIdentity(
                            device: row.device, incarnation: row.reported.incarnation,
                            commandNumber: CommandNumber(number),
                            requestID: RequestID(high: 0, low: number)),
                        change: ACStateChange(isOn: isOn), base: nil, timeToLive: .seconds(5))))
        }
        make(true, 2)
        make(false, 3)
        _ = bench.turn(after: .seconds(10))
        #expect(running() == 0)
        make(true, 4)
        _ = bench.turn(after: .seconds(10))
        #expect(running() == 1_000)
        _ = bench.send(.fault(.flip, devices: [bench.node.truth[0].device], duration: .zero))
        _ = bench.turn(after: .seconds(10))
        #expect(running() == 1_000)
        make(true, 5)
        _ = bench.turn(after: .seconds(36))
        #expect(running() == 4_600)
        #expect(
            bench.results(bench.send(bench.command(.filterThreshold(seconds: 3_600), number: 6))).count == 1
        )
        let status = try #require(bench.node.truth[0].settings?.filter)
        let now = NodeBench.start.wall.advanced(by: bench.elapsed)
        #expect(status.shouldClean(at: now))
        #expect(status.cleanedAt == NodeBench.start.wall)
        _ = bench.send(bench.command(.filterCleaned, number: 7))
        #expect(running() == 0)
        #expect(bench.node.truth[0].settings?.filter?.thresholdSeconds == 3_600)
    }

    @Test("filter hours count while the node was away")
    func filterOffline() throws {
        var (bench, _) = try bench(.filterCleaned)
        _ = bench.send(.command(bench.toggle(0, number: 2)))
        if !bench.node.truth[0].reported.state.isOn {
            _ = bench.send(.command(bench.toggle(0, number: 3)))
        }
        let again = try NodeBench(
            devices: 2, remembering: try bench.memory(), after: .seconds(500))
        let filter = try #require(again.node.truth[0].settings?.filter)
        #expect(filter.runningSeconds(at: NodeBench.start.wall.advanced(by: .seconds(501))) == 501)
    }

    @Test("a change of the clock's speed changes the pace of filter hours from then on")
    func filterPace() throws {
        var (bench, _) = try bench(.filterCleaned)
        if !bench.node.truth[0].reported.state.isOn {
            _ = bench.send(.command(bench.toggle(0, number: 2)))
        }
        _ = bench.turn(after: .seconds(100))
        var faster = Scenario.quiet
        faster.clock.speed = 60
        let effects = bench.step(.scenario(OrderID(bits: 1), faster, beganAt: bench.now.wall))
        #expect(bench.published(effects).map(\.reported) == [bench.node.truth[0].reported])
        let filter = try #require(bench.node.truth[0].settings?.filter)
        #expect(filter.runningSeconds(at: NodeBench.start.wall.advanced(by: .seconds(110))) == 700)
        let known = try NodeBench(devices: 2).memory(and: effects)
        #expect(known.settings(of: bench.node.truth[0].device)?.filter == filter)
    }
}
