import ControllerCore
import FleetProtocol
import Stepping

/// What the controller's lives share and take for a disk: the stored epoch, which devices nodes have, and the
/// journal's segments.
final class Disk {
    struct Segment {
        var owner: Epoch
        var batches: [[UInt8]] = []
    }

    var epoch = Epoch.zero
    var segments: [Int: Segment] = [:]
    /// By account and name.
    private var nodes: [String: NodeDevices] = [:]
    var isFull = false
    /// The batches that were kept since somebody looked.
    var kept: [[UInt8]] = []

    /// Reads, raises and stores the epoch, as the store does.
    func beginEpoch(at now: WallTime) -> Epoch {
        epoch = Epoch(max(epoch.value + 1, UInt64(max(0, now.unixMilliseconds)) / 1_000))
        return epoch
    }

    /// The devices of every node, as the store has them.
    var lists: [NodeDevices] { nodes.sorted { $0.key < $1.key }.map(\.value) }

    /// Keeps which devices there are, as the store does, for one life of the controller.
    func keep(_ entries: [DirectoryEntry], as owner: Epoch) throws(StorageError) {
        guard owner == epoch else { throw .fenced(by: epoch) }
        guard !isFull else { throw .full(path: "nodes") }
        for entry in entries {
            switch entry {
            case .added(let list): nodes[Self.key(list), default: list.without].devices += list.devices
            case .listed(let list): nodes[Self.key(list)] = list.devices.isEmpty ? nil : list
            case .heard: break
            }
        }
    }

    private static func key(_ list: NodeDevices) -> String { "\(list.account)/\(list.node)" }
}

extension NodeDevices {
    fileprivate var without: NodeDevices { NodeDevices(account: account, node: node, devices: []) }
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
        disk.kept.append(batch)
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
