import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Retries to a silent device")
struct RetryTests {
    @Test("a command without an answer is sent again after 1 s with the remaining time")
    func resends() throws {
        let bench = try Bench.withDevices()
        bench.toggle()
        bench.passWithPings(.milliseconds(900))
        #expect(bench.commands.count == 1)
        bench.passWithPings(.milliseconds(200))
        #expect(bench.commands.count == 2)
        #expect(bench.commands[1].identity == bench.commands[0].identity)
        #expect(bench.commands[1].timeToLive <= .seconds(4))
    }

    @Test("each retry costs a token, and a device has ten")
    func budget() throws {
        var budget = RetryBudget()
        let spent = (0..<20).map { _ in budget.spend(on: 1) }
        #expect(spent == Array(repeating: true, count: 10) + Array(repeating: false, count: 10))
        for _ in 0..<10 { budget.earn(for: 1) }
        #expect(budget.spend(on: 1) == true)
        #expect(budget.spend(on: 1) == false)
        #expect(budget.spend(on: 2) == true)
    }

    @Test("a request without an answer is unknown at its deadline, and its device gets aborts from then on")
    func unknown() throws {
        let bench = try Bench.withDevices()
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
    func unknownHoldsLane() throws {
        let bench = try Bench.withDevices()
        let toggle = bench.toggle(timeout: .seconds(1))
        bench.passWithPings(.seconds(1))
        #expect(bench.refusal(of: bench.toggle().correlation) == .busy(retryAfter: Limits.beatInterval))
        #expect(bench.outcome(of: bench.toggle(id: toggle.id).correlation) == .unknown)
        #expect(bench.outcome(of: bench.ask(.outcome(toggle.id))) == .unknown)
    }

    @Test("an unknown request ends with the device's late answer, in the stream and for later queries")
    func unknownResolved() throws {
        for (verdict, outcome) in [(Verdict.aborted, Outcome.expired), (.expired, .expired)] {
            let bench = try Bench.withDevices()
            let toggle = bench.toggle(timeout: .seconds(1))
            bench.passWithPings(.seconds(2))
            bench.answer(bench.commands[0].identity, verdict)
            #expect(bench.replies(to: toggle.correlation).count == 1)
            #expect(
                bench.updates.contains {
                    if case .outcome(let report) = $0.body { report.outcome == outcome } else { false }
                })
            #expect(bench.outcome(of: bench.ask(.outcome(toggle.id))) == outcome)
            #expect(bench.outcome(of: bench.toggle(id: toggle.id).correlation) == outcome)
        }
    }

    @Test("a device that applied a command in time reports so when asked after the deadline")
    func appliedUnacknowledged() throws {
        let bench = try Bench.withDevices()
        let toggle = bench.toggle(timeout: .seconds(1))
        let command = bench.commands[0]
        bench.passWithPings(.seconds(2))
        bench.carryOut(command)
        #expect(bench.outcome(of: bench.ask(.outcome(toggle.id))) == .applied(bench.reportedState()))
        #expect(bench.commands.count == bench.commands.filter { $0.identity == command.identity }.count)
    }

    @Test("a command is sent again without a token when its node reconnects")
    func newConnection() throws {
        let bench = try Bench.withDevices()
        bench.toggle()
        let elsewhere = ConnectionID(high: 9, low: 9)
        bench.hello(on: elsewhere)
        #expect(
            bench.sent(to: elsewhere).contains {
                if case .command(let command) = $0 {
                    command.identity == bench.commands[0].identity
                } else {
                    false
                }
            })
    }

    @Test("a device whose connection returns gets its command in flight once more")
    func deviceBack() throws {
        let bench = try Bench.withDevices()
        bench.toggle()
        bench.change(0, isConnected: false)
        bench.publish(0)
        bench.passWithPings(.seconds(2))
        #expect(bench.commands.count == 1)
        bench.change(0, isConnected: true)
        bench.publish(0)
        #expect(bench.commands.count == 2)
    }

    @Test("a request expires in its lane, without being sent, if its device disconnects")
    func expiresInLane() throws {
        let bench = try Bench.withDevices()
        bench.toggle(0, timeout: .seconds(30))
        let waiting = bench.toggle(0, timeout: .seconds(2))
        bench.change(0, isConnected: false)
        bench.publish(0)
        bench.passWithPings(.seconds(2))
        #expect(bench.outcome(of: waiting.correlation) == .expired)
        #expect(bench.commands.allSatisfy { $0.identity.requestID != waiting.id })
    }

    @Test("a device that is silent for a day is gone, and its request is undetermined")
    func deviceGone() throws {
        let bench = try Bench.withDevices {
            $0.retention.longest = .seconds(10)
            $0.retention.shortest = .seconds(1)
        }
        let toggle = bench.toggle(timeout: .seconds(1))
        bench.pass(.seconds(12))
        #expect(bench.outcome(of: bench.ask(.outcome(toggle.id))) == .undetermined(.deviceGone))
    }

    @Test("a result with a higher epoch halts the controller, as another one is active")
    func fenced() throws {
        let bench = try Bench.withDevices()
        bench.toggle()
        let row = bench.rows[0]
        bench.rows[0] = DeviceRow(
            device: row.device, number: row.number, reported: row.reported, epoch: Epoch(11),
            lastCommandNumber: row.lastCommandNumber, isConnected: true)
        bench.answer(bench.commands[0].identity, .staleEpoch)
        #expect(bench.effects.last == .halt(fencedBy: Epoch(11)))
    }

    @Test("retries are delayed by a random time of at most 0.5 s")
    func jitter() {
        var generator = SeededGenerator(seed: 3)
        let waits = (0..<1_000).map { Backoff.jitter(afterTries: $0 % 12, using: &generator) }
        #expect(waits.allSatisfy { (.zero ... .milliseconds(500)).contains($0) })
        #expect(waits.contains { $0 > .milliseconds(400) })
        #expect(
            (0..<100).map { _ in Backoff.jitter(afterTries: 0, using: &generator) }.allSatisfy {
                $0 <= .milliseconds(50)
            })
    }
}
