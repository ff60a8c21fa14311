import FleetProtocol
import Stepping
import Testing

@testable import ControllerCore

@Suite("What has ended")
struct HistoryTests {
    /// All that a controller tells, chunk by chunk.
    private func pulled(
        _ bench: Bench, back: Duration, token: TokenDigest? = Bench.token
    ) throws -> [HistoryChunk] {
        var chunks: [HistoryChunk] = []
        while chunks.last.map({ !$0.isLast }) ?? true {
            let cursor = chunks.last?.nextCursor ?? 0
            let correlation = bench.ask(.history(back: back, cursor: cursor), token: token)
            guard case .history(let chunk)? = bench.replies(to: correlation).first else {
                Issue.record("no history")
                return chunks
            }
            try #require(chunk.isLast || chunk.nextCursor > cursor)
            chunks.append(chunk)
        }
        return chunks
    }

    @Test("is told to its account, as far back as somebody asks, with the time of its end")
    func told() throws {
        let bench = try Bench.withDevices()
        let early = bench.toggle()
        bench.carryOut(bench.commands[0])
        let earlyEnd = bench.now.wall
        bench.passWithPings(.seconds(60))
        let late = bench.toggle()
        bench.carryOut(bench.commands[1])
        let all = try pulled(bench, back: .seconds(120))
        #expect(all.flatMap(\.outcomes).map(\.report.requestID) == [early.id, late.id])
        #expect(all.flatMap(\.outcomes).map(\.endedAt) == [earlyEnd, bench.now.wall])
        #expect(all.last?.completeSince == nil)
        let newest = try pulled(bench, back: .seconds(30)).flatMap(\.outcomes)
        #expect(newest.map(\.report.requestID) == [late.id])
        #expect(newest.map(\.report.outcome) == [.applied(bench.reportedState())])
        let strangers = try pulled(bench, back: .seconds(120), token: Bench.strangerToken)
        #expect(strangers.flatMap(\.outcomes).isEmpty)
    }

    @Test("is there still after a restart of the controller")
    func restarted() throws {
        let bench = try Bench.withDevices()
        let toggle = bench.toggle()
        bench.carryOut(bench.commands[0])
        try bench.restartWithNode()
        let ends = try pulled(bench, back: .seconds(120)).flatMap(\.outcomes)
        #expect(ends.map(\.report.requestID) == [toggle.id])
    }
}
