import FleetProtocol
public import Stepping

/// Keeps what the machine wants kept, before anything that depends on it leaves.
///
/// When the disk is full nothing that depends on the waiting batch leaves: the same batch is tried again
/// every ``Limits/storageRetry``, and what comes meanwhile waits behind it. Words to nodes do not wait but
/// are lost: a command that left later would have more time than is left, and the machine sends it anew.
public struct Keeper<Medium: JournalMedium> {
    /// What happened to the disk.
    public enum Event {
        /// It is full: nothing can be kept.
        case full(StorageError)
        /// There is room again, and so many effects go out that waited.
        case room(waited: Int)
    }

    /// Updates that wait at most; those beyond are dropped, and observers see the gap.
    private static var waitingUpdatesAtMost: Int { 65_536 }

    /// Nil when nothing is to be kept of requests.
    private var journal: Journal<Medium>?
    /// Keeps who may come in, all or none.
    private let keepAccess: ([AccessEntry]) throws(StorageError) -> Void
    /// Keeps which devices there are, all or none.
    private let keepDirectory: ([DirectoryEntry]) throws(StorageError) -> Void
    private let planted: Planting
    /// Entries that are not kept yet; of a former turn only while the disk is full.
    private var entries: [JournalEntry] = []
    private var accessEntries: [AccessEntry] = []
    private var directoryEntries: [DirectoryEntry] = []
    /// What depends on them, in order; empty unless the disk is full.
    private var waiting: [Controller.Effect] = []
    private var waitingUpdates = 0
    /// When to try again; nil unless the disk is full.
    public private(set) var retryAt: MonotonicTime?

    /// A keeper of requests, of who may come in, and of which devices there are.
    ///
    /// - Parameters:
    ///   - journal: Where requests are kept; nil: nowhere.
    ///   - planted: The mistake that a simulation plants.
    ///   - keepAccess: Keeps entries about who may come in, all or none.
    ///   - keepDirectory: Keeps entries about which devices there are, all or none.
    public init(
        _ journal: consuming Journal<Medium>?, planted: Planting = Planting(),
        keepAccess: @escaping ([AccessEntry]) throws(StorageError) -> Void,
        keepDirectory: @escaping ([DirectoryEntry]) throws(StorageError) -> Void
    ) {
        self.journal = journal
        self.planted = planted
        self.keepAccess = keepAccess
        self.keepDirectory = keepDirectory
    }

    /// Whether something waits for room.
    public var isFull: Bool { retryAt != nil }

    /// Ends in good order.
    public mutating func finish() {
        journal?.finish()
    }

    /// Keeps the entries among the effects.
    ///
    /// - Parameters:
    ///   - effects: Where there is no room, what depends on it is taken out; it comes back with the effects
    ///     of the call that finds room.
    ///   - open: Gives the entries of all open requests; asked for only when a segment begins.
    /// - Returns: what happened to the disk, if anything did.
    /// - Throws: `fenced` or `failed`: nothing of it may leave, and the process must end.
    public mutating func keep(
        _ effects: inout [Controller.Effect], open: () -> [JournalEntry], at now: Moment
    ) throws(StorageError) -> Event? {
        for effect in effects {
            switch effect {
            case .journal(let entry): entries.append(entry)
            case .access(let entry): accessEntries.append(entry)
            case .directory(let entry): directoryEntries.append(entry)
            case .reply, .send, .publish, .checkPassword, .hashPassword, .halt: break
            }
        }
        if let retryAt {
            hold(&effects)
            guard now.monotonic >= retryAt else { return nil }
        }
        do throws(StorageError) {
            try append(open: open, at: now)
        } catch {
            guard case .full = error else { throw error }
            let wasFull = isFull
            retryAt = now.monotonic.advanced(by: Limits.storageRetry)
            guard !wasFull else { return nil }
            hold(&effects)
            return .full(error)
        }
        guard isFull else { return nil }
        defer { (waiting, waitingUpdates, retryAt) = ([], 0, nil) }
        effects = waiting + effects
        return .room(waited: waiting.count)
    }

    private mutating func append(open: () -> [JournalEntry], at now: Moment) throws(StorageError) {
        if !entries.isEmpty {
            try journal?.append(entries, open: open)
            let hasHorizon = entries.contains { if case .horizonRaised = $0 { true } else { false } }
            entries.removeAll(keepingCapacity: true)
            if hasHorizon { try journal?.prune(at: now.wall) }
        }
        if !accessEntries.isEmpty {
            try keepAccess(accessEntries)
            accessEntries.removeAll()
        }
        if !directoryEntries.isEmpty {
            try keepDirectory(directoryEntries)
            directoryEntries.removeAll()
        }
    }

    private mutating func hold(_ effects: inout [Controller.Effect]) {
        for effect in effects where effect.waitsForJournal {
            switch effect {
            case .send: continue
            case .publish:
                guard waitingUpdates < Self.waitingUpdatesAtMost else { continue }
                waitingUpdates += 1
            case .reply where planted(.uncommittedReads): continue
            case .journal, .access, .directory, .reply, .checkPassword, .hashPassword, .halt: break
            }
            waiting.append(effect)
        }
        effects.removeAll { effect in
            if case .reply = effect, planted(.uncommittedReads) { return false }
            return effect.waitsForJournal
        }
    }
}
