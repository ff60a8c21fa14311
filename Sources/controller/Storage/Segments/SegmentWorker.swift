import ControllerCore
import Dispatch
import FleetProtocol
import ProcessSupport
import Synchronization

/// Creates segments in advance, and syncs and closes earlier ones, on another thread, because both wait for
/// the disk.
final class SegmentWorker: Sendable {
    private struct State {
        var toCome = SegmentsToCome<SegmentFile>()
        /// The last segment that has got its name; its creation is repeated if the disk was full after that.
        var placed: Int?
        /// The first error that was not thrown to a caller yet.
        var failure: StorageError?
        /// Whether any work ever failed: then the journal may not be completely on the disk.
        var hasFailed = false
    }

    private let directory: SegmentDirectory
    private let epoch: Epoch
    private let durability: Durability
    private let store: Store
    private let queue = DispatchQueue(label: "journal")
    private let state = Mutex(State())

    init(directory: String, epoch: Epoch, durability: Durability, store: Store) {
        self.directory = SegmentDirectory(directory)
        (self.epoch, self.durability, self.store) = (epoch, durability, store)
    }

    /// Returns a segment once it is created, nil before; the first call starts the creation. It throws the
    /// first error since the last call, except a full disk: the next call then creates the segment again.
    func removeMade(_ segment: Int) throws(StorageError) -> SegmentFile? {
        let (failure, (file, isToBeMade)) = state.withLock { state in
            let failure = state.failure.take()
            return (failure, failure == nil ? state.toCome.remove(segment) : (nil, false))
        }
        if let failure { throw failure }
        if isToBeMade {
            run { [self] () throws(StorageError) in
                do throws(StorageError) {
                    let file = try make(segment)
                    state.withLock { $0.toCome.addMade(segment, file) }
                } catch {
                    guard error.isForWantOfRoom else { throw error }
                    state.withLock { $0.toCome.recordFullDisk(for: segment) }
                }
            }
        }
        return file
    }

    /// Creates a segment under a temporary name, and gives it its own only while the store has our epoch: a
    /// successor fences all named segments, and no further one can appear. It fails if there is a file of
    /// that name, which another process must have made.
    func make(_ segment: Int) throws(StorageError) -> SegmentFile {
        let place = directory.file(of: segment)
        let file = try SegmentFile.make(at: place, for: epoch, of: store.fleet, durability) { file in
            let isRepeated = state.withLock { $0.placed == segment }
            try store.whileOurs(epoch) { _ in
                if isRepeated { try file.move(to: place, isSynced: false) } else { try file.place(at: place) }
                state.withLock { $0.placed = segment }
            }
            // The directory is synced before the store has the number of the new segment.
            try DirectoryNames.sync(nameOf: place)
        }
        try store.recordSegment(segment, of: epoch)
        return file
    }

    func close(_ file: SegmentFile) { run { () throws(StorageError) in try file.close() } }

    func delete(_ segment: Int, _ file: SegmentFile?) {
        run { [directory] () throws(StorageError) in
            try file?.close()
            try directory.remove(segment)
        }
    }

    /// Closes unused segments, waits for all work, and, without a failure, marks the journal as synced.
    func finish() {
        queue.sync {}
        for file in state.withLock({ $0.toCome.drainUnused() }) { close(file) }
        run { [self] () throws(StorageError) in
            if state.withLock({ $0.hasFailed }) { return }
            try store.witness.recordJournalSync()
        }
        queue.sync {}
    }

    private func run(_ work: @escaping @Sendable () throws(StorageError) -> Void) {
        queue.async { [self] in
            do throws(StorageError) {
                try work()
            } catch {
                state.withLock { state in
                    state.hasFailed = true
                    if !error.isForWantOfRoom { state.failure = state.failure ?? error }
                }
            }
        }
    }
}

extension StorageError {
    /// Whether the cause is a full disk, so that a later attempt can succeed.
    var isForWantOfRoom: Bool {
        if case .full = self { true } else { false }
    }
}
