import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Outcome history")
struct HistoryTests {
    /// All of the history, chunk by chunk.
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

    @Test("the history has the account's outcomes from the given time on, with their times")
    func reported() throws {
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

    @Test("the history survives a restart of the controller")
    func restarted() throws {
        let bench = try Bench.withDevices()
        let toggle = bench.toggle()
        bench.carryOut(bench.commands[0])
        try bench.restartWithNode()
        let ends = try pulled(bench, back: .seconds(120)).flatMap(\.outcomes)
        #expect(ends.map(\.report.requestID) == [toggle.id])
    }

    @Test("the history has each command's kind, also after a restart, and none for an unseen ID")
    func kinds() throws {
        let bench = try Bench.withDevices(4)
        let change = ACStateChange(isOn: true)
        let kinds: [Command.Kind] = [.toggle, .set(change), .correct(change), .configure(.noTimer)]
        for (place, kind) in kinds.enumerated() {
            let command = Command(
                requestID: bench.newID(), device: bench.rows[place].device, kind: kind)
            let correlation = bench.ask(.command(command))
            bench.carryOut(bench.commands[place])
            guard case .outcome(let report)? = bench.replies(to: correlation).first else {
                Issue.record("no outcome of \(kind)")
                continue
            }
            #expect(report.command == kind.kind)
        }
        _ = bench.ask(.cancel(bench.newID(), timeout: nil))
        for _ in 0..<2 {
            let ends = try pulled(bench, back: .seconds(120)).flatMap(\.outcomes)
            #expect(Set(ends.map(\.report.command)) == [.toggle, .set, .correct, .configure, nil])
            try bench.restartWithNode()
        }
    }
}
