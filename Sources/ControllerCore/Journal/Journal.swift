public import FleetProtocol

/// The append-only log of requests, as a chain of segments.
///
/// Only the newest segment is appended to. When it is large enough and the next one is prepared, the next one
/// begins with all open requests, so that no earlier segment is needed to recover them. The oldest segments
/// are deleted once an entry records that their outcomes are not needed either.
///
/// Each batch has its number and the checksum of the previous batch, and each segment lists the first and the
/// last batch of earlier segments. So a missing batch in between is detected. A note outside the segments
/// records the last batch, so that a missing one at the end is detected too.
public struct Journal<Medium: JournalMedium> {
    /// The size at which the next segment begins: 32 MiB.
    public static var segmentBytes: Int { 32 << 20 }
    /// The minimum size that a batch counts for, in bytes. It limits a segment to 8,192 batches, because a
    /// controller that starts reads all batches of the newest segment.
    public static var batchBytes: Int { 4_096 }

    private var medium: Medium
    private var segments: [JournalSegment] = []
    private let segmentBytes: Int
    private let batchBytes: Int
    private var last = BatchLink.origin
    private var writer = RecordWriter()
    /// The number of changes of the store that the newest segment has; nil before it has one.
    private var recordedChanges: UInt64?
    /// Whether an append has failed, so that only a start can tell how the journal ends.
    private var hasFailed = false
    /// Earlier segments, whose outcomes have not been read.
    public private(set) var unread: UnreadSegments
    /// Requests with IDs up to that time may have been lost, so their IDs are refused as too old; nil if none
    /// was.
    public private(set) var lostUpTo: WallTime?

    /// Takes over a journal and reads its open requests; the epoch must have been stored before.
    ///
    /// Segments before the newest are needed for their outcomes only. They stay ``unread``, and the
    /// controller reads them while it serves. If batches may be lost, IDs up to now are refused as too old.
    /// Nothing is overwritten.
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
        try begin(with: &replay, rewritesList: takeover.isListOutdated, at: now)
        try recordEnd()
        try self.medium.acceptStart()
    }

    /// Writes the position of the store, and the entries that follow from a loss, in one batch. They go to
    /// the next segment if the current one's list of earlier segments is outdated. The end is noted
    /// afterwards: if the process dies before that, the next start finds the loss again.
    private mutating func begin(
        with replay: inout JournalReplay, rewritesList: Bool, at now: WallTime
    ) throws(StorageError) {
        let present = segments[segments.count - 1]
        replay.segment = rewritesList ? present.number + 1 : present.number
        let loss = lostUpTo.map { replay.acceptLoss(upTo: $0, at: now) } ?? []
        if !rewritesList {
            var segment = present
            beginBatch()
            write(loss, for: &segment)
            do throws(StorageError) {
                try appendBatch(to: &segment)
            } catch {
                // The position of the store can wait for the next batch.
                guard case .full = error, loss.isEmpty else { throw error }
            }
            segments[segments.count - 1] = segment
        } else {
            try medium.create(replay.segment)
            try advance(loss + replay.openEntries)
            guard newest == replay.segment else { throw .full(path: medium.name(of: replay.segment)) }
        }
    }

    /// Adds entries to the current batch, which will be appended to the segment.
    private mutating func write(_ entries: [JournalEntry], for segment: inout JournalSegment) {
        for entry in entries { write(entry, for: &segment) }
    }

    private mutating func write(_ entry: JournalEntry, for segment: inout JournalSegment) {
        entry.write(to: &writer)
        if case .ended(_, let report, _, let time) = entry {
            segment.recordEnd(of: report.requestID, at: time)
        }
    }

    /// Begins a batch, with the position of the store if that has changed since the last one.
    private mutating func beginBatch(_ first: JournalEntry? = nil) {
        BatchReader.begin(after: last, &writer)
        first?.write(to: &writer)
        guard medium.storeChanges != recordedChanges, let position = medium.storePosition else { return }
        JournalEntry.storeReached(position).write(to: &writer)
        recordedChanges = position.changes
    }

    /// Appends the current batch to a segment; returns false if the batch is empty.
    @discardableResult
    private mutating func appendBatch(to segment: inout JournalSegment) throws(StorageError) -> Bool {
        guard let checksum = BatchReader.end(&writer) else { return false }
        do throws(StorageError) {
            try medium.append(writer.bytes, to: segment.number)
        } catch {
            recordedChanges = nil
            if case .full = error { throw error }
            hasFailed = true
            throw error
        }
        last = last.next(checksum)
        segment.record(last)
        segment.bytes += max(writer.bytes.count, batchBytes)
        return true
    }

    /// Notes the end of the journal, before any effect that depends on it leaves.
    private mutating func recordEnd() throws(StorageError) {
        try medium.record(JournalEnd(segment: newest, batch: last))
    }

    public var newest: Int { mutating get { segments[segments.count - 1].number } }

    /// Writes the changes of requests, all or none; other changes are ignored. After an error no effect that
    /// depends on the changes may leave. `open`, called only when a segment begins, returns the entries of
    /// all open requests and horizons, including these changes.
    public mutating func append(_ changes: [StorageChange], open: () -> [JournalEntry]) throws(StorageError) {
        beginBatch()
        var segment = segments[segments.count - 1]
        var firstNeeded = 0
        for case .request(let entry) in changes {
            write(entry, for: &segment)
            if case .segmentsRemoved(let number) = entry { firstNeeded = number }
        }
        guard try appendBatch(to: &segment) else { return }
        segments[segments.count - 1] = segment
        try recordEnd()
        while segments.count > 1, segments[0].number < firstNeeded {
            try medium.delete(segments[0].number)
            segments.removeFirst()
        }
        guard segment.bytes >= segmentBytes / 2 else { return }
        let isReady = try medium.prepare(segment.number + 1)
        if isReady, segment.bytes >= segmentBytes { try advance(open()) }
    }

    /// Checks that no later controller has taken the journal, and throws `fenced` if one has.
    public mutating func confirm() throws(StorageError) { try medium.confirm(newest) }

    private mutating func advance(_ open: [JournalEntry]) throws(StorageError) {
        let current = segments[segments.count - 1]
        var next = JournalSegment(number: current.number + 1)
        recordedChanges = nil
        beginBatch(.segmentBegan(after: segments))
        write(open, for: &next)
        do throws(StorageError) {
            try appendBatch(to: &next)
        } catch {
            // On a full disk, the current segment continues to grow.
            guard case .full = error else { throw error }
            return
        }
        segments.append(next)
        try recordEnd()
        try medium.close(current.number)
    }

    /// Appends the position of the store if it has changed, stops all appends, and waits for pending work.
    public mutating func finish() {
        do throws(StorageError) {
            beginBatch()
            var segment = segments[segments.count - 1]
            if !hasFailed, try appendBatch(to: &segment) {
                segments[segments.count - 1] = segment
                try recordEnd()
            }
        } catch {
            // The journal ends as if the process had died now.
        }
        medium.finish()
    }
}
