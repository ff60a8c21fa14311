public import FleetProtocol

/// The storage of the journal's segments: files on a disk, or a simulated disk. Segments have numbers, from
/// 1. Each belongs to one epoch at a time and accepts batches of that epoch only.
public protocol JournalMedium {
    /// Returns the name of a segment for error messages.
    func name(of segment: Int) -> String

    /// Returns the end of the journal as noted outside its segments; nil before the first note.
    func recordedOutcome() throws(StorageError) -> RecordedOutcome?

    /// Notes the end of the journal; the note survives the death of the process, as the segments do.
    mutating func record(_ end: JournalEnd) throws(StorageError)

    /// The number of changes of the store, which is read for each batch; nil without a store.
    var storeChanges: UInt64? { get }

    /// The position of the store; nil without a store.
    var storePosition: StorePosition? { get }

    /// The name of the store for error messages.
    var storeName: String { get }

    /// Counts the start as a change of the store, after journal and store were compared and the journal's end
    /// was noted. Earlier changes of a start are not counted, so that no number of refused starts makes an
    /// older store look newer.
    mutating func acceptStart() throws(StorageError)

    /// Returns the numbers of the existing segments, ascending. Called once, after the epoch is stored: from
    /// then on no controller with an earlier epoch can add a segment.
    mutating func segments() throws(StorageError) -> [Int]

    /// Claims a segment for this epoch, so that no earlier epoch appends to it.
    mutating func claim(_ segment: Int) throws(StorageError)

    /// Returns a segment's first batch, or nil if it has none, without claiming or changing the segment.
    mutating func first(of segment: Int) throws(StorageError) -> ArraySlice<UInt8>?

    /// Returns a segment's last batch, or nil if it has none, without claiming or changing the segment.
    mutating func last(of segment: Int) throws(StorageError) -> ArraySlice<UInt8>?

    /// Reads the batches of a segment in the order of their appends, after ``first(of:)`` was called for it;
    /// the segment does not change. A batch that was not written completely may be left out: only the
    /// recorded outcome shows whether a batch is missing.
    func read(_ segment: Int, _ body: (ArraySlice<UInt8>) throws(StorageError) -> Void) throws(StorageError)

    /// Appends a batch to a segment, all or nothing, if the segment still belongs to this epoch.
    mutating func append(_ batch: [UInt8], to segment: Int) throws(StorageError)

    /// Checks that a segment still belongs to this epoch, as far as its format shows it; if not, `fenced`.
    func confirm(_ segment: Int) throws(StorageError)

    /// Creates a segment before it returns.
    mutating func create(_ segment: Int) throws(StorageError)

    /// Returns whether a segment exists; if not, its creation continues in the background.
    mutating func prepare(_ segment: Int) throws(StorageError) -> Bool

    /// Closes a segment, to which nothing more is appended.
    mutating func close(_ segment: Int) throws(StorageError)

    /// Stops all appends and returns when the pending work is done.
    mutating func finish()

    /// Deletes a segment that the journal does not need any more.
    mutating func delete(_ segment: Int) throws(StorageError)
}

/// Why something was not written, or cannot be read. A controller never overwrites a file to work around an
/// error.
public enum StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A controller with a newer epoch has started: no effects of the batch may leave.
    case fenced(by: Epoch)
    /// The disk is full: nothing was written, and the same batch may be tried again.
    case full(path: String)
    /// Another process has a file open that only one process may use at a time.
    case inUse(path: String)
    /// A file was written by a newer version.
    case newer(path: String)
    /// A file was written by an earlier version, whose format this one does not read.
    case older(path: String)
    /// A file is damaged or has unexpected content.
    case damaged(path: String, what: String)
    /// A file that existed is missing; without it the controller cannot tell which requests have run.
    case missing(path: String)
    /// A file cannot be opened, read or written; only reading it again shows which writes took effect.
    case failed(path: String, what: String)

    /// The cause, the path and the remedy.
    public var description: String {
        switch self {
        case .fenced(let epoch):
            "another controller has started with epoch \(epoch): this one stops"
        case .full(let path):
            "no space left for \(path): free space on that disk; the write is retried every 250 ms"
        case .inUse(let path):
            "\(path) is in use by another process: end that controller first, or use another run directory"
        case .newer(let path):
            "\(path) was written by a newer version of Sensibus: use that version, or another run directory"
        case .older(let path):
            "\(path) was written by an earlier version of Sensibus, and this one cannot read it: "
                + "remove the old state with `fleet reset`, or use another run directory"
        case .damaged(let path, let what):
            "\(path) is damaged (\(what)): use another run directory; nothing was changed"
        case .missing(let path):
            "\(path) is missing, so requests could run twice: restore it, or use another run directory"
        case .failed(let path, let what):
            "cannot use \(path): \(what); check that the directory can be written and the disk is not full"
        }
    }
}
