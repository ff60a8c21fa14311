import ControllerCore
import FleetProtocol

/// A journal's segments in memory, with a count of the batches read.
final class MemoryMedium: JournalMedium {
    private var batches: [Int: [[UInt8]]] = [:]
    private(set) var batchesRead = 0
    /// The recorded end of the journal, and whether a loss is possible.
    private(set) var end: JournalEnd?
    var isLossPossible = false
    var isOfCopies = false
    /// The position of the store; nil without one.
    var storePosition: StorePosition?
    /// The number of accepted starts.
    private(set) var acceptedStarts = 0
    /// Whether writes fail because the storage is full.
    var isFull = false
    /// Segments that were taken.
    private(set) var claimed: Set<Int> = []
    /// Runs once, before the first segment is taken: the work of another controller.
    var beforeClaim: (() throws(StorageError) -> Void)?

    var numbers: [Int] { batches.keys.sorted() }

    func count(of segment: Int) -> Int { batches[segment]?.count ?? 0 }

    /// All entries of a segment.
    func entries(of segment: Int) throws(RecordError) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for batch in batches[segment] ?? [] { entries += try JournalEntry.entries(of: batch[...]) }
        return entries
    }

    func name(of segment: Int) -> String { "segment \(segment)" }

    func recordedOutcome() -> RecordedOutcome? {
        end.map { RecordedOutcome($0, isLossPossible: isLossPossible, isOfCopies: isOfCopies) }
    }

    func record(_ end: JournalEnd) { self.end = end }

    var storeChanges: UInt64? { storePosition?.changes }

    var storeName: String { "store" }

    func acceptStart() { acceptedStarts += 1 }

    func segments() -> [Int] { numbers }

    func claim(_ segment: Int) throws(StorageError) {
        try beforeClaim.take()?()
        claimed.insert(segment)
    }

    func first(of segment: Int) -> ArraySlice<UInt8>? {
        batchesRead += 1
        return batches[segment]?.first?[...]
    }

    func last(of segment: Int) -> ArraySlice<UInt8>? {
        batchesRead += 1
        return batches[segment]?.last?[...]
    }

    /// Removes batches from the end of a segment.
    func lose(_ count: Int, of segment: Int) {
        batches[segment]?.removeLast(count)
    }

    /// Replaces one batch by another.
    func replace(_ place: Int, of segment: Int, by batch: [UInt8]?) {
        batches[segment]?.replaceSubrange(place...place, with: batch.map { [$0] } ?? [])
    }

    func read(_ segment: Int, _ body: (ArraySlice<UInt8>) throws(StorageError) -> Void) throws(StorageError) {
        for batch in batches[segment] ?? [] {
            batchesRead += 1
            try body(batch[...])
        }
    }

    func append(_ batch: [UInt8], to segment: Int) throws(StorageError) {
        guard !isFull else { throw .full(path: "segment \(segment)") }
        batches[segment, default: []].append(batch)
    }

    func confirm(_ segment: Int) {}

    func create(_ segment: Int) {
        batches[segment] = []
    }

    func prepare(_ segment: Int) -> Bool {
        if batches[segment] == nil { create(segment) }
        return true
    }

    func close(_ segment: Int) {}

    func delete(_ segment: Int) {
        batches[segment] = nil
    }

    func finish() {}
}

extension Journal {
    /// Appends changes of requests only.
    mutating func append(_ entries: [JournalEntry], open: () -> [JournalEntry]) throws(StorageError) {
        try append(entries.map(StorageChange.request), open: open)
    }
}
