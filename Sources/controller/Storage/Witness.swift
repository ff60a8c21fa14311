import ControllerCore
import FleetProtocol
import ProcessSupport
import Synchronization

/// The recorded end of the store and of the journal, in a file beside them, which reveals a lost end, and the
/// name of their fleet.
///
/// Each has a slot, which is written once the recorded data is committed. So after the death of a process a
/// slot is at most one commit behind, and a store or journal that is shorter is damaged. After a power
/// failure it may be shorter, unless each commit is synced to the disk: a slot records the boot of the
/// machine in which it was written, and whether the recorded data was synced.
final class Witness: Sendable {
    private enum Slot: Int, CaseIterable {
        case store, journal, fleet

        /// The slots of earlier versions.
        static let former: [Slot] = [.store, .journal]
    }

    private struct State {
        var marks: [Slot: WitnessMark] = [:]
        /// The slots that this process has synced once, so that a power failure can be detected.
        var synced: Set<Slot> = []
    }

    private let file: SlotFile
    private let waitsForDisk: Bool
    private let state: Mutex<State>

    var path: String { file.path }

    static func path(besideStore path: String) -> String {
        "\(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])/witness"
    }

    static func make(
        at path: String, of fleet: FleetName, store: WitnessMark? = nil, journal: WitnessMark? = nil
    ) throws(StorageError) {
        // The name is the number of its mark.
        let name = WitnessMark(boot: "", isOnDisk: true, number: fleet.bits)
        try StorageError.converting(at: path) {
            try SlotFile.make([store, journal, name].map(WitnessMark.slot), at: path)
        }
    }

    /// Creates the witness of copies, which says that later batches of the journal are lost. The store's copy
    /// may not count its changes. The end is that of the journal's copy, nil for an empty one.
    static func makeOfCopies(
        at path: String, of fleet: FleetName, storeChanges: UInt64?, end: JournalEnd?
    ) throws(StorageError) {
        let end = end ?? JournalEnd(segment: 0, batch: .origin)
        try make(
            at: path, of: fleet,
            store: storeChanges.map { WitnessMark(boot: WitnessMark.copied, isOnDisk: true, number: $0) },
            journal: WitnessMark(end, boot: WitnessMark.copied, isOnDisk: false))
    }

    /// Opens a witness; nil if the file does not exist.
    static func open(at path: String, _ durability: Durability) throws(StorageError) -> Witness? {
        var bytes: [UInt8] = []
        let exists: Bool
        do {
            exists = try GrowingFile.read(path) { bytes += $0 }
        } catch {
            throw .failed(path: path, what: "\(error)")
        }
        return exists ? try Witness(at: path, bytes, durability) : nil
    }

    private init(at path: String, _ bytes: [UInt8], _ durability: Durability) throws(StorageError) {
        let slots = [Slot.former, Slot.allCases].first { $0.count * SlotFile.slotBytes == bytes.count }
        guard let slots else { throw .damaged(path: path, what: "it has \(bytes.count) bytes") }
        var marks: [Slot: WitnessMark] = [:]
        for slot in slots {
            let first = slot.rawValue * SlotFile.slotBytes
            do throws(RecordError) {
                marks[slot] = try WitnessMark.mark(in: bytes[first..<first + SlotFile.slotBytes])
            } catch {
                throw .damaged(path: path, what: error.description)
            }
        }
        file = try StorageError.converting(at: path) { try SlotFile(opening: path) }
        waitsForDisk = durability == .power
        state = Mutex(State(marks: marks))
    }

    var store: WitnessMark? { state.withLock { $0.marks[.store] } }
    var journal: WitnessMark? { state.withLock { $0.marks[.journal] } }

    /// The fleet of store and journal; nil in a witness of an earlier version.
    var fleet: FleetName? { state.withLock { $0.marks[.fleet] }.map { FleetName(bits: $0.number) } }

    /// Records the number of changes of the store; of two concurrent calls, the higher number counts.
    func recordStore(changes: UInt64) throws(StorageError) {
        try record(.store, WitnessMark(isOnDisk: waitsForDisk, number: changes)) { $0.number < changes }
    }

    func record(_ end: JournalEnd) throws(StorageError) {
        try record(.journal, WitnessMark(end, isOnDisk: waitsForDisk)) { _ in true }
    }

    func recordJournalSync() throws(StorageError) { try recordSync(.journal) }
    func recordStoreSync() throws(StorageError) { try recordSync(.store) }

    private func recordSync(_ slot: Slot) throws(StorageError) {
        guard var mark = state.withLock({ $0.marks[slot] }) else { return }
        (mark.isOnDisk, mark.boot) = (true, SystemBoot.id)
        state.withLock { _ = $0.synced.remove(slot) }
        try record(slot, mark) { _ in true }
    }

    private func record(
        _ slot: Slot, _ mark: WitnessMark, if isNewer: (WitnessMark) -> Bool
    ) throws(StorageError) {
        do {
            try state.withLock { state in
                if state.synced.contains(slot), let former = state.marks[slot], !isNewer(former) { return }
                try file.write(WitnessMark.slot(mark), at: slot.rawValue)
                state.marks[slot] = mark
                if state.synced.insert(slot).inserted { try file.sync() }
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }
}
