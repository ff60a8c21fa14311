import ControllerCore
import Dispatch
import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import Synchronization

/// Creates segments in advance, and checkpoints closed ones, on another thread, because both wait for the
/// disk.
final class SegmentWorker: Sendable {
    private struct State {
        var toCome = SegmentsToCome<SegmentFile>()
        /// The first error that was not thrown to a caller yet.
        var failure: StorageError?
        /// Whether any work ever failed: then the journal may not be completely on the disk.
        var hasFailed = false
    }

    private let directory: String
    private let epoch: Epoch
    private let durability: Durability
    private let store: Store
    private let queue = DispatchQueue(label: "journal")
    private let state = Mutex(State())

    init(directory: String, epoch: Epoch, durability: Durability, store: Store) {
        (self.directory, self.epoch, self.durability, self.store) = (directory, epoch, durability, store)
    }

    /// Returns the path of a segment's file.
    func path(_ segment: Int) -> String { SegmentFile.path(of: segment, in: directory) }

    /// Returns a segment once it is created, nil before; the first call starts the creation.
    ///
    /// - Throws: The first error since the last call, except a full disk: the next call then creates the
    ///   segment again, and a log that was not checkpointed stays beside its file, where a reader finds it.
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

    /// Creates a segment under a temporary name, and renames it only while the store has our epoch: a
    /// successor fences all renamed segments, and no further one can appear.
    func make(_ segment: Int) throws(StorageError) -> SegmentFile {
        let place = path(segment)
        let making = "\(place).\(epoch).making"
        // Remove the rest of an earlier attempt on a full disk.
        try remove(making)
        try SegmentFile.create(at: making, for: epoch, durability)
        try store.whileOurs(epoch) { _ in
            // SQLite would apply the log of a former file at that path to this one.
            try removeLog(of: place)
            guard rename(making, place) == 0 else {
                throw StorageError.failed(path: place, what: String(cString: strerror(errno)))
            }
        }
        try syncDirectory()
        try store.recordSegment(segment, of: epoch)
        return try SegmentFile(opening: place, durability)
    }

    /// Syncs the directory, before the store has the number of the new segment.
    private func syncDirectory() throws(StorageError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed(path: directory, what: String(cString: strerror(errno))) }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw .failed(path: directory, what: String(cString: strerror(errno)))
        }
    }

    /// Checkpoints a segment's log into its file, and closes it.
    func close(_ file: SegmentFile) { run { () throws(StorageError) in try file.close() } }

    /// Deletes a segment's files.
    func delete(_ segment: Int, _ file: SegmentFile?) {
        let place = path(segment)
        run { () throws(StorageError) in
            try file?.close()
            try self.remove(place)
        }
    }

    /// Deletes a database file with its `-wal` and `-shm` files.
    private func remove(_ path: String) throws(StorageError) {
        try removeLog(of: path)
        try unlinkIfPresent(path)
    }

    /// Deletes the `-wal` and `-shm` files of a database.
    private func removeLog(of path: String) throws(StorageError) {
        for suffix in ["-wal", "-shm"] { try unlinkIfPresent(path + suffix) }
    }

    private func unlinkIfPresent(_ path: String) throws(StorageError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw .failed(path: path, what: String(cString: strerror(errno)))
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
