import DeviceCore
import FleetProtocol
import Glibc
import Runtime

/// The file in which a node's devices remember what they must not forget.
///
/// It is written anew at each start, and while the node runs whenever it has grown past a bound: so it is at
/// most the larger of 64 MiB and four times what the devices remember, and what comes in while it is written
/// anew. A witness notes its length. No other process touches either: the node holds its lock of the run
/// directory before the file is read, and until it dies.
final class NodeMemoryFile {
    /// A smaller file is not written anew while the node runs, bytes.
    static let smallestBound = 64 * 1_024 * 1_024
    /// How often what the devices remember may lie in the file.
    private static let copies = 4
    /// Bytes that are gathered before they are written, at the start.
    private static let blockBytes = 256 * 1_024

    private let path: String
    private let isSynced: Bool
    private let smallestBound: Int
    private let wake: @Sendable () -> Void
    private var file: GrowingFile
    private let witness: MemoryWitness
    /// Up to there, behind the header, are devices that this node does not host.
    private let strangersEnd: Int
    private var writer = MemoryWriter()
    /// The length at which it is written anew.
    private var bound: Int
    private var rewriting: MemoryRewriting?

    /// What a file says, the torn end of a killed process left out; nothing where there is no file.
    ///
    /// An older copy of the file is whole, and shorter than the witness says. What happened since is unknown,
    /// so the devices remember nothing then: they begin new incarnations.
    ///
    /// - Parameter noteOlder: Called for an older copy, with how many bytes it lacks.
    /// - Throws: `MemoryFileError` when it or its witness is damaged, `RuntimeError` when it cannot be read.
    static func read(_ path: String, noteOlder: (UInt64) -> Void = { _ in }) throws -> NodeMemory {
        var (replay, count) = (MemoryReplay(), UInt64(0))
        do {
            let isThere = try GrowingFile.read(path) {
                count += UInt64($0.count)
                try replay.take($0)
            }
            guard isThere else { return NodeMemory() }
            let end = UInt64(try replay.finish())
            let mark = try MemoryWitness.mark(besideMemory: path)
            guard let mark, !mark.isLossPossible, end < mark.number else { return replay.memory }
            guard end == count else { throw MemoryDamage.lostEnd(byte: end, written: mark.number) }
            noteOlder(mark.number - end)
            return NodeMemory()
        } catch let damage as MemoryDamage {
            throw MemoryFileError(path: path, damage: damage)
        }
    }

    /// Writes the file anew with what a node's devices remember, and goes on there.
    ///
    /// - Parameters:
    ///   - memory: What the old file said: devices that the node does not host may come back. Of more than
    ///     a million of those, the ones that are longest in it are forgotten.
    ///   - isSynced: Whether each batch is to survive a loss of power.
    ///   - wake: Gives the node's loop a turn; called on another thread.
    /// - Throws: `RuntimeError` with the call that failed, on a full disk too; the old file is as it was.
    init(
        _ path: String, of node: Node, and memory: NodeMemory, isSynced: Bool,
        smallestBound: Int = NodeMemoryFile.smallestBound, wake: @escaping @Sendable () -> Void
    ) throws {
        self.path = path
        self.isSynced = isSynced
        self.smallestBound = smallestBound
        self.wake = wake
        witness = try MemoryWitness(besideMemory: path, isSynced: isSynced)
        let draft = try GrowingFile(replacing: MemoryRewriting.draftPath(of: path))
        do {
            try Self.append(MemoryWriter.header, to: draft)
            strangersEnd = try Self.write(strangersOf: node, in: memory, to: draft, through: &writer)
            for start in stride(from: 0, to: node.deviceCount, by: MemoryRewriting.slotsPerTurn) {
                let end = min(start + MemoryRewriting.slotsPerTurn, node.deviceCount)
                node.putMemories(of: start..<end, into: &writer)
                try Self.flush(&writer, to: draft, from: Self.blockBytes)
            }
            try Self.flush(&writer, to: draft)
            try draft.sync()
            let noted = try MemoryWitness.mark(besideMemory: path)?.number ?? 0
            try witness.replace(Int(noted), by: draft, at: path, isSynced: true)
        } catch {
            try draft.remove()
            throw error
        }
        file = draft
        bound = max(smallestBound, Self.copies * draft.count)
    }

    /// How long the file is, bytes.
    var count: Int { file.count }

    /// Whether it is being written anew.
    var isRewriting: Bool { rewriting != nil }

    /// Keeps all that is to be remembered, with one call of the system; nothing of it may leave before.
    ///
    /// - Returns: False when the disk is full. Then it is to be called again, without effects, until it says
    ///   true.
    /// - Throws: `RuntimeError` when the file fails in any other way; then the node must not go on.
    func keep(_ effects: [Node.Effect]) throws(RuntimeError) -> Bool {
        for case .remember(let entry) in effects { writer.put(entry) }
        writer.endFrame()
        guard !writer.bytes.isEmpty else { return true }
        guard try file.append(writer.bytes) else {
            try giveUpRewriting()
            return false
        }
        if isSynced { try file.sync() }
        try witness.note(file.count)
        if try rewriting?.keep(writer.bytes) == false { try giveUpRewriting() }
        writer.removeAll()
        return true
    }

    /// Goes on with writing the file anew, where that is due: about a millisecond of work.
    ///
    /// Only when nothing waits to be kept.
    ///
    /// - Returns: Whether there is more to do at once.
    /// - Throws: `RuntimeError` when a file fails, except for want of room.
    func tidy(_ node: Node) throws(RuntimeError) -> Bool {
        if rewriting == nil {
            guard file.count >= bound else { return false }
            do {
                rewriting = try MemoryRewriting(of: file, strangersEnd: strangersEnd)
            } catch .system(_, _, errno: ENOSPC) {
                postponeRewriting()
            }
        }
        switch try rewriting?.goOn(with: node, wake: wake) {
        case .more: return true
        case .waiting, nil: return false
        case .diskFull:
            try giveUpRewriting()
            return false
        case .done(let draft):
            if isSynced { try draft.sync() }
            try witness.replace(file.count, by: draft, at: path, isSynced: isSynced)
            file.closeElsewhere()
            file = draft
            bound = max(smallestBound, Self.copies * draft.count)
            rewriting = nil
            return false
        }
    }

    /// Frees the room of the draft.
    private func giveUpRewriting() throws(RuntimeError) {
        guard let given = rewriting else { return }
        rewriting = nil
        postponeRewriting()
        try given.draft.remove()
    }

    /// It is begun again when the file has grown by half.
    private func postponeRewriting() {
        bound = file.count + file.count / 2
    }

    /// Writes what strangers remember, and says where that ends.
    private static func write(
        strangersOf node: Node, in memory: NodeMemory, to draft: GrowingFile,
        through writer: inout MemoryWriter
    ) throws(RuntimeError) -> Int {
        let strangers = memory.devices.lazy.filter { !node.remembers($0.0) }
        let surplus = max(0, strangers.reduce(0) { count, _ in count + 1 } - Limits.nodeDevices)
        for (device, known) in strangers.dropFirst(surplus) {
            writer.put(known, of: device)
            try flush(&writer, to: draft, from: blockBytes)
        }
        for (device, _) in strangers.dropFirst(surplus) {
            guard let actual = memory.airConditioner(of: device) else { continue }
            writer.put(airConditioner: actual, of: device)
            try flush(&writer, to: draft, from: blockBytes)
        }
        try flush(&writer, to: draft)
        return draft.count
    }

    /// Writes what is gathered, if it is as much as that.
    private static func flush(
        _ writer: inout MemoryWriter, to draft: GrowingFile, from bytes: Int = 0
    ) throws(RuntimeError) {
        guard writer.bytes.count >= bytes else { return }
        writer.endFrame()
        try append(writer.bytes, to: draft)
        writer.removeAll()
    }

    private static func append(_ bytes: [UInt8], to draft: GrowingFile) throws(RuntimeError) {
        guard try draft.append(bytes) else {
            throw .system(operation: "write", path: draft.path, errno: ENOSPC)
        }
    }
}

/// A file that should hold a node's memory, and does not.
struct MemoryFileError: Error, CustomStringConvertible {
    /// Where it is.
    let path: String
    /// What is wrong.
    let damage: MemoryDamage

    var description: String {
        let advice =
            switch damage {
            case .newerFormat:
                "start the program that wrote it, or move the file away and its devices begin new lives"
            case .notWitness:
                "move it away, and the memory is taken for whole; or move both away for new lives"
            case .notMemory, .damaged, .malformed, .lostEnd:
                "bring a copy of it back, or move it away and its devices begin new lives"
            }
        return "\(path) cannot be used, and was left as it is: \(damage); \(advice)"
    }
}
