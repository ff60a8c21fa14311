import FleetProtocol
import Testing

@testable import LoadCore

/// Loads of several kinds of requests.
@Suite("Kinds of requests of a load")
struct LoadMixTests {
    private static func plan(_ mix: String, seed: UInt64 = 1) throws -> LoadPlan {
        try LoadPlan(
            .rate(perSecond: 1_000, .uniform), duration: .seconds(10), mix: try LoadMix(mix), seed: seed)
    }

    /// Runs a load against a fleet of which sets take 2 ms, reads 3 ms, and all else 1 ms.
    private func run(_ plan: LoadPlan, isShared: Bool = false) throws -> VirtualRun {
        var run = VirtualRun(plan, isShared: isShared)
        try run.finish { message, _ in
            switch message.request.body {
            case .cancel(let id, _): return .init(delay: .milliseconds(1), body: .cancel(id, .cancelled))
            case .snapshot:
                let chunk = SnapshotChunk(
                    epoch: Epoch(1), sequence: StreamSequence(1), nextCursor: 0, isLast: true, nodes: [],
                    rows: [])
                return .init(delay: .milliseconds(3), body: .snapshot(chunk))
            case .command(let command) where command.kind == .set(ACStateChange(isOn: true)):
                return .init(delay: .milliseconds(2), body: message.report(.unchanged(.sample)))
            case .command(let command):
                let delay: Duration = command.kind == .toggle ? .milliseconds(1) : .milliseconds(2)
                return .init(delay: delay, body: message.report())
            default: return .init(delay: .zero, body: nil)
            }
        }
        return run
    }

    @Test("each kind has its share, and figures of its own that add up to the total")
    func shares() throws {
        let result = try run(try Self.plan("toggle=6,set=2,read=1,cancel=1")).result
        let kinds = try #require(result.kinds)
        #expect(kinds.map(\.kind) == [.toggle, .set, .read, .cancel])
        for (kind, share) in zip(kinds, [6_000.0, 2_000, 1_000, 1_000]) {
            #expect(abs(Double(kind.count) - share) < 5 * share.squareRoot())
        }
        for (kind, us) in zip(kinds, [1_000.0, 2_000, 3_000, 1_000]) {
            #expect(abs(try #require(kind.latencyUs.p50) / us - 1) < 0.01, "\(kind.kind)")
        }
        #expect(kinds.reduce(0) { $0 + $1.count } == 10_000 && result.offered == 10_000)
        #expect(result.applied == 10_000 - kinds[3].count && result.failed == 0)
        #expect(result.outcomes["read"] == kinds[2].count)
        #expect(
            kinds[1].outcomes.count == 2 && kinds[1].outcomes["unchanged"] == result.outcomes["unchanged"])
        #expect(result.cancels?.inTime == kinds[3].count)
        #expect(result.latencyUs.count == UInt64(result.applied))
        // The parts of the latency are those of toggles and sets.
        #expect(result.hops.replyUs.count == UInt64(result.applied - kinds[2].count))
    }

    @Test("the same seed gives the same sequence of requests, and another seed another")
    func seeds() throws {
        func contents(_ seed: UInt64) throws -> [LoadMessage.Content] {
            try run(try Self.plan("toggle=1,set=1,read=1", seed: seed)).sent.map(\.message.content)
        }
        #expect(try contents(5) == contents(5))
        #expect(try contents(5) != contents(6))
    }

    @Test("one kind alone is possible, and a kind of weight 0 does not occur")
    func oneKind() throws {
        let result = try run(try Self.plan("toggle=0,read=0.5")).result
        #expect(result.outcomes == ["read": 10_000] && result.kinds?.map(\.kind) == [.read])
        #expect(result.hops.replyUs.count == 0)
    }

    @Test("a reply of another kind than the request's is counted as such")
    func unexpected() throws {
        var run = VirtualRun(try Self.plan("read=1"))
        try run.finish { _, _ in .init(delay: .zero, body: .status(StatusReport(epoch: Epoch(1)))) }
        #expect(run.result.outcomes == ["unexpectedReply": 10_000])
    }

    @Test("the report has the kinds as JSON, on the page, and after the JSON of several testers")
    func report() throws {
        let plan = try Self.plan("toggle=3,read=1")
        let run = try run(plan, isShared: true)
        let result = run.result
        #expect(try result.plan.plan() == plan)
        let report = LoadReport.of(result)
        #expect(try LoadReport(json: report.json) == report)
        #expect(HTMLReport(report).text.contains("<h2>Kinds of requests</h2>"))
        let sent = try TesterResult(
            json: TesterResult(recording: run.load.recording, environment: .sample(), startErrorUs: 1).json)
        let sum = try LoadMeasurement(
            of: plan, devices: 100, from: [("rack-1", sent), ("rack-2", sent)], against: [])
        let (one, two) = (try #require(result.kinds), try #require(sum.result.kinds))
        #expect(two.map(\.count) == one.map { 2 * $0.count })
        #expect(two.map(\.latencyUs.p99) == one.map(\.latencyUs.p99))
        let shared = try SharedLoad(plan, selectors: [], among: 2, isLast: true)
        #expect(try shared.part(of: 1, among: 2).mix == plan.mix)
    }

    @Test("a self-test answers every kind of request")
    func rehearsal() throws {
        let token = try #require(Token([UInt8](repeating: 1, count: Token.length)))
        let result = LoadRehearsal.run(try Self.plan("toggle=1,set=1,read=1,cancel=1"), token: token)
        #expect(result.failed == 0 && result.outcomes.keys.sorted() == ["applied", "read"])
    }

    @Test(
        "a text that is not a mix is refused, with the wrong part",
        arguments: [
            ("", "in place of ''"), ("toggle", "in place of 'toggle'"), ("toggle=1,", "in place of ''"),
            ("fly=1", "'fly' is not one of toggle, set, read, cancel"),
            ("toggle=1,toggle=2", "it has toggle twice"), ("toggle=x", "the weight 'x' is not a number"),
            ("toggle=-1", "the weight '-1'"), ("toggle=nan", "the weight 'nan'"),
            ("toggle=", "the weight ''"), ("toggle=1e3", "the weight '1e3'"),
            ("toggle=1000001", "from 0 to 1000000"), ("toggle=0,read=0", "the weights add up to 0"),
            ("toggle=1=2", "in place of 'toggle=1=2'"),
        ])
    func wrong(text: String, reason: String) {
        expectRefusal("is not a mix such as", reason) { try LoadMix(text) }
    }

    @Test("a mix excludes other cancels and repeats")
    func exclusive() throws {
        let mix = try LoadMix("toggle=1,cancel=1")
        #expect(throws: PlanError.self) {
            try LoadPlan(.inFlight(1), duration: .seconds(1), cancelRatio: 0.1, mix: mix)
        }
        #expect(throws: PlanError.self) {
            try LoadPlan(.inFlight(1), duration: .seconds(1), retryRatio: 0.1, mix: mix)
        }
        #expect(try LoadPlan(.inFlight(1), duration: .seconds(1), mix: mix).cancelRatio == 0.5)
    }
}
