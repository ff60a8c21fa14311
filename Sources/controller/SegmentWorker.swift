import ControllerCore
import Dispatch
import FleetProtocol
import Foundation
import Runtime
import Synchronization

/// Makes segments to come, and writes back those that were closed, on a thread of its own: both wait for the
/// disk, and the loop must not.
final class SegmentWorker: Sendable {
    private struct State {
        var asked: Set<Int> = []
        var made: [Int: SegmentFile] = [:]
        var failure: StorageError?
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
    /// - Throws: what went wrong since the last call, for want of room excepted: that is tried again.
    func takeMade(_ segment: Int) throws(StorageError) -> SegmentFile? {
        let (file, failure, isNew) = state.withLock { state in
            let failure = state.failure.take()
            if case .full? = failure { state.asked.remove(segment) }
            return (
                state.made.removeValue(forKey: segment), failure, state.asked.insert(segment).inserted
            )
        }
        if let failure, !failure.isForWantOfRoom { throw failure }
        if isNew {
            run { [self] () throws(StorageError) in
                let file = try make(segment)
                state.withLock { $0.made[segment] = file }
            }
        }
        return file
    }

    /// Makes a segment beside its place, and moves it there only while the epoch is ours: whoever takes over
    /// takes every segment that is in its place, and after that none comes.
    func make(_ segment: Int) throws(StorageError) -> SegmentFile {
        let place = path(segment)
        let making = "\(place).\(epoch).making"
        try SegmentFile.create(at: making, for: epoch, durability)
        try store.whileOurs(epoch) { _ in
            guard rename(making, place) == 0 else {
                throw StorageError.failed(path: place, what: String(cString: strerror(errno)))
            }
        }
        return try SegmentFile(opening: place, durability)
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
            for suffix in ["-wal", "-shm", ""] where unlink(place + suffix) != 0 && errno != ENOENT {
                throw StorageError.failed(path: place + suffix, what: String(cString: strerror(errno)))
            }
        }
    }

    /// Closes what was made for nobody, and waits until everything asked for is done.
    func finish() {
        queue.sync {}
        for file in state.withLock({ Array($0.made.values) }) { close(file) }
        queue.sync {}
    }

    private func run(_ work: @escaping @Sendable () throws(StorageError) -> Void) {
        queue.async { [self] in
            do throws(StorageError) {
                try work()
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
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
