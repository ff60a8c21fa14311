public import FleetProtocol

/// The metadata of a segment, known without reading its batches.
public struct JournalSegment: Sendable, Equatable {
    public let number: Int
    /// The size on the medium in bytes, or slightly more.
    var bytes = 0
    /// The newest ID of a request that ended in the segment; nil if no request did.
    public private(set) var newestID: WallTime?
    /// The time of the newest end; part of the format on disk.
    private(set) var newestEnd: WallTime?
    /// The number of the first batch; 0 before it.
    private(set) var firstBatch: UInt64 = 0
    /// The last batch; nil before the first.
    private(set) var lastBatch: BatchLink?

    mutating func recordEnd(of id: RequestID, at time: WallTime) {
        newestID = max(newestID ?? id.time, id.time)
        newestEnd = max(newestEnd ?? time, time)
    }

    mutating func record(_ batch: BatchLink) {
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
        self.init(number: try reader.readInt("segment"))
        newestID = try reader.readOptional(WallTime.self, "newest id")
        newestEnd = try reader.readOptional(WallTime.self, "newest end")
        firstBatch = try reader.read(UInt64.self)
        lastBatch = try reader.readOptional(BatchLink.self, "last batch")
    }
}

/// A batch's link in the chain of all batches: its number, and its checksum, which the next batch repeats.
public struct BatchLink: Hashable, Sendable {
    /// The start of the chain: no batch has this number.
    public static let origin = BatchLink(number: 0, checksum: 0)

    /// The number of the batch, from 1, counted over all segments.
    public let number: UInt64
    /// The checksum at the head of the batch.
    public let checksum: UInt32

    /// Creates a link from its fields.
    public init(number: UInt64, checksum: UInt32) {
        self.number = number
        self.checksum = checksum
    }

    /// Returns the link of the next batch, given that batch's checksum.
    func next(_ checksum: UInt32) -> BatchLink {
        BatchLink(number: number + 1, checksum: checksum)
    }
}

public struct JournalEnd: Hashable, Sendable {
    public let segment: Int
    public let batch: BatchLink

    /// Creates an end from its fields.
    public init(segment: Int, batch: BatchLink) {
        self.segment = segment
        self.batch = batch
    }
}

/// The end of a journal as noted outside its segments.
public struct RecordedOutcome: Hashable, Sendable {
    /// The least end of the journal, which may reach farther.
    public let end: JournalEnd
    /// Whether the journal may end earlier, because the machine lost power since the note.
    public let isLossPossible: Bool
    /// Whether the note was made with copies of store and journal; the journal is the later one.
    public let isOfCopies: Bool

    /// Creates a noted end from its fields.
    public init(_ end: JournalEnd, isLossPossible: Bool, isOfCopies: Bool = false) {
        (self.end, self.isLossPossible, self.isOfCopies) = (end, isLossPossible, isOfCopies)
    }

    func allowsLaterJournal(after last: BatchLink?) -> Bool {
        isOfCopies && end.batch == last ?? .origin
    }
}

/// Reads the batches of a journal in order; adjacent entries with equal texts share one allocation. A batch
/// is a checksum, a link and entries. A link is a zero byte, which begins no entry, the number of the batch,
/// and the checksum of the batch before it.
public struct BatchReader: Sendable {
    private var reader = RecordReader([])
    /// The number of the first batch that was read; nil before it.
    private(set) var firstNumber: UInt64?
    /// The link of the batch that was read last; nil before the first.
    public private(set) var last: BatchLink?

    /// Creates a reader that has read nothing.
    public init() {}

    /// Writes the head of a batch that follows another; ``end(_:)`` sets its checksum.
    static func begin(after last: BatchLink, _ writer: inout RecordWriter) {
        writer.removeAll()
        writer.put(UInt32(0))
        writer.put(byte: 0)
        writer.put(last.number + 1)
        writer.put(last.checksum)
    }

    /// The size of a batch before its first entry, in bytes.
    static let headBytes = 17

    /// Completes a batch; returns its checksum, or nil if it has no entry.
    static func end(_ writer: inout RecordWriter) -> UInt32? {
        guard writer.bytes.count > headBytes else { return nil }
        let checksum = Checksum.of(writer.bytes.dropFirst(4))
        writer.set(checksum, at: 0)
        return checksum
    }

    /// Returns whether bytes are a linked batch with an entry and the right checksum.
    public static func isIntact(_ batch: ArraySlice<UInt8>) -> Bool {
        guard batch.count > headBytes else { return false }
        let checksum = batch.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        return checksum == Checksum.of(batch.dropFirst(4))
    }

    /// Reads the entries of a batch as stored in a segment. A wrong checksum, and a batch that does not
    /// follow the previous one, throw before any entry is read.
    public mutating func read(
        _ batch: ArraySlice<UInt8>, _ body: (JournalEntry) -> Void
    ) throws(RecordError) {
        reader.begin(batch)
        let checksum = try reader.read(UInt32.self)
        guard checksum == Checksum.of(batch.suffix(reader.bytesLeft)) else {
            throw .malformed(field: "checksum")
        }
        try readLink(checksum)
        while reader.bytesLeft > 0 { body(try JournalEntry(from: &reader)) }
    }

    private mutating func readLink(_ checksum: UInt32) throws(RecordError) {
        guard try reader.readByte() == 0 else { throw .malformed(field: "link") }
        let number = try reader.read(UInt64.self)
        let previous = try reader.read(UInt32.self)
        if let last {
            guard number == last.number &+ 1 else { throw .malformed(field: "number") }
            guard previous == last.checksum else { throw .malformed(field: "link") }
        }
        firstNumber = firstNumber ?? number
        last = BatchLink(number: number, checksum: checksum)
    }
}

/// The segments whose outcomes are read after the controller has begun to serve, the newest first.
public struct UnreadSegments: Sendable {
    /// The segments without their batches, in reading order.
    public private(set) var segments: [JournalSegment] = []
    /// The newest ID in each segment and those after it in the list, in the same order.
    private var newestIDs: [WallTime] = []

    /// Creates the list from the segments that contain ends of requests.
    init(_ segments: [JournalSegment]) {
        for segment in segments.sorted(by: { $0.number < $1.number }) {
            guard let newestID = segment.newestID else { continue }
            self.segments.insert(segment, at: 0)
            newestIDs.insert(max(newestID, newestIDs.first ?? newestID), at: 0)
        }
    }

    /// The segments' numbers, in reading order.
    public var numbers: [Int] { segments.map(\.number) }

    /// The newest ID that ended in one of the segments; nil if the list is empty.
    public var newestID: WallTime? { newestID(after: 0) }

    /// The newest ID that ended in the segments after the first `count`; nil if none are left.
    public func newestID(after count: Int) -> WallTime? {
        count < newestIDs.count ? newestIDs[count] : nil
    }
}
