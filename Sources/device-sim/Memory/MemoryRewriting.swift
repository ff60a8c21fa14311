import DeviceCore
import FileFraming
import Glibc
import ProcessSupport

/// A node's memory on its way into a new file, a little in each turn, while the old one goes on growing.
///
/// What happens meanwhile goes into both files. In the new one it may stand before all that the device
/// remembers; that is then newer, and holds. Until the new file is put in the place of the old one, the old
/// one is all that counts.
struct MemoryRewriting {
    /// How far it has come.
    enum Progress {
        /// There is more to do at once.
        case more
        /// There is nothing to do before the disk has it all.
        case waiting
        /// There is no room.
        case diskFull
        /// The new file is whole.
        case done(GrowingFile)
    }

    private enum Stage {
        case strangers(from: Int)
        case devices(from: Int)
        case syncing(FileSync)
    }

    /// Devices written in one turn: 150 KiB, well under a millisecond.
    static let slotsPerTurn = 2_048
    /// Bytes of devices that the node does not host, copied in one turn.
    private static let blockBytes = 512 * 1_024

    /// The new file.
    let draft: GrowingFile
    private let old: GrowingFile
    private let strangersEnd: Int
    private var stage: Stage
    private var writer = MemoryWriter()

    /// Where a new file is made.
    static func draftPath(of path: String) -> String { "\(path).new" }

    /// Begins with the header and the strangers, which are the same for as long as the node runs.
    init(of old: GrowingFile, strangersEnd: Int) throws(RuntimeError) {
        (self.old, self.strangersEnd) = (old, strangersEnd)
        draft = try GrowingFile(replacing: Self.draftPath(of: old.path))
        stage = .strangers(from: 0)
    }

    /// Takes what the old file has just taken.
    ///
    /// - Returns: False when there is no room.
    func keep(_ batch: [UInt8]) throws(RuntimeError) -> Bool {
        // No device of the node is in the new file yet: each will be as it is then.
        if case .strangers = stage { return true }
        return try draft.append(batch)
    }

    /// Writes a little more.
    ///
    /// - Parameter wake: Called on another thread when there is something to do after waiting.
    mutating func goOn(
        with node: Node, wake: @escaping @Sendable () -> Void
    ) throws(RuntimeError) -> Progress {
        switch stage {
        case .strangers(let place):
            var block = [UInt8](repeating: 0, count: min(Self.blockBytes, strangersEnd - place))
            let taken = try old.read(at: place, into: &block)
            guard try draft.append(Array(block[..<taken])) else { return .diskFull }
            stage = place + taken < strangersEnd ? .strangers(from: place + taken) : .devices(from: 0)
            return .more
        case .devices(let first):
            let end = min(first + Self.slotsPerTurn, node.deviceCount)
            node.putMemories(of: first..<end, into: &writer)
            writer.endFrame()
            guard try draft.append(writer.bytes) else { return .diskFull }
            writer.removeAll()
            guard end == node.deviceCount else {
                stage = .devices(from: end)
                return .more
            }
            let sync = try draft.makeSync()
            sync.begin(then: wake)
            stage = .syncing(sync)
            return .waiting
        case .syncing(let sync): return try sync.isDone() ? .done(draft) : .waiting
        }
    }
}

/// A note of how long a node's memory file is, in a file beside it: it shows that the end was lost.
///
/// It is written after each batch, so it is behind by one batch at most when the process dies.
struct MemoryWitness {
    private let file: SlotFile
    private let isSynced: Bool

    private static func path(besideMemory path: String) -> String { "\(path).witness" }

    /// The last note about a memory file; nil before the first.
    ///
    /// - Throws: `MemoryFileError` when it is damaged, `RuntimeError` when it cannot be read.
    static func mark(besideMemory memory: String) throws -> WitnessMark? {
        let path = path(besideMemory: memory)
        var bytes: [UInt8] = []
        guard try GrowingFile.read(path, { bytes += $0 }) else { return nil }
        do throws(RecordError) {
            guard bytes.count == SlotFile.slotBytes else { throw .malformed(field: "length") }
            return try WitnessMark.mark(in: bytes[...])
        } catch {
            throw MemoryFileError(path: path, damage: .notWitness(reason: error.description))
        }
    }

    /// Opens the witness of a memory file, or makes a new one.
    ///
    /// - Parameter isSynced: Whether the memory is on the disk when it is noted.
    /// - Throws: `RuntimeError` with the call that failed.
    init(besideMemory memory: String, isSynced: Bool) throws(RuntimeError) {
        let path = Self.path(besideMemory: memory)
        self.isSynced = isSynced
        if access(path, F_OK) != 0 { try SlotFile.make([WitnessMark.slot(nil)], at: path) }
        file = try SlotFile(opening: path)
    }

    /// Notes that the file has that many bytes.
    func note(_ count: Int) throws(RuntimeError) {
        try file.write(WitnessMark.slot(WitnessMark(isOnDisk: isSynced, number: UInt64(count))), at: 0)
    }

    /// Puts another file in the place of one, and notes how long it is.
    ///
    /// A death in between leaves either file with a note of the shorter one's length, on the disk where the
    /// files are.
    func replace(_ former: Int, by draft: GrowingFile, at path: String, isSynced: Bool) throws(RuntimeError) {
        try note(min(former, draft.count))
        if isSynced { try file.sync() }
        try draft.move(to: path, isSynced: isSynced)
        try note(draft.count)
    }
}
