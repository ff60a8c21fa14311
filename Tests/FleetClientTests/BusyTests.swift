import FleetProtocol
import Testing

@testable import FleetClient

@Suite("A busy controller")
struct BusyTests {
    private static let busy = ClientReply.Body.refusal(.busy(retryAfter: .milliseconds(400)))

    /// A toggle whose only copy, sent 100 ms ago, was just refused as busy.
    private func refused(timeout: Duration = .seconds(5), seed: UInt64 = 1) throws -> (Stage, UInt64) {
        var stage = try Stage(seed: seed)
        let number = try stage.begin(Samples.toggle(timeout: timeout))
        stage.wait(.milliseconds(100))
        try stage.answer(Self.busy)
        return (stage, number)
    }

    @Test(
        "a command refused as busy is sent again with its ID after that time, at most 50 ms later",
        arguments: UInt64(1)...20)
    func retries(seed: UInt64) throws {
        var (stage, _) = try refused(seed: seed)
        #expect(stage.ends.isEmpty)
        stage.wait(.milliseconds(450))
        #expect(stage.sent.count == 2)
        let again = try #require(stage.sent.last)
        let elapsed = MonotonicTime.zero.duration(to: again.at)
        #expect(elapsed >= .milliseconds(500))
        #expect(again.request.body == .command(Samples.toggle(timeout: .seconds(5) - elapsed)))
        try stage.answer(.outcome(try Samples.applied()))
        #expect(stage.ends.map(\.result) == [.success(.command(.outcome(try Samples.applied())))])
        #expect(stage.pending.counters.resends == 1)
    }

    @Test("different clients repeat a command at different times after busy")
    func jitter() throws {
        var moments: Set<MonotonicTime> = []
        for seed in UInt64(1)...20 {
            var (stage, _) = try refused(seed: seed)
            stage.wait(.milliseconds(450))
            moments.insert(try #require(stage.sent.last?.at))
        }
        #expect(moments.count > 10)
    }

    @Test("a command is repeated while time remains, and then refused as busy, not unknown")
    func always() throws {
        var (stage, _) = try refused(timeout: .seconds(2))
        for _ in 0..<10 where stage.ends.isEmpty {
            stage.wait(.milliseconds(450))
            if stage.ends.isEmpty { try stage.answer(Self.busy) }
        }
        #expect((4...5).contains(stage.sent.count))
        #expect(stage.ends.map(\.result) == [.failure(.refused(.busy(retryAfter: .milliseconds(400))))])
        let waited = MonotonicTime.zero.duration(to: try #require(stage.ends.first?.at))
        #expect(waited < .seconds(2))
    }

    @Test("a busy reply with a retry time beyond the timeout ends the wait at once")
    func tooLong() throws {
        let (stage, _) = try refused(timeout: .milliseconds(500))
        #expect(stage.ends.map(\.result) == [.failure(.refused(.busy(retryAfter: .milliseconds(400))))])
        #expect(stage.sent.count == 1)
    }

    @Test("a busy command is not sent before its retry time on a new connection")
    func newConnection() throws {
        var (stage, _) = try refused()
        stage.disconnect()
        stage.connect()
        stage.wait(.milliseconds(399))
        #expect(stage.sent.count == 1)
        stage.wait(.milliseconds(51))
        #expect(stage.sent.count == 2)
    }

    @Test("a busy command without a connection at its timeout is refused, as no copy is in flight")
    func disconnected() throws {
        var (stage, _) = try refused(timeout: .seconds(2))
        stage.disconnect()
        stage.wait(.seconds(3))
        #expect(stage.ends.map(\.result) == [.failure(.refused(.busy(retryAfter: .milliseconds(400))))])
    }

    @Test("another refusal after busy ends the command, as no copy is in flight")
    func otherRefusal() throws {
        var (stage, _) = try refused()
        stage.wait(.milliseconds(450))
        try stage.answer(.refusal(.offline(lastSeen: nil)))
        #expect(stage.ends.map(\.result) == [.failure(.refused(.offline(lastSeen: nil)))])
    }

    @Test("a command whose copy after busy has no reply is unknown")
    func silence() throws {
        var (stage, _) = try refused(timeout: .seconds(2))
        stage.wait(.seconds(3))
        guard case .success(.command(.outcome(let report))) = stage.ends.first?.result else {
            Issue.record("\(stage.ends)")
            return
        }
        #expect(report.outcome == .unknown)
    }

    @Test("cancelling a command that was refused as busy ends it at once as cancelled")
    func cancelled() throws {
        var (stage, number) = try refused()
        stage.cancel(number)
        #expect(stage.ends.map(\.result) == [.success(.command(.cancel(.cancelled)))])
        stage.wait(.seconds(3))
        #expect(stage.sent.count == 1)
    }

    @Test("a cancel refused as busy is sent again after its retry time")
    func cancel() throws {
        var stage = try Stage()
        let number = try stage.begin(Samples.toggle())
        stage.cancel(number)
        try stage.answer(Self.busy)
        stage.wait(.milliseconds(399))
        #expect(stage.sent.count == 2)
        stage.wait(.milliseconds(51))
        #expect(stage.sent.count == 3)
        try stage.answer(.cancel(Samples.requestID(), .cancelled))
        #expect(stage.ends.map(\.result) == [.success(.command(.cancel(.cancelled)))])
    }

    @Test("queries and logins refused as busy are sent again, as they had no effect")
    func questions() throws {
        let bodies: [ClientRequest.Body] = [
            .outcome(Samples.requestID()), .status, .users,
            .login(email: try Samples.email(), password: try #require(Password("secret"))),
        ]
        for body in bodies {
            var stage = try Stage()
            try stage.begin(body, timeout: .seconds(1))
            try stage.answer(Self.busy)
            stage.disconnect()
            stage.wait(.milliseconds(100))
            stage.connect()
            stage.wait(.milliseconds(299))
            #expect(stage.sent.count == 1)
            stage.wait(.milliseconds(51))
            #expect(stage.sent.map(\.request.body) == [body, body])
            try stage.answer(Self.busy)
            #expect(stage.ends.isEmpty)
            stage.wait(.milliseconds(450))
            try stage.answer(Self.busy)
            #expect(stage.ends.map(\.result) == [.failure(.refused(.busy(retryAfter: .milliseconds(400))))])
        }
    }
}
