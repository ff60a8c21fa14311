public import FileFraming
import FleetProtocol
import FleetTime

/// The form of entries on disk.
extension JournalEntry {
    private enum Kind {
        static let admitted: UInt8 = 1
        static let dispatched: UInt8 = 2
        static let cancelRequested: UInt8 = 3
        static let ended: UInt8 = 4
        static let horizonRaised: UInt8 = 5
        /// Before batches were linked.
        static let unlinkedSegmentBegan: UInt8 = 6
        static let accountHorizonRaised: UInt8 = 7
        static let segmentsForgotten: UInt8 = 8
        static let segmentBegan: UInt8 = 9
    }

    /// Appends an entry to a batch.
    public func write(to writer: inout RecordWriter) {
        switch self {
        case .admitted(let request):
            writer.put(byte: Kind.admitted)
            writer.put(request)
        case .dispatched(let request, let dispatch):
            writer.put(byte: Kind.dispatched)
            writer.put(request)
            writer.put(dispatch)
        case .cancelRequested(let account, let id):
            writer.put(byte: Kind.cancelRequested)
            writer.put(account)
            writer.put(id)
        case .ended(let account, let report, let content, let time):
            writer.put(byte: Kind.ended)
            writer.put(account)
            writer.put(report)
            writer.put(content)
            writer.put(time)
        case .horizonRaised(let time, of: nil):
            writer.put(byte: Kind.horizonRaised)
            writer.put(time)
        case .horizonRaised(let time, of: let account?):
            writer.put(byte: Kind.accountHorizonRaised)
            writer.put(account)
            writer.put(time)
        case .segmentsForgotten(let number):
            writer.put(byte: Kind.segmentsForgotten)
            writer.put(UInt64(number))
        case .segmentBegan(let earlier):
            writer.put(byte: Kind.segmentBegan)
            writer.put(UInt32(earlier.count))
            for segment in earlier { writer.put(segment) }
        }
    }

    /// The entries of a batch, as a segment has it: behind its checksum and its link.
    ///
    /// - Throws: `malformed` for another checksum, and whatever an entry throws.
    public static func entries(of batch: ArraySlice<UInt8>) throws(RecordError) -> [JournalEntry] {
        var reader = BatchReader()
        var entries: [JournalEntry] = []
        try reader.read(batch) { entries.append($0) }
        return entries
    }

    /// Takes the next entry of a batch.
    public init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.takeByte() {
        case Kind.admitted: self = .admitted(try reader.take(RequestRecord.self))
        case Kind.dispatched:
            self = .dispatched(try reader.take(RequestRecord.self), try reader.take(DispatchRecord.self))
        case Kind.cancelRequested:
            self = .cancelRequested(try reader.take(AccountID.self), try reader.take(RequestID.self))
        case Kind.ended:
            let account = try reader.take(AccountID.self)
            var report = try reader.take(OutcomeReport.self)
            let content = try reader.takeOptional(RequestContent.self, "content")
            report.command = content?.kind.kind
            self = .ended(account, report, content: content, at: try reader.take(WallTime.self))
        case Kind.horizonRaised: self = .horizonRaised(try reader.take(WallTime.self))
        case Kind.accountHorizonRaised:
            let account = try reader.take(AccountID.self)
            self = .horizonRaised(try reader.take(WallTime.self), of: account)
        case Kind.segmentsForgotten:
            guard let number = Int(exactly: try reader.take(UInt64.self)) else {
                throw .malformed(field: "segment")
            }
            self = .segmentsForgotten(before: number)
        case Kind.segmentBegan:
            var earlier: [JournalSegment] = []
            for _ in 0..<(try reader.take(UInt32.self)) {
                earlier.append(try reader.take(JournalSegment.self))
            }
            self = .segmentBegan(after: earlier)
        case Kind.unlinkedSegmentBegan:
            var earlier: [JournalSegment] = []
            for _ in 0..<(try reader.take(UInt32.self)) {
                earlier.append(try JournalSegment(fromUnlinked: &reader))
            }
            self = .segmentBegan(after: earlier)
        default: throw .malformed(field: "kind")
        }
    }
}

extension RequestContent: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(device)
        writer.put(kind)
        writer.put(expected)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(
            device: try reader.take(DeviceID.self), kind: try reader.take(Command.Kind.self),
            expected: try reader.takeOptional(Expectation.self, "expectation"))
    }
}

extension RequestRecord: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(account)
        writer.put(requestID)
        writer.put(content)
        writer.put(actor)
        writer.put(arrivedAt)
        writer.put(deadline)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(
            account: try reader.take(AccountID.self), requestID: try reader.take(RequestID.self),
            content: try reader.take(RequestContent.self), actor: try reader.take(Email.self),
            arrivedAt: try reader.take(WallTime.self), deadline: try reader.take(WallTime.self))
    }
}

extension DispatchRecord: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(identity)
        writer.put(change)
        writer.put(base)
        writer.put(versionBefore)
        writer.put(resolution)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(
            identity: try reader.take(CommandIdentity.self), change: try reader.take(ACStateChange.self),
            base: try reader.takeOptional(Version.self, "base"),
            versionBefore: try reader.take(Version.self), resolution: try reader.take(UInt32.self))
    }
}
