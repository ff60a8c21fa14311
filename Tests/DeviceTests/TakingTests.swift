import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Commands with a duration")
struct TakingTests {
    private var bench = NodeBench()

    @Test("a command with a duration is answered at its end, and a repeat before that has no effect")
    mutating func takes() {
        let command = bench.toggle(timeToLive: .seconds(8), takes: .seconds(3))
        let before = bench.node.truth[0].reported
        #expect(bench.send(.command(command)).isEmpty)
        #expect(bench.turn(after: .seconds(2)).results.isEmpty)
        #expect(bench.node.truth[0].reported == before)
        #expect(bench.send(.command(command)).isEmpty)
        let results = bench.results(until: .seconds(8))
        #expect(results.map(\.at) == [.seconds(3)])
        #expect(results.map(\.result.verdict) == [.applied])
        #expect(results.first?.result.deviceUs == 3_000_000)
        #expect(bench.node.truth[0].reported.version == before.version.next)
        #expect(bench.send(.command(command)).verdicts == [.applied])
    }

    @Test("an abort during a command's duration ends it unapplied")
    mutating func aborted() {
        let command = bench.toggle(timeToLive: .seconds(8), takes: .seconds(3))
        let before = bench.node.truth[0].reported
        bench.send(.command(command))
        bench.turn(after: .seconds(1))
        #expect(bench.send(.abort(command.identity)).verdicts == [.aborted])
        #expect(bench.results(until: .seconds(8)).allSatisfy { $0.result.verdict == .aborted })
        #expect(bench.node.truth[0].reported == before)
    }

    @Test(
        "a command with a time to live shorter than its duration expires at once and changes nothing",
        arguments: [2, 3])
    mutating func expired(ttl: Int) {
        let command = bench.toggle(timeToLive: .seconds(ttl), takes: .seconds(3))
        let before = bench.node.truth[0].reported
        let results = bench.send(.command(command)).results
        #expect(results.map(\.verdict) == [.expired])
        #expect(results.first?.deviceUs == 0)
        #expect(bench.node.truth[0].reported == before)
        let next = bench.toggle(0, number: 2)
        #expect(bench.send(.command(next)).verdicts == [.applied])
    }

    @Test("a command continues when a repeat has less time than its duration")
    mutating func repeatedLate() {
        bench.send(.command(bench.toggle(timeToLive: .seconds(4), takes: .seconds(3))))
        bench.turn(after: .seconds(2))
        let late = bench.toggle(timeToLive: .seconds(2), takes: .seconds(3))
        #expect(bench.send(.command(late)).results.isEmpty)
        #expect(bench.turn(after: .seconds(1)).verdicts == [.applied])
    }

    @Test("a command with a duration for a hanging device expires at the end of its time to live")
    mutating func hanging() {
        bench.inject(.hang, [0], for: .seconds(60))
        let command = bench.toggle(timeToLive: .seconds(2), takes: .seconds(3))
        #expect(bench.send(.command(command)).results.isEmpty)
        #expect(bench.turn(after: .seconds(2)).verdicts == [.expired])
    }

    @Test("a command's duration is unchanged when its device recovers, and restarts after a reboot")
    mutating func faults() {
        let device = bench.node.truth[0].device
        bench.inject(.slow, [0], for: .seconds(60), delay: .seconds(20))
        let command = bench.toggle(timeToLive: .seconds(40), takes: .seconds(3))
        bench.send(.command(command))
        bench.turn(after: .seconds(1))
        #expect(bench.send(.heal(OrderID(bits: 1), devices: [device])).results.isEmpty)
        #expect(bench.turn(after: .milliseconds(1_999)).results.isEmpty)
        #expect(bench.turn(after: .milliseconds(1)).verdicts == [.applied])
        let next = bench.toggle(number: 2, timeToLive: .seconds(40), takes: .seconds(3))
        let before = bench.node.truth[0].reported
        bench.send(.command(next))
        bench.inject(.reboot, [0], for: .seconds(1))
        bench.turn(after: .seconds(5))
        #expect(bench.node.truth[0].reported == before)
        bench.send(.command(next))
        #expect(bench.turn(after: .seconds(3)).verdicts == [.applied])
    }
}
