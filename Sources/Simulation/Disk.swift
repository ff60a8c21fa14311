import ControllerCore
import FleetProtocol
import FleetTime
import PlantedBugs

/// What the controller's lives share and take for a disk: the stored epoch, which devices nodes have, how
/// sequences stand, and the journal's segments.
final class Disk {
    struct Segment {
        let number: Int
        var owner: Epoch
        var batches: [[UInt8]] = []
    }

    var epoch = Epoch.zero
    /// In the order of their numbers.
    var segments: [Segment] = []
    /// How far the journal was noted to go.
    var notedEnd: JournalEnd?
    /// By account and name.
    private var nodes: [String: NodeDevices] = [:]
    /// By account and id.
    private var reports: [AccountID: [RequestID: SequenceReport]] = [:]
    /// Of the sequences that were forgotten, by account.
    private var horizons: [AccountID: WallTime] = [:]
    var isFull = false
    /// Whether whoever keeps sequences next dies before, with the journal's part of the batch kept.
    var isCutShort = false
    /// The batches that were kept since somebody looked.
    var kept: [[UInt8]] = []
    /// Likewise of sequences.
    var keptSequences: [SequenceEntry] = []

    /// Where a segment is, and most ask for the newest; nil when it is not there.
    func place(of segment: Int) -> Int? { segments.lastIndex { $0.number == segment } }

    /// The batches of a segment; none when it is not there.
    func batches(of segment: Int) -> [[UInt8]] { place(of: segment).map { segments[$0].batches } ?? [] }

    /// Takes a segment in; one of that number is gone.
    func add(_ segment: Segment) {
        segments.removeAll { $0.number == segment.number }
        segments.insert(segment, at: segments.firstIndex { $0.number > segment.number } ?? segments.count)
    }

    /// Reads, raises and stores the epoch, as the store does.
    func beginEpoch(at now: WallTime) -> Epoch {
        epoch = Epoch(max(epoch.value + 1, UInt64(max(0, now.unixMilliseconds)) / 1_000))
        return epoch
    }

    /// The devices of every node, as the store has them.
    var lists: [NodeDevices] { nodes.sorted { $0.key < $1.key }.map(\.value) }

    /// How every account's sequences stand, as the store has them.
    var sequences: [KeptSequences] {
        reports.keys.sorted().map { account in
            let own = reports[account] ?? [:]
            return KeptSequences(
                account: account, reports: own.values.sorted { $0.id < $1.id }, horizon: horizons[account])
        }
    }

    /// Stores changes of node lists and command queues, as the store does, for one run of the controller.
    func store(_ changes: [StorageChange], as owner: Epoch) throws(StorageError) {
        guard owner == epoch else { throw .fenced(by: epoch) }
        guard !isFull else { throw .full(path: "store") }
        guard !isCutShort else { throw .failed(path: "store", what: "the process has died") }
        for change in changes {
            switch change {
            case .directory(let entry): store(entry)
            case .sequence(let entry): store(entry)
            case .request, .access, .logbook, .site, .roster: break
            }
        }
    }

    private func store(_ entry: DirectoryEntry) {
        switch entry {
        case .added(let list): nodes[Self.key(list), default: list.without].devices += list.devices
        case .listed(let list): nodes[Self.key(list)] = list.devices.isEmpty ? nil : list
        case .heard: break
        }
    }

    private func store(_ entry: SequenceEntry) {
        switch entry {
        case .stands(let account, let report): reports[account, default: [:]][report.id] = report
        case .forgotten(let account, let ids, let horizon):
            for id in ids { reports[account]?[id] = nil }
            horizons[account] = horizon
        }
        keptSequences.append(entry)
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

    func name(of segment: Int) -> String { "segment \(segment)" }

    func notedEnd() -> NotedEnd? {
        disk.notedEnd.map { NotedEnd($0, isLossPossible: false) }
    }

    func note(_ end: JournalEnd) {
        disk.notedEnd = end
    }

    func segments() -> [Int] {
        disk.segments.map(\.number)
    }

    func take(_ segment: Int) throws(StorageError) {
        guard let place = disk.place(of: segment), disk.segments[place].owner <= epoch else {
            throw .fenced(by: disk.epoch)
        }
        disk.segments[place].owner = epoch
    }

    func first(of segment: Int) -> ArraySlice<UInt8>? {
        disk.batches(of: segment).first?[...]
    }

    func last(of segment: Int) -> ArraySlice<UInt8>? {
        disk.batches(of: segment).last?[...]
    }

    func read(
        _ segment: Int, _ body: (ArraySlice<UInt8>) throws(StorageError) -> Void
    ) throws(StorageError) {
        for batch in disk.batches(of: segment) { try body(batch[...]) }
    }

    func append(_ batch: [UInt8], to segment: Int) throws(StorageError) {
        let place = disk.place(of: segment)
        let owner = place.map { disk.segments[$0].owner } ?? .zero
        guard owner == epoch || planted(.noFence) else { throw .fenced(by: owner) }
        guard !disk.isFull else { throw .full(path: "segment \(segment)") }
        if let place { disk.segments[place].batches.append(batch) }
        disk.kept.append(batch)
    }

    func create(_ segment: Int) throws(StorageError) {
        guard disk.epoch == epoch else { throw .fenced(by: disk.epoch) }
        disk.add(Disk.Segment(number: segment, owner: epoch))
    }

    func prepare(_ segment: Int) throws(StorageError) -> Bool {
        if disk.place(of: segment) == nil { try create(segment) }
        return true
    }

    func close(_ segment: Int) {}

    func delete(_ segment: Int) {
        disk.segments.removeAll { $0.number == segment }
    }

    func finish() {}
}
