import FleetProtocol
public import Records
public import Stepping

/// What is known of a segment without reading it.
public struct JournalSegment: Sendable, Equatable {
    /// Its number.
    public let number: Int
    /// Bytes that it takes on its medium, or a few more.
    var bytes = 0
    /// The newest id that ended there; nil where none did.
    public private(set) var newestID: WallTime?
    /// The newest end; the form on disk has it.
    private(set) var newestEnd: WallTime?
    /// The number of its first batch; 0 before there is one, and in segments of earlier forms.
    private(set) var firstBatch: UInt64 = 0
    /// Its last batch; nil likewise.
    private(set) var lastBatch: BatchLink?

    init(number: Int) {
        self.number = number
    }

    /// Takes note of a request's end.
    mutating func noteEnd(of id: RequestID, at time: WallTime) {
        newestID = max(newestID ?? id.time, id.time)
        newestEnd = max(newestEnd ?? time, time)
    }

    /// Takes note of the next batch.
    mutating func note(_ batch: BatchLink) {
        if lastBatch == nil { firstBatch = batch.number }
        lastBatch = batch
    }
}

extension JournalSegment: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(UInt64(number))
        writer.put(newestID)
        writer.put(newestEnd)
        writer.put(firstBatch)
        writer.put(lastBatch)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        try self.init(fromUnlinked: &reader)
        firstBatch = try reader.take(UInt64.self)
        lastBatch = try reader.takeOptional(BatchLink.self, "last batch")
    }

    /// Takes the fields that a segment had before batches were linked.
    init(fromUnlinked reader: inout RecordReader) throws(RecordError) {
        guard let number = Int(exactly: try reader.take(UInt64.self)) else {
            throw .malformed(field: "segment")
        }
        self.init(number: number)
        newestID = try reader.takeOptional(WallTime.self, "newest id")
        newestEnd = try reader.takeOptional(WallTime.self, "newest end")
    }
}

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

/// Segments whose ends are read after the controller has begun to serve, the newest first.
public struct UnreadSegments: Sendable {
    /// Each without its batches, in the order in which they are to be read.
    public private(set) var segments: [JournalSegment] = []
    /// The newest id in each of them or any after it, in the same order.
    private var newestIDs: [WallTime] = []

    /// Those of some segments that have ends.
    init(_ segments: [JournalSegment]) {
        for segment in segments.sorted(by: { $0.number < $1.number }) {
            guard let newestID = segment.newestID else { continue }
            self.segments.insert(segment, at: 0)
            newestIDs.insert(max(newestID, newestIDs.first ?? newestID), at: 0)
        }
    }

    /// Their numbers, in the order in which they are to be read.
    public var numbers: [Int] { segments.map(\.number) }

    /// The newest id that ended in one of them; nil when there is none.
    public var newestID: WallTime? { newestID(after: 0) }

    /// The newest id that ended in those that are left when some were read; nil when none is left.
    public func newestID(after count: Int) -> WallTime? {
        count < newestIDs.count ? newestIDs[count] : nil
    }
}
