import ControllerCore
import Dispatch
import FleetProtocol
import Synchronization

/// Reads the outcomes in segments that were not needed at the start, on a separate thread, while the
/// controller already serves.
final class SegmentReader: Sendable {
    struct Part: Sendable {
        let ends: JournalReplay
        /// The newest ID of the outcomes that are still unread; nil for the last part.
        let unreadUpTo: WallTime?
    }

    private struct State {
        /// The parts that were not taken; the controller stores all of them in any case.
        var parts: [Result<Part, StorageError>] = []
        var isFinished = false
    }

    /// The number of outcomes in one part, plus a batch, so that the loop needs only a few milliseconds.
    private static let endsInPart = 4_096

    private let directory: SegmentDirectory
    private let queue = DispatchQueue(label: "journal's past")
    private let state = Mutex(State())

    init(directory: String) { self.directory = SegmentDirectory(directory) }

    /// Starts to read the segments, and wakes the caller whenever there is a part to take.
    func read(_ unread: UnreadSegments, then wake: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            do throws(StorageError) {
                for (count, segment) in unread.segments.enumerated() where !isFinished {
                    try read(
                        segment, upTo: unread.newestID(after: count),
                        thenUpTo: unread.newestID(after: count + 1), wake)
                }
            } catch {
                hand(over: .failure(error), wake)
            }
        }
    }

    private func read(
        _ segment: JournalSegment, upTo before: WallTime?, thenUpTo after: WallTime?,
        _ wake: @Sendable () -> Void
    ) throws(StorageError) {
        let file = try directory.open(segment.number)
        var ends = JournalReplay()
        try file.read { (batch) throws(StorageError) in
            guard !isFinished else { return }
            try ends.readEnds(batch, of: segment.number)
            guard ends.endedCount >= Self.endsInPart else { return }
            hand(over: .success(Part(ends: ends, unreadUpTo: before)), wake)
            ends = JournalReplay(after: ends)
        }
        guard !isFinished else { return }
        do throws(StorageError) {
            try ends.checkWhole(segment)
        } catch {
            guard case .damaged(_, let what) = error else { throw error }
            throw .damaged(path: file.path, what: what)
        }
        // A process that died may have left unsynced batches. Once the last part is taken, the segment may be
        // deleted.
        try file.close()
        hand(over: .success(Part(ends: ends, unreadUpTo: after)), wake)
    }

    /// Returns the oldest part that was not taken, and whether there are more.
    func popPart() throws(StorageError) -> (part: Part, hasMore: Bool)? {
        let (first, hasMore) = state.withLock { state in
            let first = state.parts.isEmpty ? nil : state.parts.removeFirst()
            return (first, !state.parts.isEmpty)
        }
        return try first.map { (part) throws(StorageError) in (try part.get(), hasMore) }
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        queue.sync {}
    }

    private var isFinished: Bool { state.withLock { $0.isFinished } }

    private func hand(over part: Result<Part, StorageError>, _ wake: @Sendable () -> Void) {
        state.withLock { $0.parts.append(part) }
        wake()
    }
}
