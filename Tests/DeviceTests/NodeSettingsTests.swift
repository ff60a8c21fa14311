import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Timers, filters and other settings of a node")
struct NodeSettingsTests {
    private static let on = ACStateChange(isOn: true)
    private static let off = ACStateChange(isOn: false)
    private static let cooling = ACStateChange(isOn: true, mode: .cool, targetTemperature: 20)

    private var bench = NodeBench(devices: 2)

    /// A quiet scenario with that speed of its clock.
    private func clock(_ speed: Double) -> Scenario {
        var scenario = Scenario.quiet
        scenario.clock.speed = speed
        return scenario
    }

    @Test("a timer command raises the version, and is remembered, answered and published")
    mutating func timerIsACommand() {
        let effects = bench.set(.timer(Self.off, afterSeconds: 60))
        let row = bench.node.truth[0]
        let due = NodeBench.start.wall.advanced(by: .seconds(60))
        let timer = DeviceTimer(change: Self.off, due: due, createdAt: NodeBench.start.wall)
        #expect(row.settings?.timer == timer)
        #expect(row.reported.version == Version(2))
        #expect(effects.verdicts == [.applied])
        #expect(effects.results.map(\.row) == [row])
        #expect(effects.published == [row])
        #expect(effects.prefix(1).remembered.map(\.settings) == [row.settings])
    }

    @Test("a timer sets its device once, by the simulated clock, and is then removed")
    mutating func timerFires() throws {
        bench = NodeBench(clock(10), devices: 2)
        bench.set(.timer(Self.cooling, afterSeconds: 60))
        let fired = bench.published(until: .seconds(60))
        #expect(fired.map(\.at) == [.seconds(6)])
        let row = try #require(fired.first?.row)
        #expect(row.cause == .timer)
        #expect(row.reported.version == Version(3))
        #expect(row.reported.state.isOn && row.reported.state.targetTemperature == 20)
        #expect(row.settings == nil)
    }

    @Test("a timer that is set again starts over, and a removed one does not run")
    mutating func timerReplaced() {
        bench.set(.timer(Self.cooling, afterSeconds: 10))
        bench.turn(after: .seconds(5))
        bench.set(.timer(Self.cooling, afterSeconds: 10), number: 2)
        #expect(bench.turn(after: .seconds(9)).published.isEmpty)
        #expect(bench.set(.noTimer, number: 3).verdicts == [.applied])
        #expect(bench.set(.noTimer, number: 4).verdicts == [.unchanged])
        #expect(bench.published(until: .seconds(60)).map(\.row) == [])
    }

    @Test("a repeated settings command is applied once")
    mutating func twice() {
        bench.set(.timer(Self.off, afterSeconds: 60))
        let first = bench.node.truth[0]
        bench.turn(after: .seconds(5))
        let again = bench.set(.timer(Self.off, afterSeconds: 60))
        #expect(again.verdicts == [.applied])
        #expect(bench.node.truth[0] == first)
    }

    @Test("a settings command with an outdated base is a conflict and changes nothing")
    mutating func conflict() {
        let effects = bench.set(.filterCleaned, base: Version(7))
        #expect(effects.verdicts == [.conflict])
        #expect(bench.settings == nil)
    }

    @Test("a timer that was due while its node was away runs once at its return")
    mutating func timerOverRestarts() throws {
        let set = bench.set(.timer(Self.cooling, afterSeconds: 60))
        let second = NodeBench(
            devices: 2, remembering: try NodeBench(devices: 2).memory(and: set),
            after: .seconds(100))
        #expect(second.node.truth[0].reported.incarnation == bench.node.truth[0].reported.incarnation)
        let fired = second.firstEffects
        #expect(fired.published.map(\.cause) == [.timer])
        #expect(second.settings == nil)
        let known = try bench.memory(and: fired)
        let third = NodeBench(devices: 2, remembering: known, after: .seconds(200))
        #expect(third.firstEffects.published.isEmpty)
        #expect(third.node.truth[0].reported == second.node.truth[0].reported)
        #expect(third.node.truth[0].cause == .timer)
    }

    @Test("settings and counters are restored from a rewritten memory")
    mutating func rewritten() throws {
        bench.set(.timer(Self.off, afterSeconds: 600))
        bench.set(.filterCleaned, number: 2)
        let react = ClimateReact(
            measure: .humidity, low: nil, high: .init(tenths: 600, change: ACStateChange(mode: .dry)))
        bench.set(.climateReact(react), number: 3)
        let again = NodeBench(devices: 2, remembering: try bench.memory())
        #expect(again.node.truth.map(\.settings) == bench.node.truth.map(\.settings))
        #expect(again.node.truth.map(\.reported) == bench.node.truth.map(\.reported))
    }

    @Test("a reset device has no settings")
    mutating func reset() throws {
        bench.set(.timer(Self.off, afterSeconds: 60))
        let effects = bench.inject(.reset, [0])
        #expect(effects.published.map(\.settings) == [nil])
        let set = try bench.memory(and: effects)
        #expect(set.settings(of: bench.node.truth[0].device) == nil)
    }

    @Test("filter hours count while the device is on, by any cause, and start at zero after cleaning")
    mutating func filter() throws {
        bench = NodeBench(clock(100), devices: 2)
        bench.set(.filterCleaned)
        func running() -> Double? {
            let now = NodeBench.start.wall.advanced(by: bench.elapsed)
            return bench.settings?.filter?.runningSeconds(at: now)
        }
        func make(_ isOn: Bool, _ number: UInt64) {
            bench.send(.command(bench.command(ACStateChange(isOn: isOn), number: number)))
        }
        make(true, 2)
        make(false, 3)
        bench.turn(after: .seconds(10))
        #expect(running() == 0)
        make(true, 4)
        bench.turn(after: .seconds(10))
        #expect(running() == 1_000)
        bench.inject(.flip, [0])
        bench.turn(after: .seconds(10))
        #expect(running() == 1_000)
        make(true, 5)
        bench.turn(after: .seconds(36))
        #expect(running() == 4_600)
        #expect(bench.set(.filterThreshold(seconds: 3_600), number: 6).results.count == 1)
        let status = try #require(bench.settings?.filter)
        let now = NodeBench.start.wall.advanced(by: bench.elapsed)
        #expect(status.shouldClean(at: now))
        #expect(status.cleanedAt == NodeBench.start.wall)
        bench.set(.filterCleaned, number: 7)
        #expect(running() == 0)
        #expect(bench.settings?.filter?.thresholdSeconds == 3_600)
    }

    @Test("filter hours count while the node was away")
    mutating func filterOffline() throws {
        bench.set(.filterCleaned)
        bench.send(.command(bench.toggle(0, number: 2)))
        if !bench.node.truth[0].reported.state.isOn {
            bench.send(.command(bench.toggle(0, number: 3)))
        }
        let again = NodeBench(devices: 2, remembering: try bench.memory(), after: .seconds(500))
        let filter = try #require(again.settings?.filter)
        #expect(filter.runningSeconds(at: NodeBench.start.wall.advanced(by: .seconds(501))) == 501)
    }

    @Test("a change of the clock's speed changes the pace of filter hours from then on")
    mutating func filterPace() throws {
        bench.set(.filterCleaned)
        if !bench.node.truth[0].reported.state.isOn {
            bench.send(.command(bench.toggle(0, number: 2)))
        }
        bench.turn(after: .seconds(100))
        let effects = bench.step(.scenario(OrderID(bits: 1), clock(60), beganAt: bench.now.wall))
        #expect(effects.published.map(\.reported) == [bench.node.truth[0].reported])
        let filter = try #require(bench.settings?.filter)
        #expect(filter.runningSeconds(at: NodeBench.start.wall.advanced(by: .seconds(110))) == 700)
        let known = try NodeBench(devices: 2).memory(and: effects)
        #expect(known.settings(of: bench.node.truth[0].device)?.filter == filter)
    }
}
