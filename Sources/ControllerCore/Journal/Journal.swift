import FleetProtocol
import Records
public import Stepping

/// What the controller must not forget about requests, as a chain of segments.
///
/// Only the newest segment is appended to. When it has grown enough and the next is ready, the next begins
/// with everything that is still open, so that no earlier segment is needed for that; and the oldest are
/// deleted once an entry says that they are not needed for what has ended either.
///
/// Each batch carries its number and the checksum of the batch before it, and each segment says where those
/// before it began and ended: no batch can be missing in between. That none is missing at the end is known
/// from a note outside the segments.
public struct Journal<Medium: JournalMedium> {
    /// Bytes after which a segment gives way to the next: 32 MiB.
    public static var segmentBytes: Int { 32 << 20 }
    /// Bytes that a batch counts for at least, so that a segment has 8,192 at most: all of the newest are
    /// gone through when a controller starts.
    public static var batchBytes: Int { 4_096 }

    private var medium: Medium
    private var segments: [JournalSegment] = []
    private let segmentBytes: Int
    private let batchBytes: Int
    private var last = BatchLink.origin
    private var writer = RecordWriter()
    /// Earlier segments, whose ends were not read.
    public private(set) var unread: UnreadSegments
    /// Requests with ids up to that time may have been lost, and are too old; nil where none was.
    public private(set) var lostUpTo: WallTime?

    /// Takes a journal over and reads what is needed to go on; the epoch must have been stored before.
    ///
    /// Of segments before the newest that has begun only ends are needed: they are left ``unread``, and are
    /// to be recalled while the controller serves.
    ///
    /// - Parameters:
    ///   - segmentBytes: After how many a segment gives way to the next.
    ///   - batchBytes: How many a batch counts for at least.
    ///   - now: Where batches may be lost, ids up to this time are too old from now on.
    ///   - replay: Takes what is read.
    /// - Throws: `newer`, `damaged`, `missing` or `failed`; nothing is overwritten.
    public init(
        _ medium: Medium, segmentBytes: Int = Self.segmentBytes, batchBytes: Int = Self.batchBytes,
        at now: WallTime, into replay: inout JournalReplay
    ) throws(StorageError) {
        self.medium = medium
        self.segmentBytes = segmentBytes
        self.batchBytes = batchBytes
        unread = UnreadSegments([])
        let noted = try self.medium.notedEnd()
        let numbers = try self.medium.segments()
        if let noted, !noted.isLossPossible { try checkReaches(noted.end, numbers) }
        let (before, taken) = try takeOver(numbers)
        for number in taken { segments.append(try read(number, noted, into: &replay)) }
        try checkNoneIsMissing(from: taken, beginsOpen: before != nil)
        let needed = (before ?? []).filter { $0.number >= replay.firstNeeded }
        let kept = needed.filter { numbers.contains($0.number) }
        if noted?.isLossPossible == true {
            lostUpTo = (needed + segments).compactMap(\.newestID).reduce(now, max)
        } else if let gone = needed.first(where: { $0.newestID != nil && !numbers.contains($0.number) }) {
            throw .missing(path: self.medium.name(of: gone.number))
        }
        // One in which nothing is kept has not begun: it is the next.
        while segments.count > 1, segments.last?.bytes == 0 { segments.removeLast() }
        for segment in segments.dropLast() { try self.medium.close(segment.number) }
        // A process may die after it has forgotten a segment and before that is gone.
        let known = Set(kept.map(\.number) + taken)
        for number in numbers where !known.contains(number) { try self.medium.delete(number) }
        segments = kept + segments
        if segments.isEmpty {
            try self.medium.create(1)
            segments.append(JournalSegment(number: 1))
        }
        unread = UnreadSegments(kept)
        replay.unreadUpTo = unread.newestID
        last = replay.lastBatch ?? .origin
        try begin(lostUpTo: lostUpTo, at: now, with: &replay)
        try noteEnd()
    }

    /// Checks that the journal goes as far as was noted, before anything in it is changed.
    private mutating func checkReaches(_ end: JournalEnd, _ numbers: [Int]) throws(StorageError) {
        let name = medium.name(of: end.segment)
        guard numbers.contains(end.segment) else { throw .missing(path: name) }
        var reader = BatchReader()
        if let last = try medium.last(of: end.segment) {
            do throws(RecordError) {
                try reader.read(last) { _ in }
            } catch {
                throw .damaged(path: name, what: error.description)
            }
        }
        let reached = reader.last?.number ?? 0
        guard reached >= end.batch.number else {
            let what = "its last batch is \(reached), and \(end.batch.number) was written"
            throw .damaged(path: name, what: what)
        }
    }

    /// Writes what follows from a loss, in the next segment where the present one is of an earlier form,
    /// whose batches have no links.
    ///
    /// All of it is one batch, and the end is noted after it: a process that dies before finds the loss once
    /// more.
    private mutating func begin(
        lostUpTo time: WallTime?, at now: WallTime, with replay: inout JournalReplay
    ) throws(StorageError) {
        let present = segments[segments.count - 1]
        let isLinked = present.bytes == 0 || present.lastBatch != nil
        replay.segment = isLinked ? present.number : present.number + 1
        let loss = time.map { replay.acceptLoss(upTo: $0, at: now) } ?? []
        if isLinked {
            var segment = present
            BatchReader.begin(after: last, &writer)
            write(loss, for: &segment)
            try appendBatch(to: &segment)
            segments[segments.count - 1] = segment
        } else {
            try medium.create(replay.segment)
            try advance(loss + replay.openEntries)
            guard newest == replay.segment else { throw .full(path: medium.name(of: replay.segment)) }
        }
    }

    /// Writes entries to the batch at hand, which is for a segment.
    private mutating func write(_ entries: [JournalEntry], for segment: inout JournalSegment) {
        for entry in entries {
            entry.write(to: &writer)
            if case .ended(_, let report, _, let time) = entry {
                segment.noteEnd(of: report.requestID, at: time)
            }
        }
    }

    /// Takes segments, the newest first, down to one that begins with everything that was open.
    ///
    /// - Returns: The earlier segments that this one lists, nil where no segment lists any; and the numbers
    ///   of those that were taken, ascending.
    private mutating func takeOver(
        _ numbers: [Int]
    ) throws(StorageError) -> (earlier: [JournalSegment]?, needed: [Int]) {
        for (place, number) in numbers.enumerated().reversed() {
            try medium.take(number)
            guard let first = try medium.first(of: number) else { continue }
            let entry: JournalEntry?
            do throws(RecordError) {
                entry = try JournalEntry.entries(of: first).first
            } catch {
                throw .damaged(path: medium.name(of: number), what: error.description)
            }
            if case .segmentBegan(let earlier) = entry { return (earlier, Array(numbers[place...])) }
        }
        return (nil, numbers)
    }

    /// Segments follow one another from the one that says what was open, which only the first need not.
    private func checkNoneIsMissing(from taken: [Int], beginsOpen: Bool) throws(StorageError) {
        for (number, next) in zip(taken, taken.dropFirst()) where next != number + 1 {
            throw .missing(path: medium.name(of: number + 1))
        }
        guard let first = segments.first else { return }
        if first.bytes == 0, first.number > 1 { throw .missing(path: medium.name(of: first.number - 1)) }
        // All but the first segment begin with what was open.
        guard beginsOpen || first.firstBatch <= 1 else {
            throw .damaged(path: medium.name(of: first.number), what: "its first batches are missing")
        }
    }

    private func read(
        _ number: Int, _ noted: NotedEnd?, into replay: inout JournalReplay
    ) throws(StorageError) -> JournalSegment {
        var segment = JournalSegment(number: number)
        let expected = noted.flatMap { $0.isLossPossible ? nil : $0.end.batch }
        try medium.read(number) { (batch) throws(StorageError) in
            segment.bytes += max(batch.count, batchBytes)
            try replay.take(batch, of: &segment)
            if let expected, let last = segment.lastBatch, last.number == expected.number, last != expected {
                throw .damaged(path: "segment \(number)", what: "batch \(last.number) is another one")
            }
        }
        return segment
    }

    /// Appends the batch that is written to a segment.
    ///
    /// - Returns: False where it has no entry, and nothing was done.
    @discardableResult
    private mutating func appendBatch(to segment: inout JournalSegment) throws(StorageError) -> Bool {
        guard let checksum = BatchReader.end(&writer) else { return false }
        try medium.append(writer.bytes, to: segment.number)
        last = last.next(checksum)
        segment.note(last)
        segment.bytes += max(writer.bytes.count, batchBytes)
        return true
    }

    /// Notes how far the journal goes, before anything that depends on it leaves.
    private mutating func noteEnd() throws(StorageError) {
        try medium.note(JournalEnd(segment: newest, batch: last))
    }

    /// The number of the newest segment.
    public var newest: Int { segments[segments.count - 1].number }

    /// Keeps entries about requests, all or none; others are passed over.
    ///
    /// - Parameters:
    ///   - entries: What happened, in order.
    ///   - open: Gives the entries of all requests that have not ended, and of the horizons, these entries
    ///     included; asked for only when a segment begins.
    /// - Throws: `fenced`, `full` or `failed`; then nothing of it may leave.
    public mutating func append(
        _ entries: [JournalEntry], open: () -> [JournalEntry]
    ) throws(StorageError) {
        BatchReader.begin(after: last, &writer)
        var segment = segments[segments.count - 1]
        var firstNeeded = 0
        for entry in entries {
            entry.write(to: &writer)
            if case .ended(_, let report, _, let time) = entry {
                segment.noteEnd(of: report.requestID, at: time)
            }
            if case .segmentsForgotten(let number) = entry { firstNeeded = number }
        }
        guard try appendBatch(to: &segment) else { return }
        segments[segments.count - 1] = segment
        try noteEnd()
        while segments.count > 1, segments[0].number < firstNeeded {
            try medium.delete(segments[0].number)
            segments.removeFirst()
        }
        guard segment.bytes >= segmentBytes / 2 else { return }
        let isReady = try medium.prepare(segment.number + 1)
        if isReady, segment.bytes >= segmentBytes { try advance(open()) }
    }

    /// Begins the next segment.
    private mutating func advance(_ open: [JournalEntry]) throws(StorageError) {
        let current = segments[segments.count - 1]
        var next = JournalSegment(number: current.number + 1)
        BatchReader.begin(after: last, &writer)
        JournalEntry.segmentBegan(after: segments).write(to: &writer)
        write(open, for: &next)
        do throws(StorageError) {
            try appendBatch(to: &next)
        } catch {
            // Without room the present segment grows on.
            guard case .full = error else { throw error }
            return
        }
        segments.append(next)
        try noteEnd()
        try medium.close(current.number)
    }

    /// Ends in good order.
    public mutating func finish() {
        medium.finish()
    }
}
