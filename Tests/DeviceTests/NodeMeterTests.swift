import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("NodeMeter")
struct NodeMeterTests {
    private static let start = MonotonicTime.zero

    /// Passes a controller's message to a node, and sends all its effects after a while.
    private func count(
        _ body: ControllerMessage.Body, of bench: inout NodeBench, sentAfter wait: Duration,
        in meter: inout NodeMeter
    ) {
        let message = ControllerMessage(epoch: Epoch(1), body: body)
        meter.begin(.controller(message), at: Self.start)
        meter.end(bench.step(.controller(message)), at: Self.start.advanced(by: wait))
    }

    @Test("a meter counts commands, results by verdict, and the time of each command")
    func commands() throws {
        var bench = try NodeBench()
        var meter = NodeMeter()
        let command = bench.toggle(0)
        count(.command(command), of: &bench, sentAfter: .microseconds(40), in: &meter)
        // The same again: the device repeats its answer.
        count(.command(command), of: &bench, sentAfter: .microseconds(10), in: &meter)
        // Based on its former version.
        let late = DeviceCommand(
            identity: CommandIdentity(
                device: command.identity.device, incarnation: command.identity.incarnation,
                commandNumber: CommandNumber(2), requestID: RequestID(high: 0, low: 2)),
            change: command.change, base: command.base, timeToLive: .seconds(5))
        count(.command(late), of: &bench, sentAfter: .seconds(20), in: &meter)
        let counters = meter.counters
        #expect(counters.commands == 3)
        #expect(counters[.applied] == 2)
        #expect(counters[.conflict] == 1)
        #expect(counters.results.reduce(0, +) == 3)
        #expect(counters.publishedRows == 1)
        #expect(counters.rememberedEntries == 2)
        #expect(counters.commandTime.counts.reduce(0, +) == 3)
        #expect(counters.commandTime.counts[0] == 1, "10 µs are not longer than 10 µs")
        #expect(counters.commandTime.counts[2] == 1, "40 µs are longer than 25 µs and not longer than 50 µs")
        #expect(counters.commandTime.counts.last == 1, "20 s are longer than any bound")
        #expect(counters.commandTime.sumUs == 20_000_050)
    }

    @Test("a command's time includes the delay of a slow device, and aborts count too")
    func slow() throws {
        var bench = try NodeBench()
        var meter = NodeMeter()
        let command = bench.toggle(0)
        let fault = ControllerMessage.Body.fault(
            .slow, devices: [command.identity.device], duration: .seconds(60), delay: .milliseconds(300))
        count(fault, of: &bench, sentAfter: .zero, in: &meter)
        count(.command(command), of: &bench, sentAfter: .zero, in: &meter)
        #expect(meter.counters.commandTime == DurationCounts(), "it has not answered yet")
        meter.begin(.turn, at: Self.start)
        meter.end(bench.turn(after: .milliseconds(300)), at: Self.start)
        #expect(meter.counters.commandTime.sumUs == 300_000)
        count(.abort(command.identity), of: &bench, sentAfter: .seconds(1), in: &meter)
        #expect(meter.counters.commandTime.sumUs == 1_300_000)
        #expect(meter.counters.results.reduce(0, +) == 2)
    }

    @Test("a command's time includes the wait for room on the disk")
    func paused() throws {
        var bench = try NodeBench()
        var meter = NodeMeter()
        let message = ControllerMessage(epoch: Epoch(1), body: .command(bench.toggle(0)))
        meter.begin(.controller(message), at: Self.start)
        let effects = bench.step(.controller(message))
        meter.endTurn(at: Self.start.advanced(by: .milliseconds(1)))
        meter.begin(.turn, at: Self.start.advanced(by: .seconds(2)))
        meter.end(effects, at: Self.start.advanced(by: .seconds(2)))
        #expect(meter.counters.commandTime.sumUs == 2_000_000)
    }

    @Test("counters are sent with every second ping, so at most once a second")
    func reporting() {
        var meter = NodeMeter()
        meter.begin(.turn, at: Self.start)
        meter.endTurn(at: Self.start.advanced(by: .milliseconds(7)))
        meter.countRefused()
        let first = meter.report(memoryBytes: 1_234, timers: 5)
        #expect(first?.memoryBytes == 1_234)
        #expect(first?.timers == 5)
        #expect(first?.longestTurnUs == 7_000)
        #expect(first?.refusedMessages == 1)
        #expect(meter.report(memoryBytes: 1_300, timers: 5) == nil)
        meter.begin(.turn, at: Self.start)
        meter.endTurn(at: Self.start.advanced(by: .milliseconds(2)))
        let second = meter.report(memoryBytes: 1_300, timers: 6)
        #expect(second?.longestTurnUs == 2_000, "the longest since the last report")
        #expect(second?.refusedMessages == 1, "counters continue")
        #expect(Limits.beatInterval * 2 >= .seconds(1))
    }

    @Test("a meter counts the measurements of each pod")
    func measurements() throws {
        var bench = try NodeBench(devices: 3)
        var meter = NodeMeter()
        bench.run(until: .seconds(91)) { _, effect in meter.end([effect], at: Self.start) }
        #expect(meter.counters.publishedMeasurements >= 3)
    }
}
