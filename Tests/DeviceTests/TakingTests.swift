import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Commands with a duration")
struct TakingTests {
    private func lasting(_ command: DeviceCommand, _ takes: Duration, ttl: Duration) -> DeviceCommand {
        DeviceCommand(
            identity: command.identity, change: command.change, base: command.base, timeToLive: ttl,
            takesMs: UInt32(takes.wholeMilliseconds))
    }

    @Test("a command with a duration is answered at its end, and a repeat before that has no effect")
    func takes() throws {
        var bench = try NodeBench()
        let command = lasting(bench.toggle(0), .seconds(3), ttl: .seconds(8))
        let before = bench.node.truth[0].reported
        #expect(bench.send(.command(command)).isEmpty)
        #expect(bench.results(bench.turn(after: .seconds(2))).isEmpty)
        #expect(bench.node.truth[0].reported == before)
        #expect(bench.send(.command(command)).isEmpty)
        var results: [CommandResult] = []
        bench.run(until: .seconds(8)) { elapsed, effect in
            guard case .send(let message) = effect, case .result(let result) = message.body else { return }
            #expect(elapsed == .seconds(3))
            results.append(result)
        }
        #expect(results.map(\.verdict) == [.applied])
        #expect(results.first?.deviceUs == 3_000_000)
        #expect(bench.node.truth[0].reported.version == before.version.next)
        #expect(bench.results(bench.send(.command(command))).map(\.verdict) == [.applied])
    }

    @Test("an abort during a command's duration ends it unapplied")
    func aborted() throws {
        var bench = try NodeBench()
        let command = lasting(bench.toggle(0), .seconds(3), ttl: .seconds(8))
        let before = bench.node.truth[0].reported
        _ = bench.send(.command(command))
        _ = bench.turn(after: .seconds(1))
        #expect(bench.results(bench.send(.abort(command.identity))).map(\.verdict) == [.aborted])
        var verdicts: [Verdict] = []
        bench.run(until: .seconds(8)) { _, effect in
            guard case .send(let message) = effect, case .result(let result) = message.body else { return }
            verdicts.append(result.verdict)
        }
        #expect(verdicts.allSatisfy { $0 == .aborted })
        #expect(bench.node.truth[0].reported == before)
    }

    @Test(
        "a command with a time to live shorter than its duration expires at once and changes nothing",
        arguments: [2, 3])
    func expired(ttl: Int) throws {
        var bench = try NodeBench()
        let command = lasting(bench.toggle(0), .seconds(3), ttl: .seconds(ttl))
        let before = bench.node.truth[0].reported
        let results = bench.results(bench.send(.command(command)))
        #expect(results.map(\.verdict) == [.expired])
        #expect(results.first?.deviceUs == 0)
        #expect(bench.node.truth[0].reported == before)
        let next = bench.toggle(0, number: 2)
        #expect(bench.results(bench.send(.command(next))).map(\.verdict) == [.applied])
    }

    @Test("a command continues when a repeat has less time than its duration")
    func repeatedLate() throws {
        var bench = try NodeBench()
        let toggle = bench.toggle(0)
        _ = bench.send(.command(lasting(toggle, .seconds(3), ttl: .seconds(4))))
        _ = bench.turn(after: .seconds(2))
        #expect(bench.results(bench.send(.command(lasting(toggle, .seconds(3), ttl: .seconds(2))))).isEmpty)
        #expect(bench.results(bench.turn(after: .seconds(1))).map(\.verdict) == [.applied])
    }

    @Test("a command with a duration for a hanging device expires at the end of its time to live")
    func hanging() throws {
        var bench = try NodeBench()
        let device = bench.node.truth[0].device
        _ = bench.send(.fault(.hang, devices: [device], duration: .seconds(60)))
        let command = lasting(bench.toggle(0), .seconds(3), ttl: .seconds(2))
        #expect(bench.results(bench.send(.command(command))).isEmpty)
        #expect(bench.results(bench.turn(after: .seconds(2))).map(\.verdict) == [.expired])
    }

    @Test("a command's duration is unchanged when its device recovers, and restarts after a reboot")
    func faults() throws {
        var bench = try NodeBench()
        let device = bench.node.truth[0].device
        _ = bench.send(
            .fault(.slow, devices: [device], duration: .seconds(60), delay: .seconds(20)))
        let command = lasting(bench.toggle(0), .seconds(3), ttl: .seconds(40))
        _ = bench.send(.command(command))
        _ = bench.turn(after: .seconds(1))
        #expect(bench.results(bench.send(.heal(OrderID(bits: 1), devices: [device]))).isEmpty)
        #expect(bench.results(bench.turn(after: .milliseconds(1_999))).isEmpty)
        #expect(bench.results(bench.turn(after: .milliseconds(1))).map(\.verdict) == [.applied])
        let next = lasting(bench.toggle(0, number: 2), .seconds(3), ttl: .seconds(40))
        let before = bench.node.truth[0].reported
        _ = bench.send(.command(next))
        _ = bench.send(.fault(.reboot, devices: [device], duration: .seconds(1)))
        _ = bench.turn(after: .seconds(5))
        #expect(bench.node.truth[0].reported == before)
        _ = bench.send(.command(next))
        #expect(bench.results(bench.turn(after: .seconds(3))).map(\.verdict) == [.applied])
    }
}
