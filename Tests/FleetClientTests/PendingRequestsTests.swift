import Bus
import FleetProtocol
import Testing

@testable import FleetClient

@Suite("PendingRequests")
struct PendingRequestsTests {
    private let status = StatusReport(epoch: Epoch(3), devices: 100)

    @Test("a reply ends the request with its correlation and no other")
    func replies() throws {
        var stage = try Stage()
        let first = try stage.begin(.status)
        let second = try stage.begin(.status)
        try stage.answer(.status(status), to: 1)
        #expect(stage.ends.map(\.number) == [second])
        #expect(stage.ends.map(\.result) == [.success(.reply(.status(status)))])
        try stage.answer(.refusal(.unauthenticated), to: 0)
        #expect(stage.ends.map(\.number) == [second, first])
        #expect(stage.ends.last?.result == .failure(.refused(.unauthenticated)))
    }

    @Test("a second reply to a request is counted and dropped")
    func unknownReply() throws {
        var stage = try Stage()
        try stage.begin(.status)
        try stage.answer(.status(status))
        try stage.answer(.status(status))
        #expect(stage.ends.count == 1)
        #expect(stage.pending.counters.unknownReplies == 1)
    }

    @Test("a query without a reply ends as noAnswer, and one that was not sent as noController")
    func deadlines() throws {
        var stage = try Stage()
        try stage.begin(.status, timeout: .seconds(2))
        stage.wait(.milliseconds(1_999))
        #expect(stage.ends.isEmpty)
        stage.wait(.milliseconds(1))
        #expect(stage.ends.map(\.result) == [.failure(.noReply(waited: .seconds(2)))])

        stage = try Stage(isConnected: false)
        try stage.begin(.status, timeout: .seconds(2))
        stage.wait(.seconds(2))
        #expect(stage.ends.map(\.result) == [.failure(.noController(try Samples.endpoint()))])
    }

    @Test("on a new connection queries are sent again, and requests with effects are not")
    func newConnection() throws {
        let (email, password) = (try Samples.email(), try #require(Password("secret")))
        let user = User(email: email, role: .member, isOperator: false)
        let once: [ClientRequest.Body] = [
            .login(email: email, password: password), .logout(everywhere: false),
            .inject(.flip, devices: [Samples.device], duration: .zero), .heal([]),
            .selfService(.signUp(email: email, password: password)), .selfService(.forgotPassword(email)),
            .selfService(.resetPassword(to: password)),
            // A refused second copy would hide the success of the first.
            .addUser(user, password: password), .removeUser(email), .changePassword(email, to: password),
        ]
        let again: [ClientRequest.Body] = [
            .status, .outcome(Samples.requestID()), .snapshot(cursor: 0), .users,
            .selfService(.availability), .cancel(Samples.requestID(), timeout: .seconds(5)),
        ]
        for (bodies, copies) in [(once, 1), (again, 2)] {
            for body in bodies {
                var stage = try Stage()
                try stage.begin(body)
                stage.disconnect()
                stage.connect()
                stage.wait(copies == 1 ? .seconds(2) : .milliseconds(100))
                #expect(stage.sent.count == copies, "\(body)")
            }
        }
    }

    @Test("a cancel has the remaining time, and waits 250 ms longer")
    func cancelTime() throws {
        var stage = try Stage(isConnected: false)
        try stage.begin(.cancel(Samples.requestID(), timeout: .seconds(3)), timeout: .seconds(3))
        stage.wait(.seconds(1))
        stage.connect()
        #expect(stage.sent.map(\.request.body) == [.cancel(Samples.requestID(), timeout: .seconds(2))])
        stage.wait(.milliseconds(2_249))
        #expect(stage.ends.isEmpty)
        stage.wait(.milliseconds(1))
        #expect(stage.ends.count == 1)
    }

    @Test("a cancel is sent again after 1 s of silence with the remaining time, and a query is not")
    func silence() throws {
        var stage = try Stage()
        try stage.begin(.cancel(Samples.requestID(), timeout: .seconds(5)))
        try stage.begin(.outcome(Samples.requestID()))
        stage.wait(.milliseconds(999))
        #expect(stage.sent.count == 2)
        stage.wait(.milliseconds(51))
        #expect(stage.sent.count == 3)
        let again = try #require(stage.sent.last)
        let left = Duration.seconds(5) - MonotonicTime.zero.duration(to: again.at)
        #expect(again.request.body == .cancel(Samples.requestID(), timeout: left))
        try stage.answer(.cancel(Samples.requestID(), .cancelled))
        #expect(stage.ends.count == 1)
    }

    @Test("a query whose task is cancelled ends as cancelled")
    func cancelledTask() throws {
        var stage = try Stage()
        let number = try stage.begin(.status)
        stage.cancel(number)
        #expect(stage.ends.map(\.result) == [.failure(.cancelled)])
        stage.cancel(number)
        #expect(stage.ends.count == 1)
    }

    @Test("at most 4,096 requests are pending, and the end of one makes room")
    func limit() throws {
        var stage = try Stage()
        for _ in 0..<4_096 { try stage.begin(.status) }
        #expect(throws: FleetError.tooManyRequests) { try stage.begin(.status) }
        try stage.answer(.status(status), to: 0)
        try stage.begin(.status)
        #expect(stage.pending.count == 4_096)
    }

    @Test("a reply that cannot be decoded ends its request")
    func badReply() throws {
        var stage = try Stage()
        let number = try stage.begin(.status)
        try stage.begin(.status)
        let error = try wireError(of: Self.replyWithoutBody(correlation: stage.sent[0].request.correlation))
        var effects: [PendingRequests.Effect] = []
        stage.pending.answeredBadly(error, into: &effects)
        #expect(effects == [.end(number, .failure(.badReply(error)))])
        #expect(stage.pending.counters.badReplies == 1)
    }

    @Test("a reply of another protocol version ends every request")
    func otherVersion() throws {
        var stage = try Stage()
        let first = try stage.begin(.status)
        let second = try stage.begin(Samples.toggle())
        // Field 1, the version, is 2.
        let error = try wireError(of: [0x08, 0x02])
        var effects: [PendingRequests.Effect] = []
        stage.pending.answeredBadly(error, into: &effects)
        #expect(
            effects == [.end(first, .failure(.badReply(error))), .end(second, .failure(.badReply(error)))])
    }

    @Test("a message that a full queue blocks is sent when there is room")
    func fullQueue() throws {
        var pending = PendingRequests(endpoint: try Samples.endpoint(), generator: SeededGenerator(seed: 1))
        pending.connected(at: .zero)
        let number = try pending.begin(.status, token: nil, timeout: .seconds(5), at: .zero)
        var effects: [PendingRequests.Effect] = []
        pending.turn(at: .zero, into: &effects)
        #expect(effects.count == 1)
        pending.blocked(Correlation(number), at: .zero)
        #expect(pending.nextDue == MonotonicTime.zero.advanced(by: .milliseconds(10)))
        pending.turn(at: MonotonicTime(nanoseconds: 10_000_000), into: &effects)
        #expect(effects.count == 2)
    }

    private func wireError(of bytes: [UInt8]) throws -> WireError {
        try #require(throws: WireError.self) { _ = try ClientReply(wireBytes: bytes) }
    }

    /// Field 1, the version, is 1; field 2 is the correlation, below 128; nothing else.
    static func replyWithoutBody(correlation: UInt64) -> [UInt8] {
        [0x08, 0x01, 0x10, UInt8(correlation)]
    }
}

@Suite("Correlation")
struct CorrelationTests {
    @Test("a correlation is unchanged by its wire form", arguments: [1, 2, 4_096, UInt64.max >> 1])
    func roundTrip(number: UInt64) {
        for isCancel in [false, true] {
            let correlation = Correlation(number, isCancel: isCancel)
            #expect(Correlation(wireValue: correlation.wireValue) == correlation)
            #expect(correlation.wireValue != 0)
        }
    }
}

@Suite("FleetError")
struct FleetErrorTests {
    private static let refusals: [Refusal] = [
        .offline(lastSeen: nil), .busy(retryAfter: .seconds(1)), .storageFull(retryAfter: .seconds(1)),
        .unauthenticated, .notFound, .invalid("what"), .idMismatch, .idTooOld(behind: .seconds(1)),
        .notAllowed("why"), .offDuty(.others),
    ]

    @Test("an error names its cause, without commands or options of a program")
    func text() throws {
        let others: [FleetError] = [
            .noReply(waited: .seconds(5)), .noController(try Samples.endpoint()), .unexpectedReply,
            .tooManyRequests, .closed, .cancelled,
        ]
        for error in others + Self.refusals.map(FleetError.refused) {
            let text = error.description
            #expect(!text.isEmpty && !text.contains("`") && !text.contains("--"), "\(text)")
        }
        #expect(others[0].description == "no answer from the controller within 5.0 seconds")
    }
}
