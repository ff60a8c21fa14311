import ControllerCore
import FleetProtocol

/// The disk that all controller processes share: the stored epoch, the tables of the store, and the journal's
/// segments.
final class Disk {
    struct Segment {
        let number: Int
        var owner: Epoch
        var batches: [[UInt8]] = []
    }

    enum Part: CaseIterable {
        case store, journal
    }

    private(set) var epoch = Epoch.zero
    /// Sorted by number.
    private(set) var segments: [Segment] = []
    var recordedOutcome: JournalEnd?
    private var nodes: [String: NodeDevices] = [:]
    private var accounts: AccountRecords
    private(set) var changes: UInt64 = 0
    /// The noted end of the journal when the store last changed.
    private(set) var endInStore: JournalEnd?
    /// The number of changes of the store when a batch was last appended.
    private var changesInJournal: UInt64 = 0
    /// A copy of the disk at an earlier start of a controller.
    var earlier: Disk?
    var isFull = false
    /// Whether the process dies before the next write of the store, after that of the journal.
    var failsStoreWrites = false
    /// The journal batches since the history last read them.
    private(set) var newBatches: [[UInt8]] = []
    /// The changes of the store since the history last read them.
    private(set) var newChanges: [StorageChange] = []

    init(_ accounts: AccountRecords) { self.accounts = accounts }

    init(_ other: Disk) {
        (epoch, segments, recordedOutcome) = (other.epoch, other.segments, other.recordedOutcome)
        (nodes, accounts, changes) = (other.nodes, other.accounts, other.changes)
        endInStore = other.endInStore
        changesInJournal = other.changesInJournal
    }

    /// Returns this disk with one file and the witness of an earlier one; nil if the other file has not
    /// changed since, so that all files are as of a moment in the past, which only devices know.
    func withOlder(_ part: Part, of earlier: Disk) -> Disk? {
        let isOfStore = part == .store
        guard
            isOfStore
                ? earlier.changes < changesInJournal
                : earlier.recordedOutcome?.batch.number ?? 0 < endInStore?.batch.number ?? 0
        else { return nil }
        let mixture = Disk(isOfStore ? earlier : self)
        mixture.segments = isOfStore ? segments : earlier.segments
        mixture.recordedOutcome = earlier.recordedOutcome
        return mixture
    }

    /// Reads, raises and stores the epoch, as the store does.
    func beginEpoch(at now: WallTime) -> Epoch {
        epoch = Epoch(max(epoch.value + 1, UInt64(max(0, now.unixMilliseconds)) / 1_000))
        return epoch
    }

    /// Stores a higher epoch that a node has reported.
    func raise(to epoch: Epoch) { self.epoch = max(self.epoch, epoch) }

    /// Whether anything was written since the history last read it.
    var hasNew: Bool { !newBatches.isEmpty || !newChanges.isEmpty }

    /// Removes the batches and changes that the history has read.
    func clearNew() {
        newBatches.removeAll(keepingCapacity: true)
        newChanges.removeAll(keepingCapacity: true)
    }

    // MARK: The store

    var lists: [NodeDevices] { nodes.sorted { $0.key < $1.key }.map(\.value) }

    /// Adds the stored state to the configuration of a controller process.
    func restore(into configuration: inout ControllerConfiguration) {
        accounts.restore(into: &configuration)
    }

    /// Stores all changes or none, for the controller process of an epoch.
    func store(_ changes: [StorageChange], as owner: Epoch) throws(StorageError) {
        guard owner == epoch else { throw .fenced(by: epoch) }
        guard !isFull else { throw .full(path: "store") }
        guard !failsStoreWrites else { throw .failed(path: "store", what: "the process has died") }
        for change in changes {
            switch change {
            case .directory(let entry): store(entry)
            case .access(let entry): accounts.apply(entry)
            case .service(let record): accounts.apply(record)
            case .request, .move: break
            }
        }
        newChanges += changes
        countChange()
    }

    /// Counts a change of the store, which then has the noted end of the journal.
    func countChange() { (changes, endInStore) = (changes + 1, recordedOutcome) }

    private func store(_ entry: DirectoryEntry) {
        switch entry {
        case .added(let list):
            let none = NodeDevices(account: list.account, node: list.node, devices: [])
            nodes[Self.key(list), default: none].devices += list.devices
        case .listed(let list): nodes[Self.key(list)] = list.devices.isEmpty ? nil : list
        case .confirmed: break
        }
    }

    private static func key(_ list: NodeDevices) -> String { "\(list.account)/\(list.node)" }

    // MARK: Journal

    /// The index of a segment, which mostly is the newest; nil if it does not exist.
    func index(of segment: Int) -> Int? { segments.lastIndex { $0.number == segment } }

    /// The batches of a segment; empty if it does not exist.
    func batches(of segment: Int) -> [[UInt8]] { index(of: segment).map { segments[$0].batches } ?? [] }

    /// Adds a segment, and replaces one of the same number.
    func add(_ segment: Segment) {
        delete(segment.number)
        segments.insert(segment, at: segments.firstIndex { $0.number > segment.number } ?? segments.count)
    }

    func delete(_ segment: Int) {
        segments.removeAll { $0.number == segment }
    }

    func claim(_ index: Int, for owner: Epoch) { segments[index].owner = owner }

    /// Appends a batch; without a segment it is lost, and counts as written.
    func append(_ batch: [UInt8], to index: Int?) {
        if let index { segments[index].batches.append(batch) }
        changesInJournal = changes
        newBatches.append(batch)
    }
}

/// The journal's segments on the disk, as the controller process of an epoch accesses them.
struct DiskMedium: JournalMedium {
    let disk: Disk
    let epoch: Epoch
    var planted = Planting()

    func name(of segment: Int) -> String { "segment \(segment)" }

    func recordedOutcome() -> RecordedOutcome? {
        let ends = [disk.recordedOutcome, planted(.journalInStoreIgnored) ? nil : disk.endInStore]
        return ends.compactMap(\.self).max { $0.batch.number < $1.batch.number }
            .map { RecordedOutcome($0, isLossPossible: false) }
    }

    var storeChanges: UInt64? { planted(.storeInJournalIgnored) ? nil : disk.changes }

    var storePosition: StorePosition? {
        storeChanges.map { StorePosition(boot: "", onDisk: 0, changes: $0) }
    }

    var storeName: String { "store" }

    func acceptStart() { disk.countChange() }

    func record(_ end: JournalEnd) { disk.recordedOutcome = end }

    func segments() -> [Int] { disk.segments.map(\.number) }

    func claim(_ segment: Int) throws(StorageError) {
        guard let index = disk.index(of: segment), disk.segments[index].owner <= epoch else {
            throw .fenced(by: disk.epoch)
        }
        disk.claim(index, for: epoch)
    }

    func first(of segment: Int) -> ArraySlice<UInt8>? { disk.batches(of: segment).first?[...] }

    func last(of segment: Int) -> ArraySlice<UInt8>? { disk.batches(of: segment).last?[...] }

    func read(_ segment: Int, _ body: (ArraySlice<UInt8>) throws(StorageError) -> Void) throws(StorageError) {
        for batch in disk.batches(of: segment) { try body(batch[...]) }
    }

    func append(_ batch: [UInt8], to segment: Int) throws(StorageError) {
        try confirm(segment)
        guard !disk.isFull else { throw .full(path: "segment \(segment)") }
        disk.append(batch, to: disk.index(of: segment))
    }

    func confirm(_ segment: Int) throws(StorageError) {
        let owner = disk.index(of: segment).map { disk.segments[$0].owner } ?? .zero
        guard owner == epoch || planted(.noFence) else { throw .fenced(by: owner) }
    }

    func create(_ segment: Int) throws(StorageError) {
        guard disk.epoch == epoch else { throw .fenced(by: disk.epoch) }
        disk.add(Disk.Segment(number: segment, owner: epoch))
    }

    func prepare(_ segment: Int) throws(StorageError) -> Bool {
        if disk.index(of: segment) == nil { try create(segment) }
        return true
    }

    func close(_ segment: Int) {}

    func delete(_ segment: Int) { disk.delete(segment) }

    func finish() {}
}
