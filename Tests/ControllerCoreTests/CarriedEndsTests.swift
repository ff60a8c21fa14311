import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Outcomes in old segments of the journal")
struct CarriedEndsTests {
    private static let start = WallTime(unixMilliseconds: 1_800_000_000_000)

    private var generator = SeededGenerator(seed: 5)

    private mutating func insert(
        _ seconds: Int, of account: AccountIndex, into ended: inout EndedRequests
    ) throws {
        let at = Self.start.advanced(by: .seconds(seconds))
        let device = DeviceID(fleetSeed: 1, index: 1)
        let report = OutcomeReport(
            requestID: RequestID(at: at, using: &generator), device: device, outcome: .cancelled,
            user: try #require(Email("demo@sensibus.local")))
        let content = RequestContent(device: device, kind: .toggle)
        ended.insert(
            EndedRequests.Entry(report: report, content: content, endedAt: at, mayBeJudged: true),
            for: RequestKey(account: account, id: report.requestID))
    }

    /// Outcomes of a busy account, five of them retained, in segments of ten; the first segment also has
    /// an outcome of a quiet account.
    private mutating func ended(segments: Int, slack: Int) throws -> EndedRequests {
        var retention = ControllerConfiguration.Retention()
        (retention.results, retention.removedInJournal) = (5, slack)
        var ended = EndedRequests(retention: retention)
        try insert(0, of: 0, into: &ended)
        for segment in 1...segments {
            ended.began(segment: segment)
            for second in 0..<10 { try insert(10 * segment + second, of: 1, into: &ended) }
        }
        let now = Self.start.advanced(by: .seconds(10_000))
        for _ in 0..<10 { _ = ended.prune(at: now) }
        return ended
    }

    @Test("old outcomes keep their segments while few outcomes are forgotten")
    mutating func needed() throws {
        var ended = try ended(segments: 4, slack: 1_000)
        #expect(ended.carryForward().isEmpty)
        #expect(ended.firstNeededSegment() == nil)
    }

    @Test("old outcomes are rewritten when most others in their segments are forgotten, which frees these")
    mutating func carried() throws {
        var ended = try ended(segments: 4, slack: 10)
        let carried = ended.carryForward()
        #expect(carried.map(\.account) == [0])
        #expect(ended.firstNeededSegment() == 4)
        #expect(ended.carryForward().isEmpty)
        #expect(ended.firstNeededSegment() == nil)
    }

    @Test("outcomes that a journal contains twice are the same after a restart")
    func replayed() throws {
        let bench = try Bench.withDevices {
            $0.retention.results = 2
            $0.retention.removedInJournal = 2
        }
        let quiet = bench.newID()
        bench.cancel(quiet)
        for segment in 1...8 {
            bench.step(.stored(took: .zero, segment: segment))
            bench.toggle()
            bench.carryOut(try #require(bench.commands.last))
            bench.passWithPings(.seconds(61))
        }
        let ends = bench.stored.filter {
            if case .ended(_, let report, _, _) = $0 { report.requestID == quiet } else { false }
        }
        #expect(ends.count > 1, "it was rewritten")
        #expect(bench.stored.contains { if case .segmentsRemoved = $0 { true } else { false } })
        try bench.restart()
        #expect(bench.cancelReply(of: bench.cancel(quiet)) == .cancelled)
        bench.pass(.seconds(1))
        #expect(bench.controller.engine.ended.count == 3)
    }
}
