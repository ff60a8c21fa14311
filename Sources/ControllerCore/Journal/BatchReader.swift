public import Records

/// Reads batches of a journal, one after the other, and makes nothing anew that most entries share.
///
/// A batch is its checksum, its link and its entries. The link is a zero, which begins no entry, the number
/// of the batch, and the checksum of the batch before it. Batches of earlier forms have no link.
public struct BatchReader: Sendable {
    private var reader = RecordReader([])
    /// The number of the first batch that was read; nil before it, and while none has a link.
    private(set) var firstNumber: UInt64?
    /// The batch that was read last; nil before the first, and while none has a link.
    public private(set) var last: BatchLink?

    /// A reader that has read nothing.
    public init() {}

    /// Begins a batch that follows another; its checksum is written once its entries are.
    static func begin(after last: BatchLink, _ writer: inout RecordWriter) {
        writer.removeAll()
        writer.put(UInt32(0))
        writer.put(byte: 0)
        writer.put(last.number + 1)
        writer.put(last.checksum)
    }

    /// Bytes of a batch before its first entry.
    static let headBytes = 17

    /// Ends a batch that was begun; nil where it has no entry.
    ///
    /// - Returns: Its checksum.
    static func end(_ writer: inout RecordWriter) -> UInt32? {
        guard writer.bytes.count > headBytes else { return nil }
        let checksum = Checksum.of(writer.bytes.dropFirst(4))
        writer.set(checksum, at: 0)
        return checksum
    }

    /// Reads the entries of a batch, as a segment has it.
    ///
    /// - Parameter body: Takes the next entry.
    /// - Throws: `malformed` for another checksum or a batch that does not follow the one before, in both
    ///   cases before there is any entry, and whatever an entry throws.
    public mutating func read(
        _ batch: ArraySlice<UInt8>, _ body: (JournalEntry) -> Void
    ) throws(RecordError) {
        reader.begin(batch)
        let checksum = try reader.take(UInt32.self)
        guard checksum == Checksum.of(batch.suffix(reader.bytesLeft)) else {
            throw .malformed(field: "checksum")
        }
        try takeLink(isLinked: batch.dropFirst(4).first == 0, checksum)
        while reader.bytesLeft > 0 { body(try JournalEntry(from: &reader)) }
    }

    private mutating func takeLink(isLinked: Bool, _ checksum: UInt32) throws(RecordError) {
        guard isLinked else {
            guard last == nil else { throw .malformed(field: "link") }
            return
        }
        _ = try reader.takeByte()
        let number = try reader.take(UInt64.self)
        let previous = try reader.take(UInt32.self)
        if let last {
            guard number == last.number &+ 1 else { throw .malformed(field: "number") }
            guard previous == last.checksum else { throw .malformed(field: "link") }
        }
        firstNumber = firstNumber ?? number
        last = BatchLink(number: number, checksum: checksum)
    }
}
