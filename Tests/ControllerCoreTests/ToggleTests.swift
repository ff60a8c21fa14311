import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Toggles")
struct ToggleTests {
    private let bench = Bench.withDevices()

    @Test("a toggle is journalled as dispatched before its command is sent, and as ended before the reply")
    func orderOfEffects() throws {
        let toggle = bench.toggle()
        let command = try #require(bench.commands.first)
        guard case .store(.request(.dispatched(let record, let dispatch))) = bench.effects.first else {
            Issue.record("the first effect is not a dispatch: \(bench.effects)")
            return
        }
        #expect(record.requestID == toggle.id)
        #expect(dispatch.identity == command.identity)
        #expect(dispatch.change == command.change)
        #expect(dispatch.base == Version(1))
        #expect(command.change == ACStateChange(isOn: true))
        #expect(command.timeToLive == Limits.defaultTimeout)
        bench.effects = []
        bench.carryOut(command)
        let kinds = bench.effects.map { effect in
            switch effect {
            case .store: "journal"
            case .reply: "reply"
            case .publish(_, let update): if case .outcome = update.body { "outcome" } else { "reported" }
            case .send, .publishLast, .checkPassword, .hashPassword, .message, .halt: "other"
            }
        }
        #expect(kinds == ["journal", "reply", "outcome", "reported"])
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
        #expect(bench.reportedState().state.isOn)
    }

    @Test("a toggle's outcome has the times of its parts")
    func timing() throws {
        let toggle = bench.toggle()
        bench.now = bench.now.advanced(by: .microseconds(300))
        bench.carryOut(bench.commands[0])
        let report = try #require(bench.report(of: toggle.correlation))
        #expect(report.timing == OutcomeReport.Timing(totalUs: 300, queueUs: 0, wireUs: 295, deviceUs: 5))
        #expect((report.attempts, report.versionBefore, report.user) == (1, Version(1), .demo))
    }

    @Test("a toggle repeated with its ID gets the first answer and changes nothing, pending or ended")
    func repeated() {
        let first = bench.toggle()
        let joined = bench.toggle(id: first.id)
        #expect(bench.commands.count == 1)
        #expect(bench.replies(to: joined.correlation).isEmpty)
        bench.carryOut(bench.commands[0])
        let again = bench.toggle(id: first.id)
        let answer = bench.replies(to: first.correlation)
        #expect(answer.count == 1)
        #expect(bench.replies(to: joined.correlation) == answer)
        #expect(bench.replies(to: again.correlation) == answer)
        #expect(bench.commands.count == 1)
    }

    @Test("a toggle has at most four waiters, and a fifth is busy")
    func waiters() {
        let first = bench.toggle()
        let others = (0..<3).map { _ in bench.toggle(id: first.id).correlation }
        let fifth = bench.toggle(id: first.id).correlation
        #expect(bench.refusal(of: fifth) == .busy(retryAfter: Limits.defaultTimeout))
        bench.carryOut(bench.commands[0])
        for correlation in [first.correlation] + others {
            #expect(bench.outcome(of: correlation) == .applied(bench.reportedState()))
        }
    }

    @Test("a toggle with the ID of a different request is a mismatch, pending or ended")
    func mismatch() {
        let first = bench.toggle(0)
        #expect(bench.refusal(of: bench.toggle(1, id: first.id).correlation) == .idMismatch)
        bench.carryOut(bench.commands[0])
        #expect(bench.refusal(of: bench.toggle(1, id: first.id).correlation) == .idMismatch)
        let other = bench.toggle(0, id: first.id, expected: bench.reportedState().expectation)
        #expect(bench.refusal(of: other.correlation) == .idMismatch)
    }

    @Test("a toggle of another account with the same ID is another request")
    func scopeOfIDs() {
        let first = bench.toggle()
        let foreign = bench.toggle(0, id: first.id, token: Bench.strangerToken)
        #expect(bench.refusal(of: foreign.correlation) == .notFound)
    }

    @Test("a toggle waits behind another of its device, and is sent when that has ended")
    func lanes() {
        let first = bench.toggle(0)
        let second = bench.toggle(0)
        let other = bench.toggle(1)
        #expect(bench.commands.map(\.identity.requestID) == [first.id, other.id])
        #expect(
            bench.journal.contains {
                if case .admitted(let record) = $0 { record.requestID == second.id } else { false }
            })
        bench.carryOut(bench.commands[0])
        #expect(bench.commands.map(\.identity.requestID) == [first.id, other.id, second.id])
        #expect(bench.commands[2].change == ACStateChange(isOn: false))
        #expect(bench.commands[2].identity.commandNumber == CommandNumber(2))
        bench.carryOut(bench.commands[2])
        #expect(bench.outcome(of: second.correlation) == .applied(bench.reportedState()))
    }

    @Test("a toggle is busy when its lane has sixteen requests, and other lanes are not affected")
    func fullLane() {
        for _ in 0..<Limits.laneRequests { bench.toggle(0) }
        let refused = bench.toggle(0)
        #expect(bench.refusal(of: refused.correlation) == .busy(retryAfter: .seconds(1)))
        let other = bench.toggle(1)
        #expect(bench.commands.last?.identity.requestID == other.id)
    }

    @Test("a toggle is busy when its account or the controller has too many in flight")
    func fullController() {
        let bench = Bench.withDevices(3) { $0.requestsInFlight = 2 }
        bench.toggle(0)
        bench.toggle(1)
        #expect(bench.refusal(of: bench.toggle(2).correlation) == .busy(retryAfter: Limits.beatInterval))
        bench.carryOut(bench.commands[0])
        #expect(bench.refusal(of: bench.toggle(2).correlation) == nil)
    }

    @Test("a toggle that a hand remote overtakes is resolved again, at most three times")
    func handRemote() {
        let toggle = bench.toggle()
        for round in 0..<Limits.resolutions {
            #expect(bench.commands.count == round + 1)
            bench.change(0, isOn: round.isMultiple(of: 2))
            bench.carryOut(bench.commands[round])
        }
        #expect(bench.commands.count == Limits.resolutions)
        #expect(bench.commands.map(\.identity.commandNumber.value) == [1, 2, 3])
        #expect(bench.commands.map(\.base?.value) == [1, 2, 3])
        #expect(bench.outcome(of: toggle.correlation) == .conflict(bench.reportedState()))
    }

    @Test("a toggle that expects an older version is a conflict, and nothing is sent")
    func expectedPassed() {
        let seen = bench.reportedState().expectation
        bench.change(0, isOn: true)
        bench.publish(0)
        let toggle = bench.toggle(0, expected: seen)
        #expect(bench.outcome(of: toggle.correlation) == .conflict(bench.reportedState()))
        #expect(bench.commands.isEmpty)
        let holding = bench.toggle(0, expected: bench.reportedState().expectation)
        bench.carryOut(bench.commands[0])
        #expect(bench.outcome(of: holding.correlation) == .applied(bench.reportedState()))
    }

    @Test("a toggle whose expected version is overtaken in flight is a conflict, not resolved again")
    func expectedOvertaken() {
        let toggle = bench.toggle(0, expected: bench.reportedState().expectation)
        bench.change(0, isOn: true)
        bench.carryOut(bench.commands[0])
        #expect(bench.outcome(of: toggle.correlation) == .conflict(bench.reportedState()))
        #expect(bench.commands.count == 1)
    }

    @Test("a toggle that expects a newer version than the known one pulls the device's row first")
    func expectedAhead() throws {
        bench.change(0, isOn: true)
        let toggle = bench.toggle(0, expected: bench.reportedState().expectation)
        #expect(bench.commands.isEmpty)
        bench.pass(.milliseconds(1))
        bench.answerPull()
        bench.carryOut(try #require(bench.commands.first))
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
    }

    @Test("a toggle that expects a version that never existed is a conflict after a pull")
    func expectedNever() {
        let never = FleetProtocol.Expectation(
            incarnation: bench.reportedState().incarnation, version: Version(99))
        let toggle = bench.toggle(0, expected: never)
        bench.pass(.milliseconds(1))
        bench.answerPull()
        #expect(bench.outcome(of: toggle.correlation) == .conflict(bench.reportedState()))
        #expect(bench.pullCount == 1)
    }

    @Test("a toggle that the device rejects has the device's reason")
    func rejected() {
        let toggle = bench.toggle()
        bench.answer(bench.commands[0].identity, .rejected("no"))
        #expect(bench.outcome(of: toggle.correlation) == .rejected("no"))
    }

    @Test("a toggle whose command number was used takes the next, unless it has expired")
    func commandNumberTaken() {
        let toggle = bench.toggle()
        bench.answer(bench.commands[0].identity, .commandNumberTaken)
        #expect(bench.commands.map(\.identity.commandNumber.value) == [1, 2])
        bench.carryOut(bench.commands[1])
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
    }

    @Test("a toggle of a device that lost its memory is undetermined, by any message that shows it")
    func deviceReset() {
        let first = bench.toggle(0)
        let second = bench.toggle(1)
        bench.change(0, incarnation: 0xdef)
        bench.publish(0)
        #expect(bench.outcome(of: first.correlation) == .undetermined(.deviceReset))
        bench.change(1, incarnation: 0xded)
        bench.answer(bench.commands[1].identity, .staleIncarnation)
        #expect(bench.outcome(of: second.correlation) == .undetermined(.deviceReset))
        let next = bench.toggle(0)
        #expect(bench.commands.last?.identity.requestID == next.id)
        #expect(bench.commands.last?.identity.commandNumber == CommandNumber(1))
        #expect(bench.commands.last?.identity.incarnation == Incarnation(bits: 0xdef))
    }

    @Test(
        "a toggle with a timeout outside 1 ms to 30 s is invalid",
        arguments: [Duration.seconds(-5), .zero, .seconds(31), .seconds(1_000_000_000)])
    func timeout(_ timeout: Duration) {
        let refusal = bench.refusal(of: bench.toggle(timeout: timeout).correlation)
        #expect(refusal?.problem?.hasSuffix("1 to 30000 are allowed") == true)
        #expect(bench.commands.isEmpty)
    }

    @Test("a toggle whose ID is not a UUIDv7, or is in the future, is invalid with the difference")
    func invalidIDs() {
        let version4 = RequestID(high: 0x1234_5678_1234_4abc, low: 0x8000_0000_0000_0001)
        #expect(bench.refusal(of: bench.toggle(id: version4).correlation)?.kind == "invalid")
        let future = bench.newID(after: .seconds(400))
        let refusal = bench.refusal(of: bench.toggle(id: future).correlation)
        #expect(refusal?.problem?.contains("400 s ahead") == true)
    }

    @Test("a toggle of another account's device is not found, nor, once nodes had time, of an unknown one")
    func notFound() {
        #expect(bench.refusal(of: bench.toggle(77).correlation) == .busy(retryAfter: .milliseconds(500)))
        bench.pass(.seconds(2))
        #expect(bench.refusal(of: bench.toggle(77).correlation) == .notFound)
        #expect(bench.refusal(of: bench.toggle(0, token: Bench.strangerToken).correlation) == .notFound)
    }

    @Test("a toggle of an offline device is refused with the time it was last seen")
    func offline() {
        bench.pass(.milliseconds(300))
        bench.setConnection(0, false)
        #expect(bench.refusal(of: bench.toggle().correlation) == .offline(lastSeen: bench.now.wall))
    }

    @Test("a toggle is forgotten behind a horizon, and older IDs are too old")
    func retention() {
        let bench = Bench.withDevices { $0.retention.results = 1 }
        let old = bench.toggle(0)
        bench.carryOut(bench.commands[0])
        bench.passWithPings(.seconds(30))
        bench.toggle(1)
        bench.carryOut(bench.commands[1])
        bench.passWithPings(.seconds(29))
        #expect(bench.outcome(of: bench.toggle(0, id: old.id).correlation)?.name == "applied")
        bench.passWithPings(.seconds(3))
        #expect(bench.refusal(of: bench.toggle(0, id: old.id).correlation)?.kind == "idTooOld")
        #expect(
            bench.journal.contains {
                if case .horizonRaised(let horizon, of: _?) = $0 { horizon == old.id.time } else { false }
            })
    }
}

@Suite("A lane whose first request waits for the device's state")
struct LaneTests {
    private let bench = Bench.withDevices()

    /// A version that the device has not reported.
    private var ahead: FleetProtocol.Expectation {
        Expectation(incarnation: bench.reportedState().incarnation, version: Version(9))
    }

    @Test(
        "a lane continues when the request that waits for the device's state is cancelled or expires",
        arguments: [Outcome.cancelled, .expired])
    func continues(end: Outcome) {
        let first = bench.toggle(expected: ahead, timeout: .milliseconds(300))
        let second = bench.toggle()
        #expect(bench.commands.isEmpty)
        if end == .cancelled { bench.cancel(first.id) } else { bench.pass(.milliseconds(300)) }
        #expect(bench.outcome(of: first.correlation) == end)
        #expect(bench.commands.map(\.identity.requestID) == [second.id])
    }

    @Test("a request that expired while the controller was frozen is not sent")
    func lateTurn() {
        bench.toggle()
        let second = bench.toggle(timeout: .milliseconds(300))
        bench.now = bench.now.advanced(by: .milliseconds(400))
        bench.carryOut(bench.commands[0])
        #expect(bench.outcome(of: second.correlation) == .expired)
        #expect(bench.commands.count == 1)
        #expect(bench.aborts.isEmpty)
    }
}
