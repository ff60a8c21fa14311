/// Where the journal's segments lie: files on a disk, or what a simulation takes for one.
///
/// Segments have numbers, from 1. Each belongs to one epoch at a time and takes batches for that one only.
public protocol JournalMedium {
    /// Takes every segment there is for an epoch, so that no earlier one appends to any of them.
    ///
    /// Called once, after the epoch is stored and before anything is read.
    ///
    /// - Returns: The segments' numbers, ascending.
    mutating func takeOver() throws(StorageError) -> [Int]

    /// Reads a segment's batches in the order in which they were kept.
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
