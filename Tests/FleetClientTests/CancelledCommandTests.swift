import FleetProtocol
import Testing

@testable import FleetClient

@Suite("Cancelled commands")
struct CancelledCommandTests {
    /// A command that was sent and cancelled 100 ms later.
    private func cancelled() throws -> Stage {
        var stage = try Stage()
        let number = try stage.begin(Samples.toggle())
        stage.wait(.milliseconds(100))
        stage.cancel(number)
        return stage
    }

    private func end(_ stage: Stage) throws -> CommandCompletion {
        let end = try #require(stage.ends.first)
        #expect(stage.ends.count == 1)
        guard case .command(let command) = try end.result.get() else {
            throw FleetError.unexpectedReply
        }
        return command
    }

    @Test("a command that is cancelled before it was sent ends at once and is never sent")
    func unsent() throws {
        var stage = try Stage(isConnected: false)
        let number = try stage.begin(Samples.toggle())
        stage.cancel(number)
        #expect(try end(stage) == .cancel(.cancelled))
        stage.connect()
        stage.wait(.seconds(10))
        #expect(stage.sent.isEmpty)
    }

    @Test("a cancel is sent at once, with a timeout of 2 s and the session's token")
    func cancelIsSent() throws {
        let stage = try cancelled()
        let request = try #require(stage.sent.last?.request)
        #expect(request.body == .cancel(Samples.requestID(), timeout: .seconds(2)))
        #expect(request.token == (try Samples.token()))
        #expect(stage.ends.isEmpty)
    }

    @Test("the controller's answer to the cancel is the result")
    func answers() throws {
        for answer in [CancelReply.cancelled, .tooLate(try Samples.applied()), .pending] {
            var stage = try cancelled()
            try stage.answer(.cancel(Samples.requestID(), answer))
            #expect(try end(stage) == .cancel(answer))
        }
    }

    @Test("a final outcome before the cancel's answer is the result")
    func outcomeOvertakes() throws {
        var stage = try cancelled()
        try stage.answer(.outcome(try Samples.applied()), to: 0)
        #expect(try end(stage) == .cancel(.tooLate(try Samples.applied())))

        stage = try cancelled()
        try stage.answer(.outcome(try Samples.report(.cancelled)), to: 0)
        #expect(try end(stage) == .cancel(.cancelled))
    }

    @Test("an outcome that is not final, or a refusal, leaves the result to the cancel")
    func inconclusive() throws {
        for body in [ClientReply.Body.outcome(try Samples.report(.unknown)), .refusal(.notFound)] {
            var stage = try cancelled()
            try stage.answer(body, to: 0)
            #expect(stage.ends.isEmpty)
            try stage.answer(.cancel(Samples.requestID(), .cancelled), to: 1)
            #expect(try end(stage) == .cancel(.cancelled))
        }
    }

    @Test("a cancelled command is not sent again, and its cancel is, after silence and on reconnect")
    func onlyTheCancelRepeats() throws {
        var stage = try cancelled()
        stage.wait(.milliseconds(999))
        #expect(sent(stage) == ["command", "cancel"])
        // Up to 50 ms of randomness, so that many do not repeat at once.
        stage.wait(.milliseconds(51))
        #expect(sent(stage) == ["command", "cancel", "cancel"])
        stage.disconnect()
        stage.connect()
        stage.wait(.milliseconds(50))
        #expect(sent(stage) == ["command", "cancel", "cancel", "cancel"])
        // No time remains for it when it would be sent next.
        stage.wait(.milliseconds(1_149))
        #expect(sent(stage).count == 4)
        #expect(stage.ends.isEmpty)
    }

    /// The messages sent, in order.
    private func sent(_ stage: Stage) -> [String] {
        stage.sent.map { sent in
            switch sent.request.body {
            case .command: "command"
            case .cancel(Samples.requestID(), _): "cancel"
            default: "\(sent.request.body)"
            }
        }
    }

    @Test("a cancel without an answer ends as unknown after 2.25 s")
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

    @Test("a refused cancel ends as unknown, and one refused as busy is repeated")
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
