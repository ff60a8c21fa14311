public import FleetProtocol

/// Writes the changes of a turn before any effect that depends on them leaves.
///
/// When the disk is full, nothing that depends on the held batch leaves. The writer retries the same batch
/// every ``Limits/storageRetry``, and later changes wait behind it with their replies. Commands to nodes are
/// dropped instead: a held command would leave with a time to live that is too long. The engine sends it
/// again.
public struct StorageWriter<Medium: JournalMedium> {
    /// A change of the disk's state.
    public enum Event {
        /// The disk is full: nothing can be written.
        case full(StorageError)
        /// The disk has room again; with the number of held effects that leave.
        case room(waited: Int)
    }

    /// Nil if changes of requests are not stored.
    private var journal: Journal<Medium>?
    /// Stores changes of everything but requests, all or none.
    private let store: ([StorageChange]) throws(StorageError) -> Void
    private let planted: Planting
    /// Unwritten changes and the effects that depend on them, in order; empty unless the disk is full.
    private var waiting = HeldEffects()
    /// When to try again; nil unless the disk is full.
    public private(set) var retryAt: MonotonicTime?

    /// Creates a writer with a journal, which is nil if changes of requests are not stored, and a store. The
    /// store takes the other changes of a list, all or none, and ignores those of requests.
    public init(
        _ journal: consuming Journal<Medium>?, planted: Planting = Planting(),
        store: @escaping ([StorageChange]) throws(StorageError) -> Void
    ) {
        self.journal = journal
        self.planted = planted
        self.store = store
    }

    // Speed: see performance.md, "copies".
    /// The journal's newest segment; nil without a journal.
    public var segment: Int? { mutating get { journal?.newest } }

    /// Whether changes wait for room on the disk.
    public var isFull: Bool { retryAt != nil }

    /// Checks that no later controller has taken the journal; without one, only a change of the store shows
    /// it.
    public mutating func confirm() throws(StorageError) { try journal?.confirm() }

    /// Flushes the journal.
    public mutating func finish() {
        journal?.finish()
    }

    /// Writes the changes among the effects, and removes them; returns a change of the disk's state.
    ///
    /// If the disk is full, effects that depend on the changes are removed too; they leave with the effects
    /// of the call that finds room. After an error none of the effects may leave, and the process must end.
    /// `open`, called only when a segment begins, returns the entries of all open requests.
    public mutating func write(
        _ effects: inout Controller.Effects, open: () -> [JournalEntry], at now: Moment
    ) throws(StorageError) -> Event? {
        let wasFull = isFull
        if let retryAt {
            hold(&effects)
            guard now.monotonic >= retryAt else { return nil }
        }
        var due = Controller.Effects()
        if wasFull { due = waiting.removeAll() } else { swap(&due, &effects) }
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
        let requests = effects.changes.count { $0.isOfRequest }
        if requests > 0 {
            try journal?.append(effects.changes, open: open)
            effects.hasStoredRequests = true
        }
        if requests < effects.changes.count {
            // The journal has the requests' changes, so a retry for a full store must not write them again.
            if effects.hasStoredRequests { effects.changes.removeAll { $0.part == .requests } }
            try store(effects.changes)
        }
        effects.changes.removeAll(keepingCapacity: true)
    }

    private mutating func hold(_ effects: inout Controller.Effects) {
        waiting.hold(
            &effects, releasesEveryReply: planted(.uncommittedReads),
            releasesServices: planted(.serviceReplyNotHeld))
    }
}
