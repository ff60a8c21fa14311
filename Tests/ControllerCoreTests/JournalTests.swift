import FileFraming
import FleetProtocol
import FleetTime
import Testing

@testable import ControllerCore

@Suite("A journal", .timeLimit(.minutes(2)))
struct JournalTests {
    private static let start = WallTime(unixMilliseconds: 1_800_000_000_000)

    private let medium = MemoryMedium()
    private let account: AccountID
    private let actor: Email

    init() throws {
        account = try #require(AccountID("demo"))
        actor = try #require(Email("demo@sensibus.local"))
    }

    /// The id of a request, one a millisecond.
    private func id(_ index: Int) -> RequestID {
        var generator = SeededGenerator(seed: UInt64(index))
        return RequestID(at: Self.start.advanced(by: .milliseconds(index)), using: &generator)
    }

    private func end(_ index: Int) -> JournalEntry {
        let report = OutcomeReport(requestID: id(index), device: nil, outcome: .cancelled, actor: actor)
        return .ended(
            account, report, content: nil, at: Self.start.advanced(by: .milliseconds(index + 1)))
    }

    private func open(
        segmentBytes: Int = Journal<MemoryMedium>.segmentBytes
    ) throws -> (journal: Journal<MemoryMedium>, replay: JournalReplay) {
        var replay = JournalReplay()
        let journal = try Journal(
            medium, segmentBytes: segmentBytes, at: Self.start, into: &replay)
        return (journal, replay)
    }

    @Test("begins another segment after 8,192 commits, however small they are")
    func smallCommits() throws {
        var journal = try open().journal
        for index in 0..<8_192 { try journal.append([end(index)], open: { [] }) }
        #expect(medium.numbers == [1, 2])
        #expect(medium.count(of: 1) == 8_192)
        try journal.append([end(8_192)], open: { [] })
        #expect(medium.count(of: 1) == 8_192)
    }

    /// A controller that goes on from a journal, with one user.
    private func controller(from replay: JournalReplay, at now: Moment) throws -> Controller {
        let digest = try #require(Bench.token)
        let session = Session(account: account, email: actor, role: .owner, isOperator: false)
        let configuration = ControllerConfiguration(
            epoch: Epoch(1), users: [ControllerConfiguration.User(session: session, passwordHash: "")],
            sessions: [.init(digest: digest, email: actor, openedAt: Self.start)], seed: 1)
        return Controller(configuration, recovering: replay, at: now)
    }

    /// What is said when a request is asked for once more.
    private func repeatOf(
        _ index: Int, at now: Moment, to controller: inout Controller
    ) throws -> ClientReply.Body? {
        let command = Command(
            requestID: id(index), device: DeviceID(fleetSeed: 1, index: 0), kind: .toggle)
        var effects = Controller.Effects()
        let request = ClientRequest(correlation: 1, token: nil, body: .command(command))
        controller.step(.client(Bench.client, request, digest: Bench.token), at: now, into: &effects)
        guard effects.count == 1, let reply = effects.replies.first?.reply else { return nil }
        return reply.body
    }

    @Test("of 120,000 ends has its newest segment read before anybody is served, and the rest at leisure")
    func recoversFromLittle() throws {
        var journal = try open(segmentBytes: 1 << 20).journal
        let (batch, count) = (40, 120_000)
        for first in stride(from: 0, to: count, by: batch) {
            try journal.append((first..<first + batch).map(end), open: { [] })
        }
        let readBefore = medium.batchesRead
        let (again, replay) = try open(segmentBytes: 1 << 20)
        // A segment has 256 commits of at most 4 KiB. The first batch and the last of the newest two are
        // read, too.
        #expect(medium.batchesRead - readBefore <= 256 + 4)
        #expect(replay.endedCount <= 256 * batch)
        let unreadUpTo = try #require(replay.unreadUpTo)
        var effects = Controller.Effects()
        #expect(unreadUpTo < id(count - 1).time)
        let now = Moment(monotonic: .zero, wall: Self.start.advanced(by: .seconds(200)))
        var controller = try controller(from: replay, at: now)
        #expect(
            try repeatOf(5, at: now, to: &controller) == .refusal(.busy(retryAfter: Limits.recallRetry)))
        var (recalled, bound) = (replay.endedCount, unreadUpTo)
        for (place, number) in again.unread.numbers.enumerated() {
            var ends = JournalReplay()
            try medium.read(number) { (bytes) throws(StorageError) in try ends.recall(bytes, of: number) }
            #expect(ends.endedKeys.allSatisfy { $0.id.time <= bound })
            recalled += ends.endedCount
            let next = again.unread.newestID(after: place + 1)
            controller.step(.recalled(ends, unreadUpTo: next), at: now, into: &effects)
            bound = next ?? Self.start
        }
        #expect(recalled == count)
        for index in [0, 5, 60_000, count - 1] {
            guard case .ended(_, let report, _, _) = end(index) else { continue }
            #expect(try repeatOf(index, at: now, to: &controller) == .outcome(report))
        }
        #expect(effects.isEmpty)
    }

    @Test("goes on in the segment before one that was made and has not begun")
    func notBegun() throws {
        var journal = try open(segmentBytes: 10 * 4_096).journal
        let waiting = JournalEntry.cancelRequested(account, id(1_000))
        for index in 0..<14 { try journal.append([end(index)], open: { [waiting] }) }
        // The second has begun, and the third is only made when it is half full.
        medium.create(3)
        var (again, replay) = try open(segmentBytes: 10 * 4_096)
        #expect(replay.endedCount == 4)
        #expect(again.unread.numbers == [1])
        try again.append([end(14)], open: { [] })
        #expect(medium.count(of: 3) == 0)
        #expect(try open(segmentBytes: 10 * 4_096).replay.endedCount == 5)
    }

    @Test("deletes a segment that it had forgotten before it died, and does not read it")
    func forgottenIsDeleted() throws {
        var journal = try open(segmentBytes: 2 * 4_096).journal
        for index in 0..<4 { try journal.append([end(index)], open: { [] }) }
        let lost = medium.first(of: 1)
        try journal.append([.segmentsForgotten(before: 2)], open: { [] })
        #expect(!medium.numbers.contains(1))
        for index in 4..<8 { try journal.append([end(index)], open: { [] }) }
        try medium.append(Array(try #require(lost)), to: 1)
        let again = try open(segmentBytes: 2 * 4_096).journal
        #expect(!medium.numbers.contains(1))
        #expect(!again.unread.numbers.contains(1))
    }

    @Test("is refused where an earlier segment is gone that was not all forgotten")
    func earlierIsGone() throws {
        var journal = try open(segmentBytes: 2 * 4_096).journal
        for index in 0..<3 { try journal.append([end(index)], open: { [] }) }
        #expect(medium.numbers == [1, 2, 3])
        medium.delete(1)
        #expect(throws: StorageError.missing(path: "segment 1")) { try open(segmentBytes: 2 * 4_096) }
    }

    @Test("that lost its last batches is refused, and nothing in it is changed")
    func lostEnd() throws {
        var journal = try open().journal
        for index in 0..<5 { try journal.append([end(index)], open: { [] }) }
        medium.lose(2, of: 1)
        let error = StorageError.damaged(
            path: "segment 1", what: "its last batch is 3, and 5 was written")
        for _ in 0..<2 { #expect(throws: error) { try open() } }
        #expect(medium.count(of: 1) == 3)
    }

    @Test("with a missing or a replaced batch is refused", arguments: [0, 2, 4], [false, true])
    func brokenChain(place: Int, isReplaced: Bool) throws {
        var journal = try open().journal
        for index in 0..<5 { try journal.append([end(index)], open: { [] }) }
        let other = MemoryMedium()
        var replay = JournalReplay()
        var foreign = try Journal(other, at: Self.start, into: &replay)
        for index in 10...10 + place { try foreign.append([end(index)], open: { [] }) }
        let batch = Array(try #require(other.last(of: 1)))
        medium.replace(place, of: 1, by: isReplaced ? batch : nil)
        let error = #expect(throws: StorageError.self) { try open() }
        guard case .damaged(path: "segment 1", _)? = error else {
            Issue.record("it is refused as \(String(describing: error))")
            return
        }
        #expect(medium.taken.isEmpty, "nothing was changed")
    }

    @Test("one batch longer than was noted goes on from there: its process died before it noted that")
    func longerThanNoted() throws {
        var journal = try open().journal
        try journal.append([end(0)], open: { [] })
        let noted = try #require(medium.end)
        try journal.append([end(1)], open: { [] })
        medium.note(noted)
        #expect(try open().replay.endedCount == 2)
    }

    @Test("may be shorter after a loss of power: a known id is answered, and a lost one is too old")
    func lossOfPower() throws {
        var journal = try open().journal
        for index in 0..<5 { try journal.append([end(index)], open: { [] }) }
        medium.lose(2, of: 1)
        medium.isLossPossible = true
        var replay = JournalReplay()
        let now = Moment(monotonic: .zero, wall: Self.start.advanced(by: .seconds(200)))
        let again = try Journal(medium, at: now.wall, into: &replay)
        #expect(again.lostUpTo == now.wall)
        var controller = try controller(from: replay, at: now)
        guard case .ended(_, let report, _, _) = end(2) else { return }
        #expect(try repeatOf(2, at: now, to: &controller) == .outcome(report))
        guard case .refusal(.idTooOld)? = try repeatOf(4, at: now, to: &controller) else {
            Issue.record("an id that may have ended is taken as new")
            return
        }
        medium.isLossPossible = false
        #expect(try open().replay.horizon == now.wall, "the next start knows of it too")
    }

    /// How many ends earlier segments have, which are read to their ends.
    private func recalledCount(_ journal: Journal<MemoryMedium>) throws -> Int {
        try journal.unread.segments.reduce(0) { (count, segment) in
            var ends = JournalReplay()
            try medium.read(segment.number) { (batch) throws(StorageError) in
                try ends.recall(batch, of: segment.number)
            }
            try ends.checkWhole(segment)
            return count + ends.endedCount
        }
    }

    @Test("goes on without the end of an earlier segment that was lost with the power", arguments: [1, 2])
    func earlierEndIsLost(count: Int) throws {
        var journal = try open(segmentBytes: 2 * 4_096).journal
        for index in 0..<5 { try journal.append([end(index)], open: { [] }) }
        #expect(medium.numbers == [1, 2, 3, 4, 5])
        medium.lose(count, of: 1)
        let damaged = StorageError.damaged(path: "segment 1", what: "batches are missing")
        #expect(throws: damaged) { try recalledCount(try open(segmentBytes: 2 * 4_096).journal) }
        medium.isLossPossible = true
        let first = try open(segmentBytes: 2 * 4_096)
        #expect(try first.replay.endedCount + recalledCount(first.journal) == 5 - count)
        medium.isLossPossible = false
        let second = try open(segmentBytes: 2 * 4_096)
        #expect(try second.replay.endedCount + recalledCount(second.journal) == 5 - count)
        #expect(second.replay.horizon != nil)
    }

    @Test("goes on without an earlier segment that is gone after a loss of power, now and later")
    func earlierIsLost() throws {
        var journal = try open(segmentBytes: 2 * 4_096).journal
        for index in 0..<5 { try journal.append([end(index)], open: { [] }) }
        medium.delete(1)
        medium.isLossPossible = true
        #expect(try open(segmentBytes: 2 * 4_096).journal.unread.numbers == [4, 3, 2])
        medium.isLossPossible = false
        #expect(try open(segmentBytes: 2 * 4_096).journal.unread.numbers == [4, 3, 2])
    }

    @Test("is refused where an earlier segment has another batch, also after a loss of power")
    func earlierIsDamaged() throws {
        var journal = try open(segmentBytes: 2 * 4_096).journal
        for index in 0..<5 { try journal.append([end(index)], open: { [] }) }
        medium.replace(1, of: 1, by: [1, 2, 3, 4, 5, 6, 7, 8])
        medium.isLossPossible = true
        let error = #expect(throws: StorageError.self) { try open(segmentBytes: 2 * 4_096) }
        guard case .damaged(path: "segment 1", _)? = error else {
            Issue.record("it is refused as \(String(describing: error))")
            return
        }
    }

    @Test("has what another controller appended until its segments were taken")
    func grownMeanwhile() throws {
        var former = try open(segmentBytes: 3 * 4_096).journal
        for index in 0..<2 { try former.append([end(index)], open: { [] }) }
        #expect(medium.numbers == [1, 2])
        medium.beforeTaken = { () throws(StorageError) in
            for index in 2..<4 { try former.append([end(index)], open: { [] }) }
        }
        let (journal, replay) = try open(segmentBytes: 3 * 4_096)
        #expect(try replay.endedCount + recalledCount(journal) == 4)
    }

    @Test("of the form before batches were linked goes on in another segment")
    func unlinked() throws {
        var writer = RecordWriter()
        writer.put(UInt32(0))
        end(0).write(to: &writer)
        writer.set(Checksum.of(writer.bytes.dropFirst(4)), at: 0)
        medium.create(1)
        try medium.append(writer.bytes, to: 1)
        let first = try open()
        #expect(first.replay.endedCount == 1)
        #expect(medium.numbers == [1, 2])
        let again = try open()
        #expect(again.journal.unread.numbers == [1])
    }

    @Test("answers an id that was too old as before once retention is longer, and does not run it")
    func longerRetention() throws {
        var journal = try open().journal
        try journal.append([end(0), .horizonRaised(id(0).time)], open: { [] })
        let now = Moment(monotonic: .zero, wall: Self.start.advanced(by: .seconds(200)))
        var controller = try controller(from: try open().replay, at: now)
        guard case .ended(_, let report, _, _) = end(0) else { return }
        #expect(try repeatOf(0, at: now, to: &controller) == .outcome(report))
    }

    @Test("is refused where a segment is gone that says what is open")
    func neededIsGone() throws {
        var journal = try open(segmentBytes: 10 * 4_096).journal
        for index in 0..<14 { try journal.append([end(index)], open: { [] }) }
        #expect(medium.numbers == [1, 2, 3])
        #expect(medium.count(of: 3) == 0)
        medium.delete(2)
        #expect(throws: StorageError.missing(path: "segment 2")) { try open() }
        medium.delete(1)
        #expect(throws: StorageError.missing(path: "segment 2")) { try open() }
        #expect(medium.numbers == [3])
    }
}
