import FileFraming
import FleetTime

/// The start of a journal: all that is needed to go on is read and checked before anything is changed.
struct JournalTakeover<Medium: JournalMedium> {
    private(set) var medium: Medium
    private let batchBytes: Int
    /// How far the journal went, by the note outside its segments.
    private let noted: NotedEnd?
    /// Every segment that there is, ascending.
    private let numbers: [Int]
    /// The earlier segments that the first of ``segments`` lists; nil where none lists any.
    private var listed: [JournalSegment]?
    /// Those that were read and are this epoch's, ascending: from one that begins with all that was open.
    private(set) var segments: [JournalSegment] = []
    /// Earlier ones with ends that are still needed, those that are gone included.
    private var needed: [JournalSegment] = []
    /// Those of them that are there, each with the batches that it has.
    private(set) var earlier: [JournalSegment] = []
    /// Whether the list of earlier segments says more of one than it has: its end was lost.
    private(set) var isListOutdated = false

    /// Up to which time ids may be lost, without damage, where the machine may have lost power; nil: none is.
    func lostUpTo(at now: WallTime) -> WallTime? {
        isLossPossible ? (needed + segments).compactMap(\.newestID).reduce(now, max) : nil
    }

    private var isLossPossible: Bool { noted?.isLossPossible ?? false }

    /// Reads a journal, and then takes the segments that may still be appended to.
    ///
    /// - Parameters:
    ///   - batchBytes: How many a batch counts for at least.
    ///   - replay: Takes what is read.
    /// - Throws: `newer`, `damaged`, `missing` or `failed`; then nothing in a segment has changed.
    init(
        _ medium: consuming Medium, batchBytes: Int, into replay: inout JournalReplay
    ) throws(StorageError) {
        self.medium = medium
        self.batchBytes = batchBytes
        noted = try self.medium.notedEnd()
        numbers = try self.medium.segments()
        let before = replay
        try read(into: &replay)
        let taken = segments.map(\.number)
        for number in taken.reversed() { try self.medium.take(number) }
        if try haveGrown() {
            replay = before
            try read(into: &replay)
        }
        if isLossPossible { try findLostEnds() }
        try letGo(of: taken)
    }

    /// Reads what is needed to go on, and checks that nothing of it is missing.
    private mutating func read(into replay: inout JournalReplay) throws(StorageError) {
        if let noted, !isLossPossible, !numbers.contains(noted.end.segment) {
            throw .missing(path: medium.name(of: noted.end.segment))
        }
        segments = []
        for number in try neededSegments() { segments.append(try read(number, into: &replay)) }
        if let noted, !isLossPossible { try checkReaches(noted.end) }
        try checkNoneIsMissing()
        try findEarlier(firstNeeded: replay.firstNeeded)
    }

    /// The newest segments, down to one that begins with everything that was open.
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
        let expected = isLossPossible ? nil : noted?.end.batch
        try medium.read(number) { (batch) throws(StorageError) in
            segment.bytes += max(batch.count, batchBytes)
            try replay.take(batch, of: &segment)
            if let expected, let last = segment.lastBatch, last.number == expected.number, last != expected {
                throw .damaged(path: "segment \(number)", what: "batch \(last.number) is another one")
            }
        }
        return segment
    }

    /// Checks that the journal goes as far as was noted.
    ///
    /// One that was not read is whole by the list of a later segment, or is found not to be when it is read.
    private func checkReaches(_ end: JournalEnd) throws(StorageError) {
        guard let segment = segments.first(where: { $0.number == end.segment }) else { return }
        let reached = segment.lastBatch?.number ?? 0
        guard reached >= end.batch.number else {
            let what = "its last batch is \(reached), and \(end.batch.number) was written"
            throw .damaged(path: medium.name(of: end.segment), what: what)
        }
    }

    /// Segments follow one another from the one that says what was open, which only the first need not.
    private func checkNoneIsMissing() throws(StorageError) {
        for (segment, next) in zip(segments, segments.dropFirst()) where next.number != segment.number + 1 {
            throw .missing(path: medium.name(of: segment.number + 1))
        }
        guard let first = segments.first else { return }
        if first.bytes == 0, first.number > 1 { throw .missing(path: medium.name(of: first.number - 1)) }
        // All but the first segment begin with what was open.
        guard listed != nil || first.firstBatch <= 1 else {
            throw .damaged(path: medium.name(of: first.number), what: "its first batches are missing")
        }
    }

    /// Finds the earlier segments that are still needed.
    private mutating func findEarlier(firstNeeded: Int) throws(StorageError) {
        needed = (listed ?? []).filter { $0.number >= firstNeeded }
        earlier = needed.filter { numbers.contains($0.number) }
        guard !isLossPossible,
            let gone = needed.first(where: { $0.newestID != nil && !numbers.contains($0.number) })
        else { return }
        throw .missing(path: medium.name(of: gone.number))
    }

    /// Finds earlier segments that were lost, or whose ends were.
    ///
    /// The last batches of a segment may be on the disk later than the first of the next, until its log is
    /// written back. A deletion may be there earlier than the entry that forgets the segment.
    private mutating func findLostEnds() throws(StorageError) {
        let expected = earlier
        isListOutdated = needed.contains { $0.newestID != nil && !numbers.contains($0.number) }
        earlier = []
        for var segment in expected {
            if let noted = segment.lastBatch {
                let last = try lastBatch(of: segment.number)
                guard (last?.number ?? 0) < noted.number || last == noted else {
                    let path = medium.name(of: segment.number)
                    throw .damaged(path: path, what: "its last batch is another one")
                }
                if last != noted { isListOutdated = true }
                guard let last, last.number >= segment.firstBatch else { continue }
                segment.note(last)
            }
            earlier.append(segment)
        }
    }

    /// Where a segment ends; nil for an empty one, and for one whose batches have no links.
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

    /// Whether an earlier epoch has appended to segments until they were taken: locks do nothing on some file
    /// systems.
    private mutating func haveGrown() throws(StorageError) -> Bool {
        for segment in segments where try lastBatch(of: segment.number) != segment.lastBatch { return true }
        return false
    }

    /// Lets go of segments to which nothing will be appended, and deletes those that are not needed.
    private mutating func letGo(of taken: [Int]) throws(StorageError) {
        // One in which nothing is kept has not begun: it is the next.
        while segments.count > 1, segments.last?.bytes == 0 { segments.removeLast() }
        let newest = segments.last?.number ?? 0
        for number in taken where number < newest { try medium.close(number) }
        // A process may die after it has forgotten a segment and before that is gone.
        let known = Set(earlier.map(\.number) + taken)
        for number in numbers where !known.contains(number) { try medium.delete(number) }
    }
}
