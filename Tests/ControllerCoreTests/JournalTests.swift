import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("The journal", .timeLimit(.minutes(2)))
struct JournalTests {
    private let medium = MemoryMedium()

    /// The ID of a request, one per millisecond.
    private func id(_ index: Int) -> RequestID {
        var generator = SeededGenerator(seed: UInt64(index))
        return RequestID(at: Bench.start.advanced(by: .milliseconds(index)), using: &generator)
    }

    private func report(_ index: Int) -> OutcomeReport {
        OutcomeReport(requestID: id(index), device: nil, outcome: .cancelled, user: .demo)
    }

    private func end(_ index: Int) -> JournalEntry {
        .ended(.demo, report(index), content: nil, at: Bench.start.advanced(by: .milliseconds(index + 1)))
    }

    /// Opens the journal, and appends the ends of those requests, each in a batch.
    private func open(
        _ segmentBytes: Int = Journal<MemoryMedium>.segmentBytes, ends: Range<Int>
    ) throws -> Journal<MemoryMedium> {
        var journal = try open(segmentBytes: segmentBytes).journal
        for index in ends { try journal.append([end(index)], open: { [] }) }
        return journal
    }

    private func open(
        segmentBytes: Int = Journal<MemoryMedium>.segmentBytes
    ) throws -> (journal: Journal<MemoryMedium>, replay: JournalReplay) {
        var replay = JournalReplay()
        let journal = try Journal(medium, segmentBytes: segmentBytes, at: Bench.start, into: &replay)
        return (journal, replay)
    }

    @Test("a journal begins another segment after 8,192 commits, regardless of their size")
    func smallCommits() throws {
        var journal = try open(ends: 0..<8_192)
        #expect(medium.numbers == [1, 2])
        #expect(medium.count(of: 1) == 8_192)
        try journal.append([end(8_192)], open: { [] })
        #expect(medium.count(of: 1) == 8_192)
    }

    /// A controller recovered from a journal, with one user.
    private func controller(from replay: JournalReplay, at now: Moment) -> Controller {
        var configuration = ControllerConfiguration(epoch: Epoch(1), users: [], seed: 1)
        configuration.add(Session(.demo, .owner), digest: Bench.token)
        return Controller(configuration, recovering: replay, at: now)
    }

    /// The reply to a repeated request.
    private func repeatOf(
        _ index: Int, at now: Moment, to controller: inout Controller
    ) -> ClientReply.Body? {
        let command = Command(requestID: id(index), device: Bench.device(0), kind: .toggle)
        var effects = Controller.Effects()
        let request = ClientRequest(correlation: 1, token: nil, body: .command(command))
        controller.step(.client(Bench.client, request, digest: Bench.token), at: now, into: &effects)
        guard effects.count == 1, let reply = effects.replies.first?.reply else { return nil }
        return reply.body
    }

    @Test("a journal of 120,000 outcomes is served after its newest segment is read, and read fully later")
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
        let now = Moment(monotonic: .zero, wall: Bench.start.advanced(by: .seconds(200)))
        var controller = controller(from: replay, at: now)
        #expect(repeatOf(5, at: now, to: &controller) == .refusal(.busy(retryAfter: Limits.replayRetry)))
        var (replayed, bound) = (replay.endedCount, unreadUpTo)
        for (place, number) in again.unread.numbers.enumerated() {
            var ends = JournalReplay()
            try medium.read(number) { (bytes) throws(StorageError) in try ends.readEnds(bytes, of: number) }
            #expect(ends.endedKeys.allSatisfy { $0.id.time <= bound })
            replayed += ends.endedCount
            let next = again.unread.newestID(after: place + 1)
            controller.step(.replayed(ends, unreadUpTo: next), at: now, into: &effects)
            bound = next ?? Bench.start
        }
        #expect(replayed == count)
        for index in [0, 5, 60_000, count - 1] {
            #expect(repeatOf(index, at: now, to: &controller) == .outcome(report(index)))
        }
        #expect(effects.isEmpty)
    }

    @Test("a journal continues in the segment before one that was created and has no batches")
    func notBegun() throws {
        var journal = try open(segmentBytes: 10 * 4_096).journal
        let waiting = JournalEntry.cancelRequested(.demo, id(1_000))
        for index in 0..<14 { try journal.append([end(index)], open: { [waiting] }) }
        // The second has batches; the third is only created when the second is half full.
        medium.create(3)
        var (again, replay) = try open(segmentBytes: 10 * 4_096)
        #expect(replay.endedCount == 4)
        #expect(again.unread.numbers == [1])
        try again.append([end(14)], open: { [] })
        #expect(medium.count(of: 3) == 0)
        #expect(try open(segmentBytes: 10 * 4_096).replay.endedCount == 5)
    }

    @Test("a segment that was forgotten before the process ended is deleted and not read")
    func removedIsDeleted() throws {
        var journal = try open(2 * 4_096, ends: 0..<4)
        let lost = medium.first(of: 1)
        try journal.append([.segmentsRemoved(before: 2)], open: { [] })
        #expect(!medium.numbers.contains(1))
        for index in 4..<8 { try journal.append([end(index)], open: { [] }) }
        try medium.append(Array(try #require(lost)), to: 1)
        let again = try open(segmentBytes: 2 * 4_096).journal
        #expect(!medium.numbers.contains(1))
        #expect(!again.unread.numbers.contains(1))
    }

    @Test("a journal is refused if an earlier segment is missing that was not wholly forgotten")
    func earlierIsMissing() throws {
        _ = try open(2 * 4_096, ends: 0..<3)
        #expect(medium.numbers == [1, 2, 3])
        medium.delete(1)
        #expect(throws: StorageError.missing(path: "segment 1")) { try open(segmentBytes: 2 * 4_096) }
    }

    @Test("a journal that lost its last batches is refused, and not changed")
    func lostEnd() throws {
        _ = try open(ends: 0..<5)
        medium.lose(2, of: 1)
        let error = StorageError.damaged(path: "segment 1", what: "its last batch is 3, expected 5")
        for _ in 0..<2 { #expect(throws: error) { try open() } }
        #expect(medium.count(of: 1) == 3)
    }

    @Test("a journal with a missing or replaced batch is refused", arguments: [0, 2, 4], [false, true])
    func brokenChain(place: Int, isReplaced: Bool) throws {
        _ = try open(ends: 0..<5)
        let other = MemoryMedium()
        var replay = JournalReplay()
        var foreign = try Journal(other, at: Bench.start, into: &replay)
        for index in 10...10 + place { try foreign.append([end(index)], open: { [] }) }
        let batch = Array(try #require(other.last(of: 1)))
        medium.replace(place, of: 1, by: isReplaced ? batch : nil)
        let error = #expect(throws: StorageError.self) { try open() }
        #expect(error?.damagedPath == "segment 1")
        #expect(medium.claimed.isEmpty, "nothing was changed")
    }

    @Test("a journal one batch longer than its recorded end continues: the process ended in between")
    func longerThanRecorded() throws {
        var journal = try open().journal
        try journal.append([end(0)], open: { [] })
        let recorded = try #require(medium.end)
        try journal.append([end(1)], open: { [] })
        medium.record(recorded)
        #expect(try open().replay.endedCount == 2)
    }

    @Test("after a power failure a shorter journal answers known IDs, and lost IDs are too old")
    func lossOfPower() throws {
        _ = try open(ends: 0..<5)
        medium.lose(2, of: 1)
        medium.isLossPossible = true
        var replay = JournalReplay()
        let now = Moment(monotonic: .zero, wall: Bench.start.advanced(by: .seconds(200)))
        let again = try Journal(medium, at: now.wall, into: &replay)
        #expect(again.lostUpTo == now.wall)
        var controller = controller(from: replay, at: now)
        #expect(repeatOf(2, at: now, to: &controller) == .outcome(report(2)))
        #expect(repeatOf(4, at: now, to: &controller)?.refusal?.kind == "idTooOld")
        medium.isLossPossible = false
        #expect(try open().replay.horizon == now.wall, "the next start has the horizon too")
    }

    /// The number of outcomes in earlier segments, which are read to their ends.
    private func replayedCount(_ journal: Journal<MemoryMedium>) throws -> Int {
        try journal.unread.segments.reduce(0) { (count, segment) in
            var ends = JournalReplay()
            try medium.read(segment.number) { (batch) throws(StorageError) in
                try ends.readEnds(batch, of: segment.number)
            }
            try ends.checkWhole(segment)
            return count + ends.endedCount
        }
    }

    @Test(
        "a journal continues without the end of an earlier segment that a power failure lost",
        arguments: [1, 2])
    func earlierEndIsLost(count: Int) throws {
        _ = try open(2 * 4_096, ends: 0..<5)
        #expect(medium.numbers == [1, 2, 3, 4, 5])
        medium.lose(count, of: 1)
        let damaged = StorageError.damaged(path: "segment 1", what: "batches are missing")
        #expect(throws: damaged) { try replayedCount(try open(segmentBytes: 2 * 4_096).journal) }
        medium.isLossPossible = true
        let first = try open(segmentBytes: 2 * 4_096)
        #expect(try first.replay.endedCount + replayedCount(first.journal) == 5 - count)
        medium.isLossPossible = false
        let second = try open(segmentBytes: 2 * 4_096)
        #expect(try second.replay.endedCount + replayedCount(second.journal) == 5 - count)
        #expect(second.replay.horizon != nil)
    }

    @Test("a journal continues without an earlier segment that a power failure lost, now and later")
    func earlierIsLost() throws {
        _ = try open(2 * 4_096, ends: 0..<5)
        medium.delete(1)
        medium.isLossPossible = true
        #expect(try open(segmentBytes: 2 * 4_096).journal.unread.numbers == [4, 3, 2])
        medium.isLossPossible = false
        #expect(try open(segmentBytes: 2 * 4_096).journal.unread.numbers == [4, 3, 2])
    }

    @Test("a journal with a replaced batch in an earlier segment is refused, also after a power failure")
    func earlierIsDamaged() throws {
        _ = try open(2 * 4_096, ends: 0..<5)
        medium.replace(1, of: 1, by: [1, 2, 3, 4, 5, 6, 7, 8])
        medium.isLossPossible = true
        let error = #expect(throws: StorageError.self) { try open(segmentBytes: 2 * 4_096) }
        #expect(error?.damagedPath == "segment 1")
    }

    @Test("a journal has the batches that another controller appended until its segments were taken")
    func grownMeanwhile() throws {
        var former = try open(segmentBytes: 3 * 4_096).journal
        for index in 0..<2 { try former.append([end(index)], open: { [] }) }
        #expect(medium.numbers == [1, 2])
        medium.beforeClaim = { () throws(StorageError) in
            for index in 2..<4 { try former.append([end(index)], open: { [] }) }
        }
        let (journal, replay) = try open(segmentBytes: 3 * 4_096)
        #expect(try replay.endedCount + replayedCount(journal) == 4)
    }

    @Test("after retention is extended, an ID that was too old is answered again and not executed")
    func longerRetention() throws {
        var journal = try open().journal
        try journal.append([end(0), .horizonRaised(id(0).time)], open: { [] })
        let now = Moment(monotonic: .zero, wall: Bench.start.advanced(by: .seconds(200)))
        var controller = controller(from: try open().replay, at: now)
        #expect(repeatOf(0, at: now, to: &controller) == .outcome(report(0)))
    }

    @Test("a journal is refused if the segment with the open requests is missing")
    func neededIsMissing() throws {
        _ = try open(10 * 4_096, ends: 0..<14)
        #expect(medium.numbers == [1, 2, 3])
        #expect(medium.count(of: 3) == 0)
        medium.delete(2)
        #expect(throws: StorageError.missing(path: "segment 2")) { try open() }
        medium.delete(1)
        #expect(throws: StorageError.missing(path: "segment 2")) { try open() }
        #expect(medium.numbers == [3])
    }
}
