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
