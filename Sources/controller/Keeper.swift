import ControllerCore
import FleetProtocol
import Logging
import Runtime
import Stepping

/// Keeps what the machine wants kept, before anything that depends on it leaves.
///
/// When the disk is full nothing that depends on the waiting batch leaves: the same batch is tried again
/// every ``Limits/storageRetry``, and what comes meanwhile waits behind it.
final class Keeper {
    /// Updates that wait at most; those beyond are dropped, and observers see the gap.
    private static let waitingUpdatesAtMost = 65_536

    private let store: Store
    private let logger: Logger
    /// Nil when nothing is to be kept of requests.
    private var journal: Journal<SegmentFiles>?
    /// Entries that are not kept yet; of a former turn only while the disk is full.
    private var entries: [JournalEntry] = []
    private var userEntries: [JournalEntry] = []
    /// What depends on them, in order; empty unless the disk is full.
    private var waiting: [Controller.Effect] = []
    private var waitingUpdates = 0
    /// When to try again; nil unless the disk is full.
    private(set) var retryAt: MonotonicTime?

    /// Opens the journal and reads it.
    init(
        store: Store, directory: String, epoch: Epoch, durability: Durability,
        into replay: inout JournalReplay, logger: Logger
    ) throws(StorageError) {
        self.store = store
        self.logger = logger
        guard durability != .none else { return }
        let segments = try SegmentFiles(
            directory: directory, epoch: epoch, durability: durability, store: store)
        let shortest = ControllerConfiguration.Retention().shortest
        journal = try Journal(segments, shortest: shortest, into: &replay) { read, count in
            if count > 1 { logger.info("reading the journal", metadata: ["segments": "\(read) of \(count)"]) }
        }
    }

    /// Whether something waits for room.
    var isFull: Bool { retryAt != nil }

    /// Somebody's devices know a higher epoch than ours: it is stored, so that the next start is above it.
    func raiseEpoch(to fencing: Epoch) throws(StorageError) {
        try store.raiseEpoch(to: fencing)
    }

    /// Writes back what is open.
    func finish() {
        journal?.finish()
    }

    /// Keeps the entries among the effects.
    ///
    /// - Parameters:
    ///   - effects: Where there is no room, what depends on it is taken out; it comes back with the effects
    ///     of the call that finds room.
    ///   - open: Gives the entries of all open requests; asked for only when a segment begins.
    /// - Throws: `fenced` or `failed`: nothing of it may leave, and the process must end.
    func keep(
        _ effects: inout [Controller.Effect], open: () -> [JournalEntry], at now: Moment
    ) throws(StorageError) {
        for case .journal(let entry) in effects {
            if entry.isAboutRequests { entries.append(entry) } else { userEntries.append(entry) }
        }
        if let retryAt {
            hold(&effects)
            guard now.monotonic >= retryAt else { return }
        }
        do throws(StorageError) {
            try append(open: open, at: now.wall)
        } catch {
            guard case .full = error else { throw error }
            if !isFull {
                logger.error("nothing can be kept", metadata: ["reason": "\(error)"])
                hold(&effects)
            }
            retryAt = now.monotonic.advanced(by: Limits.storageRetry)
            return
        }
        guard isFull else { return }
        logger.notice("there is room again", metadata: ["waited": "\(waiting.count)"])
        effects = waiting + effects
        (waiting, waitingUpdates, retryAt) = ([], 0, nil)
    }

    private func append(open: () -> [JournalEntry], at now: WallTime) throws(StorageError) {
        if !entries.isEmpty {
            try journal?.append(entries, open: open)
            let hasHorizon = entries.contains { if case .horizonRaised = $0 { true } else { false } }
            entries.removeAll(keepingCapacity: true)
            if hasHorizon { try journal?.prune(at: now) }
        }
        if !userEntries.isEmpty {
            try store.append(userEntries)
            userEntries.removeAll()
        }
    }

    private func hold(_ effects: inout [Controller.Effect]) {
        for effect in effects where effect.waitsForJournal {
            if case .publish = effect {
                guard waitingUpdates < Self.waitingUpdatesAtMost else { continue }
                waitingUpdates += 1
            }
            waiting.append(effect)
        }
        effects.removeAll(where: \.waitsForJournal)
    }
}
