import DeviceCore
import FleetProtocol
import Glibc
import ProcessSupport

/// A rewrite of a node's memory into a new file, a little in each turn, while the old file keeps growing. New
/// entries are appended to both files. In the new file they may precede the rest of a device's memory; such
/// an entry is newer and takes precedence. Until the new file replaces the old one, only the old one counts.
struct MemoryRewriting {
    enum Progress {
        case more
        /// The rewrite must wait until the disk has synced the data.
        case waiting
        case diskFull
        case done(GrowingFile)
    }

    private enum Stage {
        case strangers(from: Int)
        case devices(from: Int)
        case syncing(FileSync)
    }

    /// The number of devices written in one turn: 150 KiB, well under a millisecond.
    static let slotsPerTurn = 2_048
    /// The number of bytes of devices that the node does not host, copied in one turn.
    private static let blockBytes = 512 * 1_024

    let draft: GrowingFile
    let origin: MemoryOrigin
    private let old: GrowingFile
    private let strangersEnd: Int
    private var stage: Stage
    private var writer = MemoryWriter()

    static func draftPath(of path: String) -> String { "\(path).new" }

    /// Begins with the header and the devices not hosted here, which stay the same while the node runs.
    init(of old: GrowingFile, strangersEnd: Int, into origin: MemoryOrigin) throws(RuntimeError) {
        (self.old, self.strangersEnd, self.origin) = (old, strangersEnd, origin)
        draft = try GrowingFile(replacing: Self.draftPath(of: old.path))
        stage = .strangers(from: 0)
    }

    /// Appends a batch that the old file has just appended; returns false if the disk is full.
    func store(_ batch: [UInt8]) throws(RuntimeError) -> Bool {
        // The new file has no device of the node yet: each is written later in its state at that time.
        if case .strangers = stage { return true }
        return try draft.append(batch)
    }

    /// Continues the rewrite; `wake` is called on another thread when it can continue after waiting.
    mutating func advance(
        with node: Node, wake: @escaping @Sendable () -> Void
    ) throws(RuntimeError) -> Progress {
        switch stage {
        case .strangers(let place):
            var block = [UInt8](repeating: 0, count: min(Self.blockBytes, strangersEnd - place))
            let readCount = try old.read(at: place, into: &block)
            if place == 0 {
                let header = MemoryWriter.header(origin)
                block.replaceSubrange(..<header.count, with: header)
            }
            guard try draft.append(Array(block[..<readCount])) else { return .diskFull }
            stage = place + readCount < strangersEnd ? .strangers(from: place + readCount) : .devices(from: 0)
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

/// The recorded length and generation of a node's memory file, in a file beside it, which reveals a lost end.
/// It is written after each batch, so it is at most one batch behind when the process dies.
struct MemoryWitness {
    private let file: SlotFile
    private let isSynced: Bool

    static func path(besideMemory path: String) -> String { "\(path).witness" }

    /// Returns the last mark of a memory file; nil before the first.
    static func mark(besideMemory memory: String) throws -> WitnessMark? {
        let path = path(besideMemory: memory)
        var bytes: [UInt8] = []
        guard try GrowingFile.read(path, { bytes += $0 }) else { return nil }
        do throws(RecordError) {
            // The second slot, which earlier versions did not write, is that of the owner.
            guard (1...2).contains(bytes.count / SlotFile.slotBytes), bytes.count % SlotFile.slotBytes == 0
            else { throw .malformed(field: "length") }
            return try WitnessMark.mark(in: bytes.prefix(SlotFile.slotBytes))
        } catch {
            throw MemoryFileError(path: path, damage: .notWitness(reason: error.description))
        }
    }

    /// Creates the witness of a memory file if it has none.
    static func make(besideMemory memory: String) throws(RuntimeError) {
        let path = path(besideMemory: memory)
        if access(path, F_OK) != 0 { try SlotFile.make([WitnessMark.slot(nil)], at: path) }
    }

    /// Opens the witness of a memory file, or creates one. The memory may be synced to the disk before its
    /// length is recorded.
    init(besideMemory memory: String, isSynced: Bool) throws(RuntimeError) {
        let path = Self.path(besideMemory: memory)
        self.isSynced = isSynced
        try Self.make(besideMemory: memory)
        file = try SlotFile(opening: path)
    }

    /// Records the length in bytes of the file of a generation.
    func record(_ count: Int, of generation: UInt32) throws(RuntimeError) {
        let mark = WitnessMark(isOnDisk: isSynced, number: UInt64(count), segment: generation)
        try file.write(WitnessMark.slot(mark), at: 0)
    }

    /// Replaces the memory file by a draft of a generation, and records its length. A death in between leaves
    /// either file with a mark of the former generation, synced to the disk if the files are. So a file of a
    /// later generation than its witness is complete.
    func replace(
        _ former: Int, by draft: GrowingFile, of generation: UInt32, at path: String, isSynced: Bool
    ) throws(RuntimeError) {
        try record(former, of: generation - 1)
        if isSynced { try file.sync() }
        try draft.move(to: path, isSynced: isSynced)
        try record(draft.count, of: generation)
    }
}
