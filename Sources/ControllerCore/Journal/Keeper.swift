import FleetProtocol
public import Stepping

/// Keeps what the machine wants kept, before anything that depends on it leaves.
///
/// When the disk is full nothing that depends on the waiting batch leaves: the same batch is tried again
/// every ``Limits/storageRetry``, and what comes meanwhile waits behind it, but for answers that say only
/// what is kept. Words to nodes do not wait but are lost: a command that left later would have more time than
/// is left, and the machine sends it anew.
public struct Keeper<Medium: JournalMedium> {
    /// What happened to the disk.
    public enum Event {
        /// It is full: nothing can be kept.
        case full(StorageError)
        /// There is room again, and so many effects go out that waited.
        case room(waited: Int)
    }

    /// Nil when nothing is to be kept of requests.
    private var journal: Journal<Medium>?
    /// Stores changes of everything but requests, all or none.
    private let store: ([StorageChange]) throws(StorageError) -> Void
    private let planted: Planting
    /// What is not kept yet and what depends on it, in order; empty unless the disk is full.
    private var waiting = WaitingWork()
    /// When to try again; nil unless the disk is full.
    public private(set) var retryAt: MonotonicTime?

    /// A keeper with a journal and a store.
    ///
    /// - Parameters:
    ///   - journal: Where changes of requests are stored; nil: nowhere.
    ///   - planted: The mistake that a simulation plants.
    ///   - store: Stores the other changes of a list, all or none, and passes over those of requests.
    public init(
        _ journal: consuming Journal<Medium>?, planted: Planting = Planting(),
        store: @escaping ([StorageChange]) throws(StorageError) -> Void
    ) {
        self.journal = journal
        self.planted = planted
        self.store = store
    }

    /// The journal's newest segment; nil when nothing is kept of requests.
    public var segment: Int? { journal?.newest }

    /// Whether something waits for room.
    public var isFull: Bool { retryAt != nil }

    /// Ends in good order.
    public mutating func finish() {
        journal?.finish()
    }

    /// Keeps the entries among the effects, and takes them out.
    ///
    /// - Parameters:
    ///   - effects: Where there is no room, what depends on it is taken out, too; it comes back with the
    ///     effects of the call that finds room.
    ///   - open: Gives the entries of all open requests; asked for only when a segment begins.
    /// - Returns: what happened to the disk, if anything did.
    /// - Throws: `fenced` or `failed`: nothing of it may leave, and the process must end.
    public mutating func keep(
        _ effects: inout Controller.Effects, open: () -> [JournalEntry], at now: Moment
    ) throws(StorageError) -> Event? {
        let wasFull = isFull
        if let retryAt {
            hold(&effects)
            guard now.monotonic >= retryAt else { return nil }
        }
        var due = Controller.Effects()
        if wasFull { due = waiting.take() } else { swap(&due, &effects) }
        do throws(StorageError) {
            try append(&due, open: open)
        } catch {
            guard case .full = error else { throw error }
            retryAt = now.monotonic.advanced(by: Limits.storageRetry)
            if wasFull {
                waiting.giveBack(due)
                return nil
            }
            hold(&due)
            effects = due
            return .full(error)
        }
        guard wasFull else {
            swap(&effects, &due)
            return nil
        }
        let waited = due.count
        due.append(effects)
        waiting.clear()
        (effects, retryAt) = (due, nil)
        return .room(waited: waited)
    }

    private mutating func append(
        _ effects: inout Controller.Effects, open: () -> [JournalEntry]
    ) throws(StorageError) {
        guard !effects.changes.isEmpty else { return }
        let parts = effects.changes.reduce(into: StorageParts()) { $0.formUnion($1.part) }
        if parts.contains(.requests) {
            try journal?.append(effects.changes, open: open)
            effects.hasKept = true
        }
        if parts != .requests {
            // The journal has the requests' changes: they are not written again if the store has no room.
            if effects.hasKept { effects.changes.removeAll { $0.part == .requests } }
            try store(effects.changes)
        }
        effects.changes.removeAll(keepingCapacity: true)
    }

    /// Has what cannot be kept wait, and what depends on it.
    private mutating func hold(_ effects: inout Controller.Effects) {
        waiting.hold(&effects, everyReplyLeaves: planted(.uncommittedReads))
    }
}
