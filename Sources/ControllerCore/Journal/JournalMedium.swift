public import FleetProtocol

/// Where the journal's segments lie: files on a disk, or what a simulation takes for one.
///
/// Segments have numbers, from 1. Each belongs to one epoch at a time and takes batches for that one only.
public protocol JournalMedium {
    /// What a segment is called where something is wrong with it.
    func name(of segment: Int) -> String

    /// How far the journal went, by a note outside its segments; nil where nothing was noted.
    func notedEnd() throws(StorageError) -> NotedEnd?

    /// Notes how far the journal goes, which survives the death of the process as the segments do.
    mutating func note(_ end: JournalEnd) throws(StorageError)

    /// The numbers of the segments that there are, ascending.
    ///
    /// Called once, after the epoch is stored: whoever had an earlier one can add no segment from then on.
    mutating func segments() throws(StorageError) -> [Int]

    /// Takes a segment for this epoch, so that no earlier one appends to it.
    mutating func take(_ segment: Int) throws(StorageError)

    /// A segment's first batch; nil when it has none. The segment need not be taken, and does not change.
    mutating func first(of segment: Int) throws(StorageError) -> ArraySlice<UInt8>?

    /// A segment's last batch; nil when it has none. The segment need not be taken, and does not change.
    mutating func last(of segment: Int) throws(StorageError) -> ArraySlice<UInt8>?

    /// Reads a segment's batches in the order in which they were kept, once its first was asked for; the
    /// segment does not change.
    func read(_ segment: Int, _ body: (ArraySlice<UInt8>) throws(StorageError) -> Void) throws(StorageError)

    /// Keeps a batch at the end of a segment, whole or not at all, if the segment is still this epoch's.
    mutating func append(_ batch: [UInt8], to segment: Int) throws(StorageError)

    /// Makes a segment, now.
    mutating func create(_ segment: Int) throws(StorageError)

    /// Whether a segment is there; if not, it is being made meanwhile.
    mutating func prepare(_ segment: Int) throws(StorageError) -> Bool

    /// Nothing more is appended to a segment.
    mutating func close(_ segment: Int) throws(StorageError)

    /// Nothing is appended at all any more; returns when what was asked for is done.
    mutating func finish()

    /// Nobody needs a segment any more.
    mutating func delete(_ segment: Int) throws(StorageError)
}

/// Why something was not kept, or cannot be read.
///
/// Nothing is ever overwritten to get around it.
public enum StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another controller has started meanwhile: nothing of the batch may leave.
    case fenced(by: Epoch)
    /// There is no room: nothing was kept, and the same batch may be tried again.
    case full(path: String)
    /// Another process has a file open that is nobody else's then.
    case inUse(path: String)
    /// A file was written by a newer version.
    case newer(path: String)
    /// A file is not what it should be, or it is damaged.
    case damaged(path: String, what: String)
    /// A file that was there is gone, and with it what says which requests have run.
    case missing(path: String)
    /// A file cannot be opened, read or written; what was kept is known only after it is read anew.
    case failed(path: String, what: String)

    /// What failed, where, and what to do.
    public var description: String {
        switch self {
        case .fenced(let epoch):
            "another controller has started with epoch \(epoch): this one stops"
        case .full(let path):
            "no space left for \(path): free space on that disk; the write is tried again every 250 ms"
        case .inUse(let path):
            "\(path) is in use by another process: end that controller first, or use another run directory"
        case .newer(let path):
            "\(path) was written by a newer version of Sensibus: use that version, or another run directory"
        case .damaged(let path, let what):
            "\(path) is damaged (\(what)): use another run directory; nothing was changed"
        case .missing(let path):
            "\(path) is gone, without which requests could run twice: put it back, or use another run directory"
        case .failed(let path, let what):
            "cannot use \(path): \(what); check that the directory can be written and the disk is not full"
        }
    }
}
