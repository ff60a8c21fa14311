import FleetProtocol
import Testing

@testable import ControllerCore

/// Every row of the contract's table on cancelling.
@Suite("Cancels")
struct CancelTests {
    private let bench = Bench.withDevices()

    @Test(
        "a cancel in the turn that dispatched its command keeps the command from being sent",
        arguments: [Command.Kind.toggle, .set(ACStateChange(isOn: true)), .configure(.filterCleaned)])
    func replayed(kind: Command.Kind) {
        let id = bench.newID()
        let command = Command(requestID: id, device: bench.rows[0].device, kind: kind)
        var effects = Controller.Effects()
        for body in [ClientRequest.Body.command(command), .cancel(id, timeout: nil)] {
            let request = ClientRequest(correlation: 1, token: nil, body: body)
            bench.controller.step(
                .client(Bench.client, request, digest: Bench.token), at: bench.now, into: &effects)
        }
        bench.effects = effects.all
        #expect(bench.commands.isEmpty)
        #expect(bench.aborts.map(\.requestID) == [id])
    }

    @Test("a cancel of an unknown ID leaves a tombstone, and a request that arrives later is not executed")
    func tombstone() {
        let id = bench.newID()
        #expect(bench.cancelReply(of: bench.cancel(id)) == .cancelled)
        let report = OutcomeReport(requestID: id, device: nil, outcome: .cancelled, user: .demo)
        let tombstone = JournalEntry.ended(.demo, report, content: nil, at: bench.now.wall)
        #expect(bench.effects.first == .store(.request(tombstone)))
        let late = bench.toggle(id: id)
        #expect(bench.outcome(of: late.correlation) == .cancelled)
        #expect(bench.commands.isEmpty)
    }

    @Test("a request that is cancelled before it arrives is published then, and again with its device")
    func metTombstone() throws {
        let id = bench.newID()
        for _ in 0..<2 { #expect(bench.cancelReply(of: bench.cancel(id)) == .cancelled) }
        let unmet = OutcomeReport(requestID: id, device: nil, outcome: .cancelled, user: .demo)
        #expect(bench.publishedOutcomes == [unmet])
        bench.effects = []
        for _ in 0..<2 { #expect(bench.outcome(of: bench.toggle(id: id).correlation) == .cancelled) }
        let first = try #require(bench.publishedOutcomes.first)
        #expect(bench.publishedOutcomes.count == 1)
        #expect((first.requestID, first.outcome) == (id, .cancelled))
        #expect((first.device, first.command) == (bench.rows[0].device, .toggle))
        #expect(bench.replies(to: bench.ask(.outcome(id))) == [.outcome(first)])
        let history = try bench.history(back: .seconds(60)).flatMap(\.outcomes)
        #expect(history.map(\.report) == [first])
        try bench.restartWithNode()
        #expect(bench.outcome(of: bench.toggle(id: id).correlation) == .cancelled)
        #expect(bench.replies(to: bench.ask(.outcome(id))) == [.outcome(first)])
        #expect(bench.publishedOutcomes.isEmpty)
        #expect(bench.refusal(of: bench.toggle(1, id: id).correlation) == .idMismatch)
        #expect(bench.commands.isEmpty)
    }

    @Test("a cancelled request for another account's device is published without it, to its own account")
    func metByAStranger() {
        let id = bench.newID()
        bench.ask(.cancel(id, timeout: nil), token: Bench.strangerToken)
        #expect(bench.outcome(of: bench.toggle(id: id, token: Bench.strangerToken).correlation) == .cancelled)
        #expect(bench.publishedOutcomes.map(\.device) == [nil])
        let accounts = bench.effects.compactMap {
            if case .publish(let account, _) = $0 { account } else { nil }
        }
        #expect(accounts == [.other])
    }

    @Test("a cancel of a queued request ends it as cancelled for both clients")
    func admitted() {
        bench.toggle(0)
        let waiting = bench.toggle(0)
        #expect(bench.cancelReply(of: bench.cancel(waiting.id)) == .cancelled)
        #expect(bench.outcome(of: waiting.correlation) == .cancelled)
        bench.carryOut(bench.commands[0])
        #expect(bench.commands.count == 1)
    }

    @Test("a cancel of a dispatched request asks the device, and its answer aborted ends the request")
    func inTime() throws {
        let toggle = bench.toggle()
        let correlation = bench.cancel(toggle.id)
        #expect(bench.replies(to: correlation).isEmpty)
        #expect(bench.aborts == [bench.commands[0].identity])
        let journalled = bench.effects.firstIndex {
            if case .store(.request(.cancelRequested)) = $0 { true } else { false }
        }
        let sent = bench.effects.firstIndex {
            if case .send(_, let message) = $0, case .abort = message.body { true } else { false }
        }
        #expect(try #require(journalled) < #require(sent))
        bench.answer(bench.commands[0].identity, .aborted)
        #expect(bench.cancelReply(of: correlation) == .cancelled)
        #expect(bench.outcome(of: toggle.correlation) == .cancelled)
    }

    @Test("a cancel of a dispatched request that the device has applied is too late, with the outcome")
    func tooLate() throws {
        let toggle = bench.toggle()
        let correlation = bench.cancel(toggle.id)
        bench.carryOut(bench.commands[0])
        let report = try #require(bench.tooLateReport(of: correlation))
        #expect(report.outcome == .applied(bench.reportedState()))
        #expect(bench.outcome(of: toggle.correlation) == report.outcome)
        #expect(bench.cancelReply(of: bench.cancel(toggle.id)) == .tooLate(report))
    }

    @Test("a cancel for an unreachable device is pending at once, and no command is sent again")
    func unreachable() {
        let toggle = bench.toggle(timeout: .seconds(30))
        bench.setConnection(0, false)
        #expect(bench.cancelReply(of: bench.cancel(toggle.id)) == .pending)
        bench.setConnection(0, true)
        bench.passWithPings(.seconds(3))
        #expect(bench.commands.count == 1)
        #expect(!bench.aborts.isEmpty)
        bench.answer(bench.commands[0].identity, .aborted)
        #expect(bench.outcome(of: toggle.correlation) == .cancelled)
        #expect(bench.cancelReply(of: bench.cancel(toggle.id)) == .cancelled)
    }

    @Test("a cancel is pending at its own timeout, and the final outcome can be queried later")
    func ownDeadline() {
        let toggle = bench.toggle(timeout: .seconds(30))
        let correlation = bench.cancel(toggle.id, timeout: .seconds(1))
        bench.passWithPings(.seconds(1))
        #expect(bench.cancelReply(of: correlation) == .pending)
        #expect(bench.replies(to: toggle.correlation).isEmpty)
        bench.answer(bench.commands[0].identity, .aborted)
        #expect(bench.replies(to: correlation).count == 1)
        #expect(bench.outcome(of: toggle.correlation) == .cancelled)
    }

    @Test("a conflict after a cancel is final")
    func conflict() {
        let toggle = bench.toggle()
        let correlation = bench.cancel(toggle.id)
        bench.change(0, isOn: true)
        bench.carryOut(bench.commands[0])
        #expect(bench.commands.count == 1)
        #expect(bench.outcome(of: toggle.correlation) == .conflict(bench.reportedState()))
        #expect(bench.tooLateReport(of: correlation) != nil)
    }

    @Test("a cancel of another account's request leaves only a tombstone in its own account")
    func foreign() {
        let toggle = bench.toggle()
        bench.ask(.cancel(toggle.id, timeout: nil), token: Bench.strangerToken)
        #expect(bench.aborts.isEmpty)
        bench.carryOut(bench.commands[0])
        #expect(bench.outcome(of: toggle.correlation) == .applied(bench.reportedState()))
    }

    @Test("a cancel has at most four waiters")
    func waiters() {
        let toggle = bench.toggle()
        let correlations = (0..<5).map { _ in bench.cancel(toggle.id) }
        #expect(bench.refusal(of: correlations[4]) == .busy(retryAfter: Limits.beatInterval))
        bench.answer(bench.commands[0].identity, .aborted)
        #expect(correlations[..<4].allSatisfy { bench.cancelReply(of: $0) == .cancelled })
    }
}
