import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("NodeMeter")
struct NodeMeterTests {
    private static let start = MonotonicTime.zero
    private var bench = NodeBench()
    private var meter = NodeMeter()

    /// Passes a controller's message to a node, and sends all its effects after a while.
    private mutating func count(_ body: ControllerMessage.Body, sentAfter wait: Duration) {
        let message = ControllerMessage(epoch: Epoch(1), body: body)
        meter.begin(.controller(message), at: Self.start)
        meter.end(bench.step(.controller(message)), at: Self.start.advanced(by: wait))
    }

    @Test("a meter counts commands, results by verdict, and the time of each command")
    mutating func commands() {
        let command = bench.toggle(0)
        count(.command(command), sentAfter: .microseconds(40))
        // The same again: the device repeats its answer.
        count(.command(command), sentAfter: .microseconds(10))
        // Based on its former version.
        let late = bench.command(command.change, number: 2, base: command.base)
        count(.command(late), sentAfter: .seconds(20))
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
    mutating func slow() {
        let command = bench.toggle(0)
        let fault = ControllerMessage.Body.fault(
            .slow, devices: [command.identity.device], duration: .seconds(60), delay: .milliseconds(300))
        count(fault, sentAfter: .zero)
        count(.command(command), sentAfter: .zero)
        #expect(meter.counters.commandTime == DurationCounts(), "it has not answered yet")
        meter.begin(.turn, at: Self.start)
        meter.end(bench.turn(after: .milliseconds(300)), at: Self.start)
        #expect(meter.counters.commandTime.sumUs == 300_000)
        count(.abort(command.identity), sentAfter: .seconds(1))
        #expect(meter.counters.commandTime.sumUs == 1_300_000)
        #expect(meter.counters.results.reduce(0, +) == 2)
    }

    @Test("a command's time includes the wait for room on the disk")
    mutating func paused() {
        let message = ControllerMessage(epoch: Epoch(1), body: .command(bench.toggle(0)))
        meter.begin(.controller(message), at: Self.start)
        let effects = bench.step(.controller(message))
        meter.endTurn(at: Self.start.advanced(by: .milliseconds(1)))
        meter.begin(.turn, at: Self.start.advanced(by: .seconds(2)))
        meter.end(effects, at: Self.start.advanced(by: .seconds(2)))
        #expect(meter.counters.commandTime.sumUs == 2_000_000)
    }

    @Test("counters are sent with every second ping, so at most once a second")
    mutating func reporting() {
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
    mutating func measurements() {
        bench = NodeBench(devices: 3)
        bench.run(until: .seconds(91)) { _, effect in meter.end([effect], at: Self.start) }
        #expect(meter.counters.publishedMeasurements >= 3)
    }
}
