import FleetProtocol
import FleetTime
import Testing

@testable import FleetClient

@Suite("A command whose task is cancelled")
struct CancelledCommandTests {
    /// A command that has left and was cancelled 100 ms later.
    private func cancelled() throws -> Stage {
        var stage = try Stage()
        let number = try stage.begin(Samples.toggle())
        stage.wait(.milliseconds(100))
        stage.cancel(number)
        return stage
    }

    private func end(_ stage: Stage) throws -> CommandEnd {
        let end = try #require(stage.ends.first)
        #expect(stage.ends.count == 1)
        guard case .command(let command) = try end.result.get() else {
            throw FleetError.unexpectedReply
        }
        return command
    }

    @Test("one that never left ends at once, and never leaves")
    func unsent() throws {
        var stage = try Stage(isConnected: false)
        let number = try stage.begin(Samples.toggle())
        stage.cancel(number)
        #expect(try end(stage) == .cancel(.cancelled))
        stage.connect()
        stage.wait(.seconds(10))
        #expect(stage.sent.isEmpty)
    }

    @Test("its cancel leaves at once, with 2 s and the session's token")
    func cancelLeaves() throws {
        let stage = try cancelled()
        let request = try #require(stage.sent.last?.request)
        #expect(request.body == .cancel(Samples.requestID(), patience: .seconds(2)))
        #expect(request.token == (try Samples.token()))
        #expect(stage.ends.isEmpty)
    }

    @Test("what the controller says of the cancel is the end")
    func answers() throws {
        for answer in [CancelAnswer.cancelled, .tooLate(try Samples.applied()), .pending] {
            var stage = try cancelled()
            try stage.answer(.cancel(Samples.requestID(), answer))
            #expect(try end(stage) == .cancel(answer))
        }
    }

    @Test("a final outcome that overtakes the cancel's answer says the same")
    func outcomeOvertakes() throws {
        var stage = try cancelled()
        try stage.answer(.outcome(try Samples.applied()), to: 0)
        #expect(try end(stage) == .cancel(.tooLate(try Samples.applied())))

        stage = try cancelled()
        try stage.answer(.outcome(try Samples.report(.cancelled)), to: 0)
        #expect(try end(stage) == .cancel(.cancelled))
    }

    @Test("an outcome that is not final, or a refusal of the command, leaves the word to the cancel")
    func inconclusive() throws {
        for body in [ClientReply.Body.outcome(try Samples.report(.unknown)), .refusal(.notFound)] {
            var stage = try cancelled()
            try stage.answer(body, to: 0)
            #expect(stage.ends.isEmpty)
            try stage.answer(.cancel(Samples.requestID(), .cancelled), to: 1)
            #expect(try end(stage) == .cancel(.cancelled))
        }
    }

    @Test("the command never leaves again; the cancel does, after silence and with a new connection")
    func onlyTheCancelRepeats() throws {
        var stage = try cancelled()
        stage.wait(.milliseconds(999))
        #expect(left(stage) == ["command", "cancel"])
        // Up to 50 ms of chance, so that many do not repeat at once.
        stage.wait(.milliseconds(51))
        #expect(left(stage) == ["command", "cancel", "cancel"])
        stage.disconnect()
        stage.connect()
        stage.wait(.milliseconds(50))
        #expect(left(stage) == ["command", "cancel", "cancel", "cancel"])
        // No time is left for it when it would leave next.
        stage.wait(.milliseconds(1_149))
        #expect(left(stage).count == 4)
        #expect(stage.ends.isEmpty)
    }

    /// What has left, in order.
    private func left(_ stage: Stage) -> [String] {
        stage.sent.map { sent in
            switch sent.request.body {
            case .command: "command"
            case .cancel(Samples.requestID(), _): "cancel"
            default: "\(sent.request.body)"
            }
        }
    }

    @Test("a cancel without an answer ends as unknown, 2.25 s after it")
    func unanswered() throws {
        var stage = try cancelled()
        stage.wait(.milliseconds(2_249))
        #expect(stage.ends.isEmpty)
        stage.wait(.milliseconds(1))
        guard case .outcome(let report) = try end(stage) else {
            Issue.record("not an outcome")
            return
        }
        #expect(report.outcome == .unknown)
    }

    @Test("a cancel that is refused ends as unknown; one that meets a busy controller goes on")
    func refusedCancel() throws {
        var stage = try cancelled()
        try stage.answer(.refusal(.busy(retryAfter: .milliseconds(10))))
        #expect(stage.ends.isEmpty)
        try stage.answer(.refusal(.unauthenticated), to: 1)
        guard case .outcome(let report) = try end(stage) else {
            Issue.record("not an outcome")
            return
        }
        #expect(report.outcome == .unknown)
    }
}
