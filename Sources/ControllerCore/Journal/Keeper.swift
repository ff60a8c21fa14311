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
    /// Keeps who may come in, all or none.
    private let keepAccess: ([AccessEntry]) throws(StorageError) -> Void
    /// Keeps which devices there are, all or none.
    private let keepDirectory: ([DirectoryEntry]) throws(StorageError) -> Void
    /// Keeps what is written in logbooks, all or none.
    private let keepLogbooks: ([LogbookEntry]) throws(StorageError) -> Void
    /// Keeps what is said of sites, all or none.
    private let keepSites: ([SiteEntry]) throws(StorageError) -> Void
    /// Keeps how sequences stand, all or none.
    private let keepSequences: ([SequenceEntry]) throws(StorageError) -> Void
    /// Keeps what is said of rosters, all or none.
    private let keepRosters: ([RosterEntry]) throws(StorageError) -> Void
    private let planted: Planting
    /// What is not kept yet and what depends on it, in order; empty unless the disk is full.
    private var waiting = WaitingWork()
    /// When to try again; nil unless the disk is full.
    public private(set) var retryAt: MonotonicTime?

    /// A keeper of requests, of who may come in, of which devices there are, of logbooks, of sites, of
    /// rosters and of sequences.
    ///
    /// - Parameters:
    ///   - journal: Where requests are kept; nil: nowhere.
    ///   - planted: The mistake that a simulation plants.
    ///   - keepAccess: Keeps entries about who may come in, all or none.
    ///   - keepDirectory: Keeps entries about which devices there are, all or none.
    ///   - keepLogbooks: Keeps what is written in logbooks, all or none.
    ///   - keepSites: Keeps what is said of sites, all or none.
    ///   - keepSequences: Keeps how sequences stand, all or none.
    ///   - keepRosters: Keeps what is said of rosters, all or none.
    public init(
        _ journal: consuming Journal<Medium>?, planted: Planting = Planting(),
        keepAccess: @escaping ([AccessEntry]) throws(StorageError) -> Void,
        keepDirectory: @escaping ([DirectoryEntry]) throws(StorageError) -> Void,
        keepLogbooks: @escaping ([LogbookEntry]) throws(StorageError) -> Void,
        keepSites: @escaping ([SiteEntry]) throws(StorageError) -> Void,
        keepSequences: @escaping ([SequenceEntry]) throws(StorageError) -> Void,
        keepRosters: @escaping ([RosterEntry]) throws(StorageError) -> Void
    ) {
        self.journal = journal
        self.planted = planted
        self.keepAccess = keepAccess
        self.keepDirectory = keepDirectory
        self.keepLogbooks = keepLogbooks
        self.keepSites = keepSites
        self.keepSequences = keepSequences
        self.keepRosters = keepRosters
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
        if !effects.entries.isEmpty {
            try journal?.append(effects.entries, open: open)
            effects.entries.removeAll(keepingCapacity: true)
            effects.hasKept = true
        }
        if !effects.accessEntries.isEmpty {
            try keepAccess(effects.accessEntries)
            effects.accessEntries.removeAll()
        }
        if !effects.directoryEntries.isEmpty {
            try keepDirectory(effects.directoryEntries)
            effects.directoryEntries.removeAll()
        }
        if !effects.logbookEntries.isEmpty {
            try keepLogbooks(effects.logbookEntries)
            effects.logbookEntries.removeAll()
        }
        if !effects.siteEntries.isEmpty {
            try keepSites(effects.siteEntries)
            effects.siteEntries.removeAll()
        }
        if !effects.sequenceEntries.isEmpty {
            try keepSequences(effects.sequenceEntries)
            effects.sequenceEntries.removeAll()
        }
        if !effects.rosterEntries.isEmpty {
            try keepRosters(effects.rosterEntries)
            effects.rosterEntries.removeAll()
        }
    }

    /// Has what cannot be kept wait, and what depends on it.
    private mutating func hold(_ effects: inout Controller.Effects) {
        waiting.hold(&effects, everyReplyLeaves: planted(.uncommittedReads))
    }
}
