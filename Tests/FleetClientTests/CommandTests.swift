import FleetProtocol
import Testing

@testable import FleetClient

@Suite("Commands in flight")
struct CommandTests {
    private func timeout(of request: ClientRequest) -> Duration? {
        guard case .command(let command) = request.body else { return nil }
        return command.timeout
    }

    private func unknown(after elapsed: Duration) throws -> Result<Completion, FleetError> {
        let report = OutcomeReport(
            requestID: Samples.requestID(), device: Samples.device, outcome: .unknown,
            user: try Samples.email(), command: .toggle,
            timing: .init(totalUs: elapsed.wholeMicroseconds))
        return .success(.command(.outcome(report)))
    }

    @Test(
        "every outcome of the only copy is the result",
        arguments: [
            Outcome.applied(Samples.state()), .unchanged(Samples.state()), .conflict(Samples.state()),
            .rejected("37 °C: 16 to 30 are allowed"), .cancelled, .expired, .undetermined(.deviceReset),
            .unknown,
        ])
    func outcomes(outcome: Outcome) throws {
        var stage = try Stage()
        try stage.begin(Samples.toggle())
        let report = try Samples.report(outcome)
        try stage.answer(.outcome(report))
        #expect(stage.ends.map(\.result) == [.success(.command(.outcome(report)))])
        #expect(stage.pending.count == 0)
    }

    @Test("a command has the token and the remaining time")
    func firstMessage() throws {
        var stage = try Stage(isConnected: false)
        try stage.begin(Samples.toggle(timeout: .seconds(3)))
        stage.wait(.seconds(1))
        #expect(stage.sent.isEmpty)
        stage.connect()
        let request = try #require(stage.sent.first?.request)
        #expect(request.token == (try Samples.token()))
        #expect(timeout(of: request) == .seconds(2))
    }

    @Test("a command without a reply is sent again with its ID and less time", arguments: UInt64(1)...20)
    func resends(seed: UInt64) throws {
        var stage = try Stage(seed: seed)
        try stage.begin(Samples.toggle(timeout: .seconds(5)))
        stage.wait(.seconds(5))
        #expect((4...5).contains(stage.sent.count))
        for (at, request) in stage.sent {
            guard case .command(let command) = request.body else {
                Issue.record("not a command: \(request.body)")
                continue
            }
            #expect(command.requestID == Samples.requestID())
            #expect(command.timeout == .seconds(5) - MonotonicTime.zero.duration(to: at))
        }
        for (earlier, later) in zip(stage.sent, stage.sent.dropFirst()) {
            #expect(earlier.at.duration(to: later.at) >= .seconds(1))
            #expect(earlier.at.duration(to: later.at) <= .milliseconds(1_500))
        }
        #expect(stage.pending.counters.resends == UInt64(stage.sent.count - 1))
    }

    @Test("a sent command without a reply ends as unknown 250 ms after its timeout")
    func silence() throws {
        var stage = try Stage()
        try stage.begin(Samples.toggle(timeout: .seconds(2)))
        stage.wait(.milliseconds(2_249))
        #expect(stage.ends.isEmpty)
        stage.wait(.milliseconds(1))
        #expect(stage.ends.map(\.result) == [try unknown(after: .milliseconds(2_250))])
    }

    @Test("a command is not sent after its timeout")
    func nothingLate() throws {
        var stage = try Stage()
        try stage.begin(Samples.toggle(timeout: .milliseconds(900)))
        stage.disconnect()
        stage.wait(.milliseconds(950))
        stage.connect()
        stage.wait(.seconds(1))
        #expect(stage.sent.count == 1)
    }

    @Test("a command without a connection ends as noController")
    func noController() throws {
        var stage = try Stage(isConnected: false)
        try stage.begin(Samples.toggle(timeout: .seconds(2)))
        stage.wait(.seconds(3))
        #expect(stage.ends.map(\.result) == [.failure(.noController(try Samples.endpoint()))])
        #expect(stage.sent.isEmpty)
    }

    @Test("a refusal of the only copy is the result")
    func refusal() throws {
        var stage = try Stage()
        try stage.begin(Samples.toggle())
        try stage.answer(.refusal(.offline(lastSeen: nil)))
        #expect(stage.ends.map(\.result) == [.failure(.refused(.offline(lastSeen: nil)))])
    }

    @Test(
        "a refusal after a second copy was sent is not the result, and a later outcome is",
        arguments: [
            Refusal.offline(lastSeen: nil), .idTooOld(behind: .seconds(1)), .busy(retryAfter: .seconds(1)),
        ])
    func laterRefusal(refusal: Refusal) throws {
        var stage = try Stage()
        try stage.begin(Samples.toggle())
        stage.wait(.milliseconds(1_500))
        #expect(stage.sent.count == 2)
        try stage.answer(.refusal(refusal))
        #expect(stage.ends.isEmpty)
        try stage.answer(.outcome(try Samples.applied()), to: 0)
        #expect(stage.ends.map(\.result) == [.success(.command(.outcome(try Samples.applied())))])
    }

    @Test("a refusal after a second copy was sent ends as unknown without an outcome")
    func onlyLaterRefusal() throws {
        var stage = try Stage()
        try stage.begin(Samples.toggle(timeout: .seconds(2)))
        stage.wait(.milliseconds(1_500))
        try stage.answer(.refusal(.notFound))
        stage.wait(.seconds(1))
        #expect(stage.ends.map(\.result) == [try unknown(after: .milliseconds(2_250))])
    }

    @Test("a command is sent again within 50 ms on a new connection")
    func newConnection() throws {
        var stage = try Stage()
        try stage.begin(Samples.toggle())
        stage.wait(.milliseconds(300))
        stage.disconnect()
        stage.wait(.milliseconds(100))
        stage.connect()
        stage.wait(.milliseconds(50))
        #expect(stage.sent.count == 2)
    }

    @Test(
        "a timeout outside the bounds is refused at once",
        arguments: [Duration.zero, .seconds(-1), .milliseconds(30_001)])
    func bounds(timeout: Duration) throws {
        var stage = try Stage()
        let error = #expect(throws: FleetError.self) {
            try stage.begin(Samples.toggle(timeout: timeout))
        }
        guard case .refused(.invalid) = error else {
            Issue.record("\(String(describing: error)) is not a refusal")
            return
        }
        #expect(stage.sent.isEmpty)
    }

    @Test("an outcome of another request is an unexpected reply")
    func otherRequest() throws {
        var stage = try Stage()
        try stage.begin(Samples.toggle())
        try stage.answer(.outcome(try Samples.report(.expired, id: Samples.requestID(2))))
        #expect(stage.ends.map(\.result) == [.failure(.unexpectedReply)])
    }
}
