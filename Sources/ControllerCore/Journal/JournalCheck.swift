import FleetProtocol

/// Checks all batches of copied segments, and changes nothing. A controller that starts with copies assumes
/// that batches missing at the end were lost after the copies were made. So the check must find batches that
/// were missing before. It also rejects everything that a start would refuse.
public struct JournalCheck: Sendable {
    private struct Segment: Sendable {
        let number: Int
        var reader = BatchReader()
    }

    /// The least end of the journal; nil if unknown.
    private let recorded: RecordedOutcome?
    private var segments: [Segment] = []
    /// The newest segment that begins with the open requests, and its list of earlier segments.
    private var began: (number: Int, earlier: [JournalSegment])?
    private var firstNeeded = 1
    private var storePosition: StorePosition?

    /// Creates a check that has read nothing, against the noted end of the journal before the copies were
    /// made.
    public init(against recorded: RecordedOutcome?) {
        self.recorded = recorded
    }

    /// Whether batches may be missing without damage, because the machine lost power.
    private var isLossPossible: Bool { recorded?.isLossPossible == true }

    /// Begins the next segment, in the order of their numbers.
    public mutating func begin(_ number: Int) {
        segments.append(Segment(number: number))
    }

    /// Checks the next batch of the segment, which must follow the previous one.
    public mutating func append(_ batch: ArraySlice<UInt8>) throws(StorageError) {
        var segment = segments.removeLast()
        defer { segments.append(segment) }
        let number = segment.number
        do throws(RecordError) {
            try segment.reader.read(batch) { entry in
                switch entry {
                case .segmentBegan(let earlier): began = (number, earlier)
                case .segmentsRemoved(let first): firstNeeded = max(firstNeeded, first)
                case .storeReached(let position): storePosition = position
                default: break
                }
            }
        } catch {
            throw .damaged(path: "segment \(number)", what: error.description)
        }
        if !isLossPossible, let recorded = recorded?.end.batch, let last = segment.reader.last,
            last.number == recorded.number, last != recorded
        {
            throw .damaged(path: "segment \(number)", what: "batch \(last.number) differs from the note")
        }
    }

    /// Checks that no segment and no batch is missing, after all were read. The newest segment is that of
    /// before the copies were made, 0 without one; the position of the store is that of after. Returns the
    /// end of the copies; nil without a batch.
    @discardableResult
    public func finish(
        newest: Int, store: (position: StorePosition, name: String)? = nil, name: (Int) -> String
    ) throws(StorageError) -> JournalEnd? {
        let end = segments.last { $0.reader.last != nil }.flatMap { segment in
            segment.reader.last.map { JournalEnd(segment: segment.number, batch: $0) }
        }
        if let storePosition, let store, recorded?.allowsLaterJournal(after: end?.batch) != true {
            try storePosition.check(store.position, of: store.name)
        }
        guard segments.last?.number ?? 0 >= newest else { throw .missing(path: name(newest)) }
        if !isLossPossible, let recorded { try checkReaches(recorded.end, name: name) }
        try checkBeginning(name: name)
        for (segment, next) in zip(segments, segments.dropFirst())
        where segment.number >= began?.number ?? 0 && next.number != segment.number + 1 {
            throw .missing(path: name(segment.number + 1))
        }
        guard !isLossPossible else { return end }
        for earlier in began?.earlier ?? [] where earlier.number >= firstNeeded {
            try checkWhole(earlier, name: name)
        }
        return end
    }

    private func checkReaches(_ end: JournalEnd, name: (Int) -> String) throws(StorageError) {
        let reached = segments.compactMap(\.reader.last?.number).max() ?? 0
        guard reached < end.batch.number else { return }
        guard segments.contains(where: { $0.number == end.segment }) else {
            throw .missing(path: name(end.segment))
        }
        let what = "its last batch is \(reached), expected \(end.batch.number)"
        throw .damaged(path: name(end.segment), what: what)
    }

    /// Checks that the first segment is the journal's first, if no segment begins with the open requests.
    private func checkBeginning(name: (Int) -> String) throws(StorageError) {
        guard began == nil, let first = segments.first, let batch = first.reader.firstNumber, batch > 1
        else { return }
        throw .damaged(path: name(first.number), what: "its first batches are missing")
    }

    /// Checks an earlier segment against the first and last batch that a later segment lists.
    private func checkWhole(_ earlier: JournalSegment, name: (Int) -> String) throws(StorageError) {
        guard let segment = segments.first(where: { $0.number == earlier.number }) else {
            guard earlier.newestID == nil else { throw .missing(path: name(earlier.number)) }
            return
        }
        guard let last = earlier.lastBatch else { return }
        guard segment.reader.firstNumber == earlier.firstBatch, segment.reader.last == last else {
            throw .damaged(path: name(earlier.number), what: "batches are missing")
        }
    }
}
