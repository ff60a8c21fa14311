import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Replies while the storage is full")
final class StorageWriterTests {
    private let bench = Bench.withDevices()

    private let medium = MemoryMedium()
    private var writer: StorageWriter<MemoryMedium>
    private var now = Moment(monotonic: .zero, wall: Bench.start)

    init() throws {
        var replay = JournalReplay()
        let journal = try Journal(medium, at: WallTime(unixMilliseconds: 0), into: &replay)
        writer = StorageWriter(journal) { _ in }
    }

    private func report(_ index: UInt64, _ outcome: Outcome = .cancelled) -> OutcomeReport {
        let id = RequestID(high: UInt64(Bench.start.unixMilliseconds) << 16 | 0x7000, low: index)
        return OutcomeReport(requestID: id, device: nil, outcome: outcome, user: .demo)
    }

    private func end(_ index: UInt64) -> JournalEntry {
        .ended(.demo, report(index), content: nil, at: Bench.start)
    }

    /// The effects of a turn that are sent; a reply's correlation is its place in it.
    private func turn(
        _ entries: [JournalEntry] = [], access: [AccessEntry] = [], _ replies: [ClientReply.Body] = []
    ) throws -> [ClientReply] {
        var effects = Controller.Effects()
        effects.changes = entries.map(StorageChange.request) + access.map(StorageChange.access)
        for (place, body) in replies.enumerated() {
            effects.replies.append(
                Controller.Effects.Reply(
                    client: Bench.client, reply: ClientReply(correlation: UInt64(place), body: body)))
        }
        _ = try writer.write(&effects, open: { [] }, at: now)
        return effects.replies.map(\.reply)
    }

    private func makeRoom() throws -> [ClientReply] {
        medium.isFull = false
        now = now.advanced(by: Limits.storageRetry)
        return try turn()
    }

    @Test("replies about committed entries are sent, and others wait until there is room")
    func divides() throws {
        _ = try turn([end(1)], [.outcome(report(1))])
        medium.isFull = true
        let stored: [ClientReply.Body] = [
            .outcome(report(1)), .cancel(report(1).requestID, .cancelled),
            .cancel(report(1).requestID, .tooLate(report(1))), .outcome(report(3, .unknown)),
            .history(history([1])), .injected(devices: 1), .refusal(.notFound),
        ]
        let waiting: [ClientReply.Body] = [
            .outcome(report(2)), .cancel(report(2).requestID, .cancelled),
            .cancel(report(2).requestID, .pending), .outcome(report(2, .unknown)),
            .signedOut(sessions: 1),
        ]
        let loggedOut = AccessEntry.sessionsClosed([])
        #expect(try turn([end(2)], access: [loggedOut], waiting + stored).map(\.body) == stored)
        #expect(try turn([], stored + waiting).map(\.body) == stored)
        #expect(writer.isFull)
        #expect(try makeRoom().map(\.body) == waiting + waiting)
        #expect(try turn([], waiting).map(\.body) == waiting)
    }

    @Test("a history is sent at once on a full disk, without the outcomes that are not committed")
    func historyWithout() throws {
        _ = try turn([end(1)])
        medium.isFull = true
        // In the turn of the outcome, and in a later one.
        #expect(try turn([end(2)], [.history(history([1, 2]))]).map(\.body) == [.history(history([1]))])
        #expect(try turn([], [.history(history([2, 1]))]).map(\.body) == [.history(history([1]))])
        #expect(try makeRoom().isEmpty)
        #expect(try turn([], [.history(history([1, 2]))]).map(\.body) == [.history(history([1, 2]))])
    }

    private func history(_ indices: [UInt64]) -> HistoryChunk {
        HistoryChunk(
            nextCursor: 0, isLast: true, completeSince: nil,
            outcomes: indices.map { HistoryChunk.PastOutcome(endedAt: Bench.start, report: report($0)) })
    }

    @Test("queries of uncommitted entries are refused when 65,536 replies wait, and no reply is lost")
    func bounded() throws {
        medium.isFull = true
        _ = try turn([end(1)], [.outcome(report(1))])
        let questions = [ClientReply.Body](repeating: .outcome(report(1)), count: 1_000)
        var refused = 0
        for _ in 0..<70 {
            let left = try turn([], questions)
            #expect(left.allSatisfy { $0.body == .refusal(.storageFull(retryAfter: Limits.storageRetry)) })
            refused += left.count
        }
        #expect(refused == 70_001 - HeldEffects.repliesAtMost)
        // A client whose request ends now, or is open, must not get the answer that nothing was done.
        #expect(try turn([end(2)], [.outcome(report(2)), .outcome(report(1, .unknown))]).isEmpty)
        #expect(try makeRoom().count == HeldEffects.repliesAtMost + 2)
    }

    @Test("repeated queries of open requests and logins are refused while the storage is full")
    func refused() {
        let waiting = bench.toggle(timeout: .milliseconds(100)).id
        bench.pass(.milliseconds(200))
        bench.step(.storage(isFull: true))
        let busy = Refusal.storageFull(retryAfter: Limits.storageRetry)
        #expect(bench.refusal(to: .outcome(waiting)) == busy)
        #expect(bench.refusal(of: bench.toggle(id: waiting).correlation) == busy)
        bench.cancel(waiting)
        #expect(bench.refusal(of: bench.cancel(waiting)) == busy)
        #expect(bench.refusal(of: bench.login()) == busy)
        bench.step(.storage(isFull: false))
        #expect(bench.outcome(of: waiting) == .unknown)
    }

    @Test("nothing is forgotten while the storage is full, so that waiting entries do not grow with time")
    func holdsAll() {
        let ended = bench.newID()
        bench.cancel(ended)
        bench.step(.storage(isFull: true))
        bench.effects = []
        bench.passWithPings(.seconds(10))
        bench.now = bench.now.advanced(by: .seconds(25 * 3_600))
        bench.step(.turn(lastTook: .zero))
        #expect(bench.journal.isEmpty)
        bench.step(.storage(isFull: false))
        bench.step(.turn(lastTook: .zero))
        #expect(bench.journal.contains { if case .horizonRaised = $0 { true } else { false } })
    }
}
