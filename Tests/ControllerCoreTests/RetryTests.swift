import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Retries to a silent device")
struct RetryTests {
    private let bench = Bench.withDevices()

    @Test("a command without an answer is sent again after 1 s with the remaining time")
    func resends() {
        bench.toggle()
        bench.passWithPings(.milliseconds(900))
        #expect(bench.commands.count == 1)
        bench.passWithPings(.milliseconds(200))
        #expect(bench.commands.count == 2)
        #expect(bench.commands[1].identity == bench.commands[0].identity)
        #expect(bench.commands[1].timeToLive <= .seconds(4))
    }

    @Test("each retry costs a token, and a device has ten")
    func budget() {
        var budget = RetryBudget()
        let spent = (0..<20).map { _ in budget.spend(on: 1) }
        #expect(spent == Array(repeating: true, count: 10) + Array(repeating: false, count: 10))
        for _ in 0..<10 { budget.earn(for: 1) }
        #expect(budget.spend(on: 1) == true)
        #expect(budget.spend(on: 1) == false)
        #expect(budget.spend(on: 2) == true)
    }

    @Test("a request without an answer is unknown at its deadline, and its device gets aborts from then on")
    func unknown() {
        let toggle = bench.toggle(timeout: .seconds(3))
        bench.passWithPings(.seconds(3))
        #expect(bench.outcome(of: toggle.correlation) == .unknown)
        let commandsThen = bench.commands.count
        #expect(bench.aborts.first == bench.commands[0].identity)
        let abortsThen = bench.aborts.count
        bench.passWithPings(.seconds(2))
        #expect(bench.commands.count == commandsThen)
        #expect(bench.aborts.count == abortsThen + 4)
    }

    @Test("a lane stays blocked while its request is unknown: new requests are busy, repeats are unknown")
    func unknownHoldsLane() {
        let toggle = bench.toggle(timeout: .seconds(1))
        bench.passWithPings(.seconds(1))
        #expect(bench.refusal(of: bench.toggle().correlation) == .busy(retryAfter: Limits.beatInterval))
        #expect(bench.outcome(of: bench.toggle(id: toggle.id).correlation) == .unknown)
        #expect(bench.outcome(of: toggle.id) == .unknown)
    }

    @Test(
        "an unknown request ends with the device's late answer, in the stream and for later queries",
        arguments: [Verdict.aborted, .expired])
    func unknownResolved(verdict: Verdict) {
        let toggle = bench.toggle(timeout: .seconds(1))
        bench.passWithPings(.seconds(2))
        bench.answer(bench.commands[0].identity, verdict)
        #expect(bench.replies(to: toggle.correlation).count == 1)
        #expect(bench.publishedOutcomes.map(\.outcome).contains(.expired))
        #expect(bench.outcome(of: toggle.id) == .expired)
        #expect(bench.outcome(of: bench.toggle(id: toggle.id).correlation) == .expired)
    }

    @Test("a device that applied a command in time reports so when asked after the deadline")
    func appliedUnacknowledged() {
        let toggle = bench.toggle(timeout: .seconds(1))
        let command = bench.commands[0]
        bench.passWithPings(.seconds(2))
        bench.carryOut(command)
        #expect(bench.outcome(of: toggle.id) == .applied(bench.reportedState()))
        #expect(bench.commands.count == bench.commands.filter { $0.identity == command.identity }.count)
    }

    @Test("a command is sent again without a token when its node reconnects")
    func newConnection() {
        bench.toggle()
        let elsewhere = ConnectionID(high: 9, low: 9)
        bench.hello(on: elsewhere)
        #expect(bench.commands(to: elsewhere).map(\.identity) == [bench.commands[0].identity])
    }

    @Test("a device whose connection returns gets its command in flight once more")
    func deviceBack() {
        bench.toggle()
        bench.setConnection(0, false)
        bench.passWithPings(.seconds(2))
        #expect(bench.commands.count == 1)
        bench.setConnection(0, true)
        #expect(bench.commands.count == 2)
    }

    @Test("a request expires in its lane, without being sent, if its device disconnects")
    func expiresInLane() {
        bench.toggle(0, timeout: .seconds(30))
        let waiting = bench.toggle(0, timeout: .seconds(2))
        bench.setConnection(0, false)
        bench.passWithPings(.seconds(2))
        #expect(bench.outcome(of: waiting.correlation) == .expired)
        #expect(bench.commands.allSatisfy { $0.identity.requestID != waiting.id })
    }

    @Test("a device that is silent for a day is gone, and its request is undetermined")
    func deviceGone() {
        let bench = Bench.withDevices {
            $0.retention.longest = .seconds(10)
            $0.retention.shortest = .seconds(1)
        }
        let toggle = bench.toggle(timeout: .seconds(1))
        bench.pass(.seconds(12))
        #expect(bench.outcome(of: toggle.id) == .undetermined(.deviceGone))
    }

    @Test("a result with a higher epoch halts the controller, as another one is active")
    func fenced() {
        bench.toggle()
        bench.rows[0] = bench.rows[0].with(epoch: Epoch(11))
        bench.answer(bench.commands[0].identity, .staleEpoch)
        #expect(bench.effects.last == .halt(fencedBy: Epoch(11)))
    }

    @Test("retries are delayed by a random time of at most 0.5 s")
    func jitter() {
        var generator = SeededGenerator(seed: 3)
        let waits = (0..<1_000).map { Backoff.jitter(afterTries: $0 % 12, using: &generator) }
        #expect(waits.allSatisfy { (.zero ... .milliseconds(500)).contains($0) })
        #expect(waits.contains { $0 > .milliseconds(400) })
        let first = (0..<100).map { _ in Backoff.jitter(afterTries: 0, using: &generator) }
        #expect(first.allSatisfy { $0 <= .milliseconds(50) })
    }
}
