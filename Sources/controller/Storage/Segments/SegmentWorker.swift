import ControllerCore
import Dispatch
import FleetProtocol
import Foundation
import Glibc
import Runtime
import Synchronization

/// Makes segments to come, and writes back those that were closed, on a thread of its own: both wait for the
/// disk, and the loop must not.
final class SegmentWorker: Sendable {
    private struct State {
        var toCome = SegmentsToCome<SegmentFile>()
        /// What went wrong first and has not been told.
        var failure: StorageError?
        /// Whether anything ever went wrong: not all of the journal need be on the disk then.
        var hasFailed = false
    }

    private let directory: String
    private let epoch: Epoch
    private let durability: Durability
    private let store: Store
    private let queue = DispatchQueue(label: "journal")
    private let state = Mutex(State())

    init(directory: String, epoch: Epoch, durability: Durability, store: Store) {
        self.directory = directory
        self.epoch = epoch
        self.durability = durability
        self.store = store
    }

    /// Where a segment's file is.
    func path(_ segment: Int) -> String {
        SegmentFile.path(of: segment, in: directory)
    }

    /// A segment that was asked for, once it is made; the first call asks.
    ///
    /// - Throws: what went wrong since the last call, for want of room excepted: a segment is then made once
    ///   more, and a log that was not written back stays beside its file, where it is read.
    func takeMade(_ segment: Int) throws(StorageError) -> SegmentFile? {
        let (failure, (file, isToBeMade)) = state.withLock { state in
            let failure = state.failure.take()
            return (failure, failure == nil ? state.toCome.take(segment) : (nil, false))
        }
        if let failure { throw failure }
        if isToBeMade {
            run { [self] () throws(StorageError) in
                do throws(StorageError) {
                    let file = try make(segment)
                    state.withLock { $0.toCome.noteMade(segment, file) }
                } catch {
                    guard error.isForWantOfRoom else { throw error }
                    state.withLock { $0.toCome.noteNoRoom(for: segment) }
                }
            }
        }
        return file
    }

    /// Makes a segment beside its place, and moves it there only while the epoch is ours: whoever takes over
    /// takes every segment that is in its place, and after that none comes.
    func make(_ segment: Int) throws(StorageError) -> SegmentFile {
        let place = path(segment)
        let making = "\(place).\(epoch).making"
        // What an earlier try left that had no room.
        try remove(making)
        try SegmentFile.create(at: making, for: epoch, durability)
        try store.whileOurs(epoch) { _ in
            // The log of a former file in that place would be taken for this one's.
            try removeLog(of: place)
            guard rename(making, place) == 0 else {
                throw StorageError.failed(path: place, what: String(cString: strerror(errno)))
            }
        }
        try syncDirectory()
        try store.noteSegment(segment, of: epoch)
        return try SegmentFile(opening: place, durability)
    }

    /// Brings to the disk which files there are, before the store says that one is there.
    private func syncDirectory() throws(StorageError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .failed(path: directory, what: String(cString: strerror(errno)))
        }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw .failed(path: directory, what: String(cString: strerror(errno)))
        }
    }

    /// Writes a segment's log back into its file.
    func close(_ file: SegmentFile) {
        run { () throws(StorageError) in try file.close() }
    }

    /// Takes a segment's files away.
    func delete(_ segment: Int, _ file: SegmentFile?) {
        let place = path(segment)
        run { () throws(StorageError) in
            try file?.close()
            try self.remove(place)
        }
    }

    /// Takes a file away, and what SQLite has beside it.
    private func remove(_ path: String) throws(StorageError) {
        try removeLog(of: path)
        try unlinkIfThere(path)
    }

    /// Takes away what SQLite has beside a file.
    private func removeLog(of path: String) throws(StorageError) {
        for suffix in ["-wal", "-shm"] { try unlinkIfThere(path + suffix) }
    }

    private func unlinkIfThere(_ path: String) throws(StorageError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw .failed(path: path, what: String(cString: strerror(errno)))
        }
    }

    /// Closes segments that were never taken, waits until all work is done, and notes that.
    func finish() {
        queue.sync {}
        for file in state.withLock({ $0.toCome.takeLeft() }) { close(file) }
        run { [self] () throws(StorageError) in
            if state.withLock({ $0.hasFailed }) { return }
            try store.witness.noteJournalIsOnDisk()
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
    /// Whether it goes away by itself once there is room.
    var isForWantOfRoom: Bool {
        if case .full = self { true } else { false }
    }
}
