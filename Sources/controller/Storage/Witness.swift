import ControllerCore
import FileFraming
import ProcessSupport
import Synchronization

/// How far the store and the journal went, in a file beside them: it shows that the end of either was lost.
///
/// It has a slot for each, which is written once what it notes is committed. So after the death of a process
/// a slot is behind by one commit at most, and a store or journal that goes less far is damaged. After a loss
/// of power it need not be, unless each commit waits for the disk: a slot says in which life of the machine
/// it was written, and whether what it notes was on the disk.
final class Witness: Sendable {
    private enum Slot: Int, CaseIterable {
        case store, journal
    }

    private struct State {
        var marks: [Slot: WitnessMark] = [:]
        /// Slots that this process has brought to the disk once, so that a loss of power can be told.
        var synced: Set<Slot> = []
    }

    /// The life of the machine in the marks of copies: none.
    private static let copied = "copied"

    private let file: SlotFile
    private let waitsForDisk: Bool
    private let state: Mutex<State>

    /// Where it is.
    var path: String { file.path }

    /// Where the witness of a store is: beside it.
    static func path(besideStore path: String) -> String {
        "\(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])/witness"
    }

    /// Makes a witness that has noted nothing, on the disk.
    static func make(at path: String) throws(StorageError) {
        do throws(RuntimeError) {
            try SlotFile.make(Slot.allCases.map { _ in WitnessMark.slot(nil) }, at: path)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Makes the witness of copies, which says that what followed them in the journal is lost.
    ///
    /// - Parameter storeChanges: How many changes the copy of the store has; nil where it counts none.
    static func makeOfCopies(at path: String, storeChanges: UInt64?) throws(StorageError) {
        let store = storeChanges.map { WitnessMark(boot: copied, isOnDisk: true, number: $0) }
        let journal = WitnessMark(boot: copied, isOnDisk: false, number: 0)
        do throws(RuntimeError) {
            try SlotFile.make([WitnessMark.slot(store), WitnessMark.slot(journal)], at: path)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Opens a witness; nil where the file does not exist.
    ///
    /// - Throws: `damaged` or `failed`.
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
        guard bytes.count == Slot.allCases.count * SlotFile.slotBytes else {
            throw .damaged(path: path, what: "it has \(bytes.count) bytes")
        }
        var marks: [Slot: WitnessMark] = [:]
        for slot in Slot.allCases {
            let first = slot.rawValue * SlotFile.slotBytes
            do throws(RecordError) {
                marks[slot] = try WitnessMark.mark(in: bytes[first..<first + SlotFile.slotBytes])
            } catch {
                throw .damaged(path: path, what: error.description)
            }
        }
        do throws(RuntimeError) {
            file = try SlotFile(opening: path)
        } catch {
            throw StorageError(error, path: path)
        }
        waitsForDisk = durability == .power
        state = Mutex(State(marks: marks))
    }

    /// The store's mark; nil before the first.
    var store: WitnessMark? { state.withLock { $0.marks[.store] } }

    /// The journal's mark; nil before the first.
    var journal: WitnessMark? { state.withLock { $0.marks[.journal] } }

    /// Notes how many changes the store has had; of two threads that do, the later change counts.
    func noteStore(changes: UInt64) throws(StorageError) {
        try note(.store, WitnessMark(isOnDisk: waitsForDisk, number: changes)) { $0.number < changes }
    }

    /// Notes how far the journal goes.
    func note(_ end: JournalEnd) throws(StorageError) {
        let mark = WitnessMark(
            isOnDisk: waitsForDisk, number: end.batch.number, segment: UInt32(end.segment),
            checksum: end.batch.checksum)
        try note(.journal, mark) { _ in true }
    }

    /// Notes that all of the journal is on the disk.
    func noteJournalIsOnDisk() throws(StorageError) { try noteOnDisk(.journal) }

    /// Notes that all of the store is on the disk.
    func noteStoreIsOnDisk() throws(StorageError) { try noteOnDisk(.store) }

    private func noteOnDisk(_ slot: Slot) throws(StorageError) {
        guard var mark = state.withLock({ $0.marks[slot] }) else { return }
        (mark.isOnDisk, mark.boot) = (true, SystemBoot.id)
        state.withLock { _ = $0.synced.remove(slot) }
        try note(slot, mark) { _ in true }
    }

    private func note(
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
