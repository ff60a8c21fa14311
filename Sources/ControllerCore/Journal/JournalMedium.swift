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
