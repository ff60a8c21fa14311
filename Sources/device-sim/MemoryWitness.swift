import DeviceCore
import Glibc
import Records
import Runtime

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
