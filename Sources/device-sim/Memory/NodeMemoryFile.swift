import DeviceCore
import FleetProtocol
import Glibc
import ProcessSupport

/// The file that stores the memories of a node's devices.
///
/// The file is rewritten at each start, and at run time whenever it has outgrown a bound. Its size is at most
/// the larger of 64 MiB and four times the memories, plus the entries appended during a rewrite. A witness
/// file stores its length. Other processes access neither file: the node holds its lock of the run directory
/// from before the read until its process ends.
final class NodeMemoryFile {
    /// The size below which a running node does not rewrite the file, bytes.
    static let smallestBound = 64 * 1_024 * 1_024
    /// The size of the file at a rewrite, as a multiple of its size after the last one.
    private static let copies = 4
    /// The bytes that are buffered for one write at the start.
    private static let blockBytes = 256 * 1_024

    private let path: String
    private let isSynced: Bool
    private let smallestBound: Int
    private let wake: @Sendable () -> Void
    private var file: GrowingFile
    private var origin: MemoryOrigin
    private let witness: MemoryWitness
    var owner: MemoryOwner?
    /// The end of the section, after the header, with devices that this node does not host.
    private let strangersEnd: Int
    private var writer = MemoryWriter()
    /// The length at which the file is rewritten.
    private var bound: Int
    private var rewriting: MemoryRewriting?

    /// Reads the memory of a file up to the last complete frame; a missing file is an empty memory.
    ///
    /// An older copy of the file is valid, but its witness is of a later generation or records more bytes.
    /// The later entries are unknown, so the memory is discarded and the devices begin new incarnations. The
    /// same holds for a file without the witness that it had. A file of another fleet is refused.
    static func read(
        _ path: String, of fleet: FleetName? = nil, reportLoss: (String) -> Void = { _ in }
    ) throws -> NodeMemory {
        var (replay, count) = (MemoryReplay(), UInt64(0))
        do {
            let exists = try GrowingFile.read(path) {
                count += UInt64($0.count)
                try replay.append($0)
            }
            let end = exists ? UInt64(try replay.finish()) : 0
            let mark = try MemoryWitness.mark(besideMemory: path)
            let (own, generation) = (replay.memory.origin?.fleet, replay.memory.origin?.generation ?? 0)
            if let own, let fleet, own != fleet.bits { throw MemoryDamage.otherFleet }
            let loss = try exists ? loss(of: replay.memory.origin, end, of: count, mark) : "it is missing"
            guard exists || mark != nil, let loss else { return replay.memory }
            reportLoss(loss)
            // Its successor skips a generation, so that the discarded file is older than each later mark.
            let next = max(generation, mark?.segment ?? 0) + 1
            return NodeMemory(of: MemoryOrigin(fleet: own, generation: next))
        } catch let damage as MemoryDamage {
            throw MemoryFileError(path: path, damage: damage)
        }
    }

    /// Returns why entries of a file that ends there are unknown; nil if none are.
    private static func loss(
        of origin: MemoryOrigin?, _ end: UInt64, of count: UInt64, _ mark: WitnessMark?
    ) throws(MemoryDamage) -> String? {
        guard let mark else { return origin == nil ? nil : "its witness is missing" }
        let generation = origin?.generation ?? 0
        if mark.isLossPossible || generation > mark.segment { return nil }
        if generation < mark.segment { return "it is older than its witness" }
        guard end < mark.number else { return nil }
        guard end == count else { throw .lostEnd(byte: end, written: mark.number) }
        return "it is older than its witness by \(mark.number - end) bytes"
    }

    /// Rewrites the file with the memories of a node's devices, and opens it for appending. Devices that the
    /// node does not host are retained, because they may return: the most recent million of them. `wake`
    /// wakes the node's loop from another thread. After an error the old file remains unchanged.
    init(
        _ path: String, of node: Node, and memory: NodeMemory, in fleet: FleetName? = nil,
        owner: MemoryOwner? = nil, isSynced: Bool,
        smallestBound: Int = NodeMemoryFile.smallestBound, wake: @escaping @Sendable () -> Void
    ) throws {
        (self.path, self.isSynced, self.smallestBound, self.wake) = (path, isSynced, smallestBound, wake)
        self.owner = owner
        witness = try MemoryWitness(besideMemory: path, isSynced: isSynced)
        let recorded = try MemoryWitness.mark(besideMemory: path)
        origin = MemoryOrigin(
            fleet: fleet?.bits ?? memory.origin?.fleet,
            generation: max(memory.origin?.generation ?? 0, recorded?.segment ?? 0) + 1)
        let draft = try GrowingFile(replacing: MemoryRewriting.draftPath(of: path))
        do {
            try Self.append(MemoryWriter.header(origin), to: draft)
            strangersEnd = try Self.write(strangersOf: node, in: memory, to: draft, through: &writer)
            for start in stride(from: 0, to: node.deviceCount, by: MemoryRewriting.slotsPerTurn) {
                let end = min(start + MemoryRewriting.slotsPerTurn, node.deviceCount)
                node.putMemories(of: start..<end, into: &writer)
                try Self.flush(&writer, to: draft, from: Self.blockBytes)
            }
            try Self.flush(&writer, to: draft)
            try draft.sync()
            try witness.replace(
                Int(recorded?.number ?? 0), by: draft, of: origin.generation, at: path, isSynced: true)
        } catch {
            try draft.remove()
            throw error
        }
        file = draft
        bound = max(smallestBound, Self.copies * draft.count)
    }

    var count: Int { file.count }
    var isRewriting: Bool { rewriting != nil }

    /// Appends the memory entries of the effects in one write, which must precede all other effects. Returns
    /// false when the disk is full. The caller then retries without effects until the result is true. After
    /// an error the node must stop.
    func store(_ effects: [Node.Effect]) throws(RuntimeError) -> Bool {
        for case .remember(let entry) in effects { writer.put(entry) }
        writer.endFrame()
        guard !writer.bytes.isEmpty else { return true }
        guard try file.append(writer.bytes) else {
            try giveUpRewriting()
            return false
        }
        if isSynced { try file.sync() }
        try witness.record(file.count, of: origin.generation)
        if try rewriting?.store(writer.bytes) == false { try giveUpRewriting() }
        writer.removeAll()
        return true
    }

    /// Begins or continues a rewrite that is due: about a millisecond of work. May be called only when no
    /// entries wait to be written. Returns whether the rewrite has more work to do at once.
    func tidy(_ node: Node) throws -> Bool {
        if rewriting == nil {
            guard file.count >= bound else { return false }
            try owner?.confirm()
            do {
                rewriting = try MemoryRewriting(
                    of: file, strangersEnd: strangersEnd,
                    into: MemoryOrigin(fleet: origin.fleet, generation: origin.generation + 1))
            } catch RuntimeError.system(_, _, errno: ENOSPC) {
                postponeRewriting()
            }
        }
        switch try rewriting?.advance(with: node, wake: wake) {
        case .more: return true
        case .waiting, nil: return false
        case .diskFull:
            try giveUpRewriting()
            return false
        case .done(let draft):
            if isSynced { try draft.sync() }
            try owner?.confirm()
            origin = MemoryOrigin(fleet: origin.fleet, generation: origin.generation + 1)
            try witness.replace(file.count, by: draft, of: origin.generation, at: path, isSynced: isSynced)
            file.closeElsewhere()
            file = draft
            bound = max(smallestBound, Self.copies * draft.count)
            rewriting = nil
            return false
        }
    }

    /// Cancels the rewrite, and removes its draft to free the space.
    private func giveUpRewriting() throws(RuntimeError) {
        guard let given = rewriting else { return }
        rewriting = nil
        postponeRewriting()
        try given.draft.remove()
    }

    /// Postpones the next rewrite until the file has grown by half.
    private func postponeRewriting() { bound = file.count + file.count / 2 }

    /// Writes the memories, air conditioner states and settings of devices not hosted here, and returns their
    /// end.
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
            if let actual = memory.airConditioner(of: device) {
                writer.put(airConditioner: actual, of: device)
            }
            if let settings = memory.settings(of: device) { writer.put(settings, of: device) }
            try flush(&writer, to: draft, from: blockBytes)
        }
        try flush(&writer, to: draft)
        return draft.count
    }

    /// Writes the buffered bytes if there are at least `bytes` of them.
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

struct MemoryFileError: Error, CustomStringConvertible {
    let path: String
    let damage: MemoryDamage

    var description: String {
        let advice =
            switch damage {
            case .newerFormat:
                "start the program that wrote it, or move the file away to factory-reset its devices"
            case .notWitness:
                "move it away to accept the memory without a check, or move both away to reset the devices"
            case .notMemory, .damaged, .malformed, .lostEnd, .otherFleet:
                "restore a copy of it, or move it away to factory-reset its devices"
            }
        return "\(path) cannot be used, and was not changed: \(damage); \(advice)"
    }
}
