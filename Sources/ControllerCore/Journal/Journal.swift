import FileFraming
import FleetProtocol
public import FleetTime

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
        let takeover = try JournalTakeover(medium, batchBytes: batchBytes, into: &replay)
        self.medium = takeover.medium
        self.segmentBytes = segmentBytes
        self.batchBytes = batchBytes
        unread = UnreadSegments(takeover.earlier)
        lostUpTo = takeover.lostUpTo(at: now)
        segments = takeover.earlier + takeover.segments
        if segments.isEmpty {
            try self.medium.create(1)
            segments.append(JournalSegment(number: 1))
        }
        replay.unreadUpTo = unread.newestID
        last = replay.lastBatch ?? .origin
        try begin(with: &replay, listsAnew: takeover.isListOutdated, at: now)
        try noteEnd()
    }

    /// Writes what follows from a loss, in the next segment where the present one is of an earlier form,
    /// whose batches have no links, or lists earlier ones that are not so any more.
    ///
    /// All of it is one batch, and the end is noted after it: a process that dies before finds the loss once
    /// more.
    private mutating func begin(
        with replay: inout JournalReplay, listsAnew: Bool, at now: WallTime
    ) throws(StorageError) {
        let present = segments[segments.count - 1]
        let isUnlinked = present.bytes > 0 && present.lastBatch == nil
        let goesOn = !isUnlinked && !listsAnew
        replay.segment = goesOn ? present.number : present.number + 1
        let loss = lostUpTo.map { replay.acceptLoss(upTo: $0, at: now) } ?? []
        if goesOn {
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

    /// Writes the changes of requests, all or none; others are passed over.
    ///
    /// - Parameters:
    ///   - changes: What changed, in order.
    ///   - open: Gives the entries of all requests that have not ended, and of the horizons, these changes
    ///     included; asked for only when a segment begins.
    /// - Throws: `fenced`, `full` or `failed`; then nothing of it may leave.
    public mutating func append(
        _ changes: [StorageChange], open: () -> [JournalEntry]
    ) throws(StorageError) {
        BatchReader.begin(after: last, &writer)
        var segment = segments[segments.count - 1]
        var firstNeeded = 0
        for case .request(let entry) in changes {
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
