import FleetProtocol
import FleetTime
import Testing

@testable import FleetClient

@Suite("A controller that is busy")
struct BusyTests {
    private static let busy = ClientReply.Body.refusal(.busy(retryAfter: .milliseconds(400)))

    /// A toggle whose only copy, which left 100 ms ago, was just refused as busy.
    private func refused(patience: Duration = .seconds(5), seed: UInt64 = 1) throws -> (Stage, UInt64) {
        var stage = try Stage(seed: seed)
        let number = try stage.begin(Samples.toggle(patience: patience))
        stage.wait(.milliseconds(100))
        try stage.answer(Self.busy)
        return (stage, number)
    }

    @Test(
        "hears the command again under its id after its time, 50 ms later at most", arguments: UInt64(1)...20)
    func retries(seed: UInt64) throws {
        var (stage, _) = try refused(seed: seed)
        #expect(stage.ends.isEmpty)
        stage.wait(.milliseconds(450))
        #expect(stage.sent.count == 2)
        let again = try #require(stage.sent.last)
        let elapsed = MonotonicTime.zero.duration(to: again.at)
        #expect(elapsed >= .milliseconds(500))
        #expect(again.request.body == .command(Samples.toggle(patience: .seconds(5) - elapsed)))
        try stage.answer(.outcome(try Samples.applied()))
        #expect(stage.ends.map(\.result) == [.success(.command(.outcome(try Samples.applied())))])
        #expect(stage.pending.counters.resends == 1)
    }

    @Test("is asked again at different moments by different clients")
    func jitter() throws {
        var moments: Set<MonotonicTime> = []
        for seed in UInt64(1)...20 {
            var (stage, _) = try refused(seed: seed)
            stage.wait(.milliseconds(450))
            moments.insert(try #require(stage.sent.last?.at))
        }
        #expect(moments.count > 10)
    }

    @Test("is asked for as long as there is time, and then the command is refused and not unknown")
    func always() throws {
        var (stage, _) = try refused(patience: .seconds(2))
        for _ in 0..<10 where stage.ends.isEmpty {
            stage.wait(.milliseconds(450))
            if stage.ends.isEmpty { try stage.answer(Self.busy) }
        }
        #expect((4...5).contains(stage.sent.count))
        #expect(stage.ends.map(\.result) == [.failure(.refused(.busy(retryAfter: .milliseconds(400))))])
        let waited = MonotonicTime.zero.duration(to: try #require(stage.ends.first?.at))
        #expect(waited < .seconds(2))
    }

    @Test("that asks for more time than is left ends the wait at once")
    func tooLong() throws {
        let (stage, _) = try refused(patience: .milliseconds(500))
        #expect(stage.ends.map(\.result) == [.failure(.refused(.busy(retryAfter: .milliseconds(400))))])
        #expect(stage.sent.count == 1)
    }

    @Test("hears nothing before its time, though the connection is new")
    func newConnection() throws {
        var (stage, _) = try refused()
        stage.disconnect()
        stage.connect()
        stage.wait(.milliseconds(399))
        #expect(stage.sent.count == 1)
        stage.wait(.milliseconds(51))
        #expect(stage.sent.count == 2)
    }

    @Test("and gone when its time is over: the command was refused, for no copy is on its way")
    func gone() throws {
        var (stage, _) = try refused(patience: .seconds(2))
        stage.disconnect()
        stage.wait(.seconds(3))
        #expect(stage.ends.map(\.result) == [.failure(.refused(.busy(retryAfter: .milliseconds(400))))])
    }

    @Test("refuses the next copy for another reason: that is the end, for no copy is on its way")
    func otherRefusal() throws {
        var (stage, _) = try refused()
        stage.wait(.milliseconds(450))
        try stage.answer(.refusal(.offline(lastSeen: nil)))
        #expect(stage.ends.map(\.result) == [.failure(.refused(.offline(lastSeen: nil)))])
    }

    @Test("does not answer the next copy: the command is unknown")
    func silence() throws {
        var (stage, _) = try refused(patience: .seconds(2))
        stage.wait(.seconds(3))
        guard case .success(.command(.outcome(let report))) = stage.ends.first?.result else {
            Issue.record("\(stage.ends)")
            return
        }
        #expect(report.outcome == .unknown)
    }

    @Test("has nothing to take back of a command that it refused")
    func cancelled() throws {
        var (stage, number) = try refused()
        stage.cancel(number)
        #expect(stage.ends.map(\.result) == [.success(.command(.cancel(.cancelled)))])
        stage.wait(.seconds(3))
        #expect(stage.sent.count == 1)
    }

    @Test("hears the cancel again after its time")
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

    @Test("hears every question again, and a log-in too, for it did nothing")
    func questions() throws {
        let bodies: [ClientRequest.Body] = [
            .outcome(Samples.requestID()), .status, .users,
            .login(email: try Samples.email(), password: try #require(Password("secret"))),
        ]
        for body in bodies {
            var stage = try Stage()
            try stage.begin(body, patience: .seconds(1))
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
