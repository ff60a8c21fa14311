import ControllerCore
import FleetProtocol
import Stepping

/// What the controller's lives share and take for a disk: the stored epoch, and the journal's segments.
final class Disk {
    struct Segment {
        var owner: Epoch
        var batches: [[UInt8]] = []
    }

    var epoch = Epoch.zero
    var segments: [Int: Segment] = [:]
    var isFull = false
    /// Told of every batch that is kept.
    var kept: ([UInt8]) -> Void = { _ in }

    /// Reads, raises and stores the epoch, as the store does.
    func beginEpoch(at now: WallTime) -> Epoch {
        epoch = Epoch(max(epoch.value + 1, UInt64(max(0, now.unixMilliseconds)) / 1_000))
        return epoch
    }
}

/// The disk as one life of the controller sees it.
struct DiskMedium: JournalMedium {
    let disk: Disk
    let epoch: Epoch
    var planted = Planting()

    func segments() -> [Int] {
        disk.segments.keys.sorted()
    }

    func take(_ segment: Int) throws(StorageError) {
        guard let owner = disk.segments[segment]?.owner, owner <= epoch else {
            throw .fenced(by: disk.epoch)
        }
        disk.segments[segment]?.owner = epoch
    }

    func first(of segment: Int) -> ArraySlice<UInt8>? {
        disk.segments[segment]?.batches.first?[...]
    }

    func read(
        _ segment: Int, _ body: (ArraySlice<UInt8>) throws(StorageError) -> Void
    ) throws(StorageError) {
        for batch in disk.segments[segment]?.batches ?? [] { try body(batch[...]) }
    }

    func append(_ batch: [UInt8], to segment: Int) throws(StorageError) {
        let owner = disk.segments[segment]?.owner ?? .zero
        guard owner == epoch || planted(.noFence) else { throw .fenced(by: owner) }
        guard !disk.isFull else { throw .full(path: "segment \(segment)") }
        disk.segments[segment]?.batches.append(batch)
        disk.kept(batch)
    }

    func create(_ segment: Int) throws(StorageError) {
        guard disk.epoch == epoch else { throw .fenced(by: disk.epoch) }
        disk.segments[segment] = Disk.Segment(owner: epoch)
    }

    func prepare(_ segment: Int) throws(StorageError) -> Bool {
        if disk.segments[segment] == nil { try create(segment) }
        return true
    }

    func close(_ segment: Int) {}

    func delete(_ segment: Int) {
        disk.segments[segment] = nil
    }

    func finish() {}
}
