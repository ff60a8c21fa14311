import FleetProtocol
import Records
public import Stepping

/// What the controller must not forget about requests, as a chain of segments.
///
/// Only the newest segment is appended to. When it has grown enough and the next is ready, the next begins
/// with everything that is still open, so that no earlier segment is needed for that; and the oldest is
/// deleted once all that ended in it is behind the horizon.
public struct Journal<Medium: JournalMedium> {
    /// What is known of a segment.
    private struct Segment {
        let number: Int
        var bytes = 0
        /// The newest id that ended there, and the newest end.
        var newestID: WallTime?
        var newestEnd: WallTime?

        mutating func note(_ entry: JournalEntry) {
            guard case .ended(_, let report, _, let time) = entry else { return }
            newestID = max(newestID ?? report.requestID.time, report.requestID.time)
            newestEnd = max(newestEnd ?? time, time)
        }
    }

    /// Bytes after which a segment gives way to the next: 32 MiB.
    public static var segmentBytes: Int { 32 << 20 }

    private var medium: Medium
    private var segments: [Segment] = []
    private let segmentBytes: Int
    private let shortest: Duration
    private var horizon: WallTime?
    private var writer = RecordWriter()

    /// Takes a journal over and reads it; the epoch must have been stored before.
    ///
    /// - Parameters:
    ///   - shortest: How long an end is kept at least.
    ///   - replay: Takes all that the journal says.
    ///   - progress: Told after each segment how many of how many were read.
    /// - Throws: `newer`, `damaged` or `failed`; nothing is overwritten.
    public init(
        _ medium: Medium, shortest: Duration, segmentBytes: Int = Self.segmentBytes,
        into replay: inout JournalReplay, progress: (_ read: Int, _ count: Int) -> Void = { _, _ in }
    ) throws(StorageError) {
        self.medium = medium
        self.shortest = shortest
        self.segmentBytes = segmentBytes
        let numbers = try self.medium.takeOver()
        for number in numbers {
            segments.append(try Self.read(number, of: self.medium, into: &replay))
            progress(segments.count, numbers.count)
        }
        for number in numbers.dropLast() { try self.medium.close(number) }
        if segments.isEmpty {
            try self.medium.create(1)
            segments.append(Segment(number: 1))
        }
        horizon = replay.horizon
    }

    private static func read(
        _ number: Int, of medium: Medium, into replay: inout JournalReplay
    ) throws(StorageError) -> Segment {
        var segment = Segment(number: number)
        try medium.read(number) { (batch) throws(StorageError) in
            segment.bytes += batch.count
            do throws(RecordError) {
                for entry in try JournalEntry.entries(of: batch) {
                    segment.note(entry)
                    replay.apply(entry)
                }
            } catch {
                throw .damaged(path: "segment \(number)", what: error.description)
            }
        }
        return segment
    }

    /// A batch: its entries behind their checksum.
    private func checked(_ entries: [UInt8]) -> [UInt8] {
        var writer = RecordWriter()
        writer.put(Checksum.of(entries))
        return writer.bytes + entries
    }

    /// Keeps entries about requests, all or none; others are passed over.
    ///
    /// - Parameters:
    ///   - entries: What happened, in order.
    ///   - open: Gives the entries of all requests that have not ended, these entries included; asked for
    ///     only when a segment begins.
    /// - Throws: `fenced`, `full` or `failed`; then nothing of it may leave.
    public mutating func append(
        _ entries: some Sequence<JournalEntry>, open: () -> [JournalEntry]
    ) throws(StorageError) {
        writer.removeAll()
        var segment = segments[segments.count - 1]
        for entry in entries {
            entry.write(to: &writer)
            segment.note(entry)
            if case .horizonRaised(let time) = entry { horizon = time }
        }
        guard !writer.bytes.isEmpty else { return }
        let batch = checked(writer.bytes)
        try medium.append(batch, to: segment.number)
        segment.bytes += batch.count
        segments[segments.count - 1] = segment
        guard segment.bytes >= segmentBytes / 2 else { return }
        let isReady = try medium.prepare(segment.number + 1)
        if isReady, segment.bytes >= segmentBytes { try advance(open()) }
    }

    /// Begins the next segment.
    private mutating func advance(_ open: [JournalEntry]) throws(StorageError) {
        let current = segments[segments.count - 1]
        var next = Segment(number: current.number + 1)
        writer.removeAll()
        if let horizon { JournalEntry.horizonRaised(horizon).write(to: &writer) }
        for entry in open { entry.write(to: &writer) }
        do throws(StorageError) {
            if !writer.bytes.isEmpty { try medium.append(checked(writer.bytes), to: next.number) }
        } catch {
            // Without room the present segment grows on.
            guard case .full = error else { throw error }
            return
        }
        next.bytes = writer.bytes.count
        try medium.close(current.number)
        segments.append(next)
    }

    /// Deletes the oldest segments, as far as nothing in them is remembered any more.
    public mutating func prune(at now: WallTime) throws(StorageError) {
        while segments.count > 1, isForgotten(segments[0], at: now) {
            try medium.delete(segments[0].number)
            segments.removeFirst()
        }
    }

    /// Ends in good order.
    public mutating func finish() {
        medium.finish()
    }

    private func isForgotten(_ segment: Segment, at now: WallTime) -> Bool {
        guard let newestID = segment.newestID, let newestEnd = segment.newestEnd else { return true }
        guard let horizon, newestID <= horizon else { return false }
        return newestEnd.duration(to: now) >= shortest
    }
}
