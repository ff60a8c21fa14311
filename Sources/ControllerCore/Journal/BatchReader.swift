public import Records

/// Reads batches of a journal, one after the other, and makes nothing anew that most entries share.
public struct BatchReader: Sendable {
    private var reader = RecordReader([])

    /// A reader that has read nothing.
    public init() {}

    /// Reads the entries of a batch, as a segment has it: behind its checksum.
    ///
    /// - Parameter body: Takes the next entry.
    /// - Throws: `malformed` for another checksum, before there is any entry, and whatever an entry throws.
    public mutating func read(
        _ batch: ArraySlice<UInt8>, _ body: (JournalEntry) -> Void
    ) throws(RecordError) {
        reader.begin(batch)
        let checksum = try reader.take(UInt32.self)
        guard checksum == Checksum.of(batch.suffix(reader.bytesLeft)) else {
            throw .malformed(field: "checksum")
        }
        while reader.bytesLeft > 0 { body(try JournalEntry(from: &reader)) }
    }
}
