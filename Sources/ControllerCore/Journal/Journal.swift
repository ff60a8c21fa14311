import FleetProtocol
import Records
import Stepping

/// What the controller must not forget about requests, as a chain of segments.
///
/// Only the newest segment is appended to. When it has grown enough and the next is ready, the next begins
/// with everything that is still open, so that no earlier segment is needed for that; and the oldest are
/// deleted once an entry says that they are not needed for what has ended either.
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
    private var writer = RecordWriter()
    /// Earlier segments, whose ends were not read.
    public private(set) var unread: UnreadSegments

    /// Takes a journal over and reads what is needed to go on; the epoch must have been stored before.
    ///
    /// Of segments before the newest that has begun only ends are needed: they are left ``unread``, and are
    /// to be recalled while the controller serves.
    ///
    /// - Parameters:
    ///   - segmentBytes: After how many a segment gives way to the next.
    ///   - batchBytes: How many a batch counts for at least.
    ///   - replay: Takes what is read.
    /// - Throws: `newer`, `damaged`, `missing` or `failed`; nothing is overwritten.
    public init(
        _ medium: Medium, segmentBytes: Int = Self.segmentBytes, batchBytes: Int = Self.batchBytes,
        into replay: inout JournalReplay
    ) throws(StorageError) {
        self.medium = medium
        self.segmentBytes = segmentBytes
        self.batchBytes = batchBytes
        unread = UnreadSegments([])
        let numbers = try self.medium.segments()
        let (earlier, taken) = try takeOver(numbers)
        for number in taken { segments.append(try read(number, into: &replay)) }
        try checkNoneIsMissing(from: taken)
        let needed = earlier.filter { $0.number >= replay.firstNeeded }
        let kept = needed.filter { numbers.contains($0.number) }
        // Of a needed one that is gone every id is too old, as if it had been forgotten in good order.
        let gone = needed.filter { !numbers.contains($0.number) }
        if let newest = gone.compactMap(\.newestID).max() { replay.apply(.horizonRaised(newest)) }
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
        replay.segment = newest
    }

    /// Takes segments, the newest first, down to one that begins with everything that was open.
    ///
    /// - Returns: What that one says of those before it; and the numbers of those that were taken, ascending.
    private mutating func takeOver(
        _ numbers: [Int]
    ) throws(StorageError) -> (earlier: [JournalSegment], needed: [Int]) {
        for (place, number) in numbers.enumerated().reversed() {
            try medium.take(number)
            guard let first = try medium.first(of: number) else { continue }
            let entry: JournalEntry?
            do throws(RecordError) {
                entry = try JournalEntry.entries(of: first).first
            } catch {
                throw .damaged(path: "segment \(number)", what: error.description)
            }
            if case .segmentBegan(let earlier) = entry { return (earlier, Array(numbers[place...])) }
        }
        return ([], numbers)
    }

    /// Segments follow one another from the one that says what was open, which only the first need not.
    private func checkNoneIsMissing(from taken: [Int]) throws(StorageError) {
        for (number, next) in zip(taken, taken.dropFirst()) where next != number + 1 {
            throw .missing(path: "segment \(number + 1)")
        }
        if let first = segments.first, first.bytes == 0, first.number > 1 {
            throw .missing(path: "segment \(first.number - 1)")
        }
    }

    private func read(
        _ number: Int, into replay: inout JournalReplay
    ) throws(StorageError) -> JournalSegment {
        var segment = JournalSegment(number: number)
        try medium.read(number) { (batch) throws(StorageError) in
            segment.bytes += max(batch.count, batchBytes)
            try replay.take(batch, of: &segment)
        }
        return segment
    }

    /// Begins a batch: its entries are written behind four bytes for their checksum.
    private mutating func beginBatch() {
        writer.removeAll()
        writer.put(UInt32(0))
    }

    /// The batch that was begun; nil where nothing was written.
    private mutating func endBatch() -> [UInt8]? {
        guard writer.bytes.count > 4 else { return nil }
        writer.set(Checksum.of(writer.bytes.dropFirst(4)), at: 0)
        return writer.bytes
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
        beginBatch()
        var segment = segments[segments.count - 1]
        var firstNeeded = 0
        for entry in entries {
            entry.write(to: &writer)
            if case .ended(_, let report, _, let time) = entry {
                segment.noteEnd(of: report.requestID, at: time)
            }
            if case .segmentsForgotten(let number) = entry { firstNeeded = number }
        }
        guard let batch = endBatch() else { return }
        try medium.append(batch, to: segment.number)
        segment.bytes += max(batch.count, batchBytes)
        segments[segments.count - 1] = segment
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
        beginBatch()
        JournalEntry.segmentBegan(after: segments).write(to: &writer)
        for entry in open { entry.write(to: &writer) }
        guard let batch = endBatch() else { return }
        do throws(StorageError) {
            try medium.append(batch, to: next.number)
        } catch {
            // Without room the present segment grows on.
            guard case .full = error else { throw error }
            return
        }
        next.bytes = max(batch.count - 4, batchBytes)
        try medium.close(current.number)
        segments.append(next)
    }

    /// Ends in good order.
    public mutating func finish() {
        medium.finish()
    }
}
