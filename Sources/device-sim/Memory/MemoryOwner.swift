import FleetProtocol
import Glibc
import ProcessSupport

/// The process that owns a node's memory, as the second slot of the memory's witness names it. A process
/// claims the memory before it reads it, so it reads each batch of the former owner. The former owner reads
/// the slot before it writes or sends, and ends.
struct MemoryOwner {
    private static let slot = 1
    /// The longest name of a machine in a slot.
    private static let hostBytes = 48

    private let path: String
    private let file: SlotFile
    private let own: [UInt8]
    private var check = OwnerCheck()

    /// Claims a memory; a witness that is damaged is not changed.
    init(claiming memory: String, for run: NodeRun) throws {
        let mark = try MemoryWitness.mark(besideMemory: memory)
        if mark == nil { try MemoryWitness.make(besideMemory: memory) }
        path = MemoryWitness.path(besideMemory: memory)
        file = try SlotFile(opening: path)
        own = Self.bytes(of: run)
        try file.write(own, at: Self.slot)
    }

    /// Checks that no other process has claimed the memory. By path, it opens the witness again, which
    /// another process may have replaced.
    func confirm(isByPath: Bool = false) throws {
        let found = try (isByPath ? SlotFile(opening: path) : file).read(at: Self.slot)
        guard found != own else { return }
        throw MemoryTaken(path: path, owner: Self.run(in: found))
    }

    /// Does so before something is written or sent, and once a second by path.
    mutating func confirm(at now: Moment, isSending: Bool) throws {
        let isDue = check.isDue(at: now)
        if isDue || isSending { try confirm(isByPath: isDue) }
    }

    private static func bytes(of run: NodeRun) -> [UInt8] {
        var writer = RecordWriter()
        writer.put(UInt32(0))
        writer.put(run.bootID.bits)
        writer.put(run.host.cut(toBytes: hostBytes))
        while writer.bytes.count < SlotFile.slotBytes { writer.put(byte: 0) }
        writer.set(Checksum.of(writer.bytes.dropFirst(4)), at: 0)
        return writer.bytes
    }

    private static func run(in slot: [UInt8]) -> NodeRun? {
        var reader = RecordReader(slot[...])
        guard let checksum = try? reader.read(UInt32.self), checksum == Checksum.of(slot.dropFirst(4)),
            let boot = try? reader.read(UInt64.self), let host = try? reader.readText("host")
        else { return nil }
        return NodeRun(host: host, bootID: BootID(bits: boot))
    }
}

struct MemoryTaken: Error, CustomStringConvertible {
    let path: String
    /// The other process, if the witness names it.
    let owner: NodeRun?

    var description: String {
        """
        \(path): \(owner?.description ?? "another process") has taken the memory of this node. This process \
        ends, and writes nothing more. Run one process of each node, and give each machine a node of its own.
        """
    }
}
