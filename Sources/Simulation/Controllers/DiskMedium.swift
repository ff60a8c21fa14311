import ControllerCore
import FleetProtocol

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
