import FleetProtocol

/// The start with an existing journal, which reads and checks everything that it needs before it changes
/// anything.
struct JournalTakeover<Medium: JournalMedium> {
    private(set) var medium: Medium
    private let batchBytes: Int
    /// The end of the journal as noted outside its segments.
    private let recorded: RecordedOutcome?
    /// The numbers of all existing segments, ascending.
    private let numbers: [Int]
    /// The earlier segments that the first of ``segments`` lists; nil if none has a list.
    private var listed: [JournalSegment]?
    /// The segments that were read and claimed for this epoch, ascending, from one that begins with all open
    /// requests.
    private(set) var segments: [JournalSegment] = []
    /// The earlier segments whose outcomes are still needed, including missing segments.
    private var needed: [JournalSegment] = []
    /// The existing ones of these, each with the batches that it has.
    private(set) var earlier: [JournalSegment] = []
    /// Whether the list of earlier segments has more batches of one than exist, because its end was lost.
    private(set) var isListOutdated = false

    /// The time up to which IDs may be lost without damage, because the machine lost power; nil if none are.
    func lostUpTo(at now: WallTime) -> WallTime? {
        isLossPossible ? (needed + segments).compactMap(\.newestID).reduce(now, max) : nil
    }

    private var isLossPossible: Bool { recorded?.isLossPossible ?? false }

    /// Reads a journal, and then claims the segments to which batches may still be appended. After an error
    /// nothing in a segment has changed. A batch counts for `batchBytes` at least.
    init(_ medium: consuming Medium, batchBytes: Int, into replay: inout JournalReplay) throws(StorageError) {
        self.medium = medium
        self.batchBytes = batchBytes
        recorded = try self.medium.recordedOutcome()
        numbers = try self.medium.segments()
        let before = replay
        try read(into: &replay)
        let claimed = segments.map(\.number)
        for number in claimed.reversed() { try self.medium.claim(number) }
        if try haveGrown() {
            replay = before
            try read(into: &replay)
        }
        if isLossPossible { try findLostEnds() }
        try release(of: claimed)
    }

    private mutating func read(into replay: inout JournalReplay) throws(StorageError) {
        if let recorded, !isLossPossible, !numbers.contains(recorded.end.segment) {
            throw .missing(path: medium.name(of: recorded.end.segment))
        }
        segments = []
        for number in try neededSegments() { segments.append(try read(number, into: &replay)) }
        if let recorded, !isLossPossible { try checkReaches(recorded.end) }
        try checkNoneIsMissing()
        try findEarlier(firstNeeded: replay.firstNeeded)
        if let known = replay.storePosition, let present = medium.storePosition,
            recorded?.allowsLaterJournal(after: replay.lastBatch) != true
        {
            try known.check(present, of: medium.storeName)
        }
    }

    /// The newest segments, back to one that begins with all open requests.
    private mutating func neededSegments() throws(StorageError) -> [Int] {
        for (place, number) in numbers.enumerated().reversed() {
            guard let first = try medium.first(of: number) else { continue }
            let entry: JournalEntry?
            do throws(RecordError) {
                entry = try JournalEntry.entries(of: first).first
            } catch {
                throw .damaged(path: medium.name(of: number), what: error.description)
            }
            guard case .segmentBegan(let before) = entry else { continue }
            listed = before
            return Array(numbers[place...])
        }
        listed = nil
        return numbers
    }

    private func read(
        _ number: Int, into replay: inout JournalReplay
    ) throws(StorageError) -> JournalSegment {
        var segment = JournalSegment(number: number)
        let expected = isLossPossible ? nil : recorded?.end.batch
        try medium.read(number) { (batch) throws(StorageError) in
            segment.bytes += max(batch.count, batchBytes)
            try replay.append(batch, of: &segment)
            if let expected, let last = segment.lastBatch, last.number == expected.number, last != expected {
                throw .damaged(path: "segment \(number)", what: "batch \(last.number) differs from the note")
            }
        }
        return segment
    }

    /// Checks that the journal reaches its noted end. A segment that is not read here is checked later,
    /// against the list of a later segment.
    private func checkReaches(_ end: JournalEnd) throws(StorageError) {
        guard let segment = segments.first(where: { $0.number == end.segment }) else { return }
        let reached = segment.lastBatch?.number ?? 0
        guard reached >= end.batch.number else {
            let what = "its last batch is \(reached), expected \(end.batch.number)"
            throw .damaged(path: medium.name(of: end.segment), what: what)
        }
    }

    /// Checks that the segments are consecutive, and that the first begins with all open requests or is the
    /// journal's first.
    private func checkNoneIsMissing() throws(StorageError) {
        for (segment, next) in zip(segments, segments.dropFirst()) where next.number != segment.number + 1 {
            throw .missing(path: medium.name(of: segment.number + 1))
        }
        guard let first = segments.first else { return }
        if first.bytes == 0, first.number > 1 { throw .missing(path: medium.name(of: first.number - 1)) }
        // All but the journal's first segment begin with the open requests.
        guard listed != nil || first.firstBatch <= 1 else {
            throw .damaged(path: medium.name(of: first.number), what: "its first batches are missing")
        }
    }

    private mutating func findEarlier(firstNeeded: Int) throws(StorageError) {
        needed = (listed ?? []).filter { $0.number >= firstNeeded }
        earlier = needed.filter { numbers.contains($0.number) }
        guard !isLossPossible,
            let missing = needed.first(where: { $0.newestID != nil && !numbers.contains($0.number) })
        else { return }
        throw .missing(path: medium.name(of: missing.number))
    }

    /// Finds earlier segments that were lost or have lost their last batches. Until the disk has written them
    /// back, the last batches of a segment may reach it later than the first of the next segment, and a
    /// deletion earlier than the entry that forgets the segment.
    private mutating func findLostEnds() throws(StorageError) {
        let expected = earlier
        isListOutdated = needed.contains { $0.newestID != nil && !numbers.contains($0.number) }
        earlier = []
        for var segment in expected {
            if let recorded = segment.lastBatch {
                let last = try lastBatch(of: segment.number)
                guard (last?.number ?? 0) < recorded.number || last == recorded else {
                    let path = medium.name(of: segment.number)
                    throw .damaged(path: path, what: "its last batch differs from the listed one")
                }
                if last != recorded { isListOutdated = true }
                guard let last, last.number >= segment.firstBatch else { continue }
                segment.record(last)
            }
            earlier.append(segment)
        }
    }

    private mutating func lastBatch(of segment: Int) throws(StorageError) -> BatchLink? {
        guard let batch = try medium.last(of: segment) else { return nil }
        var reader = BatchReader()
        do throws(RecordError) {
            try reader.read(batch) { _ in }
        } catch {
            throw .damaged(path: medium.name(of: segment), what: error.description)
        }
        return reader.last
    }

    /// Whether an earlier epoch has appended to segments before they were claimed: locks have no effect on
    /// some file systems.
    private mutating func haveGrown() throws(StorageError) -> Bool {
        for segment in segments where try lastBatch(of: segment.number) != segment.lastBatch { return true }
        return false
    }

    /// Closes segments to which nothing will be appended, and deletes those that are not needed.
    private mutating func release(of claimed: [Int]) throws(StorageError) {
        // An empty segment has not begun: it is the prepared next one.
        while segments.count > 1, segments.last?.bytes == 0 { segments.removeLast() }
        let newest = segments.last?.number ?? 0
        for number in claimed where number < newest { try medium.close(number) }
        // A process may die between the entry that forgets a segment and the deletion.
        let known = Set(earlier.map(\.number) + claimed)
        for number in numbers where !known.contains(number) { try medium.delete(number) }
    }
}
