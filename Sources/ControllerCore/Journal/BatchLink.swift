public import Records

/// A batch's place in the chain of all batches: its number, and its checksum, which the next one carries.
public struct BatchLink: Hashable, Sendable {
    /// Where a journal begins: no batch has this number.
    public static let origin = BatchLink(number: 0, checksum: 0)

    /// The number of the batch, from 1, counted over all segments.
    public let number: UInt64
    /// The checksum at the head of the batch.
    public let checksum: UInt32

    /// The place of a batch.
    public init(number: UInt64, checksum: UInt32) {
        self.number = number
        self.checksum = checksum
    }

    /// The place after this one, of a batch with that checksum.
    func next(_ checksum: UInt32) -> BatchLink {
        BatchLink(number: number + 1, checksum: checksum)
    }
}

extension BatchLink: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(number)
        writer.put(checksum)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(number: try reader.take(UInt64.self), checksum: try reader.take(UInt32.self))
    }
}

/// How far a journal goes.
public struct JournalEnd: Hashable, Sendable {
    /// The newest segment that has begun.
    public let segment: Int
    /// The newest batch.
    public let batch: BatchLink

    /// The end at a batch of a segment.
    public init(segment: Int, batch: BatchLink) {
        self.segment = segment
        self.batch = batch
    }
}

/// The noted end of a journal, from outside its segments.
public struct NotedEnd: Hashable, Sendable {
    /// The journal goes as far as this, or farther.
    public let end: JournalEnd
    /// Whether it may still end earlier: the machine lost power since.
    public let isLossPossible: Bool

    /// A noted end.
    public init(_ end: JournalEnd, isLossPossible: Bool) {
        self.end = end
        self.isLossPossible = isLossPossible
    }
}
