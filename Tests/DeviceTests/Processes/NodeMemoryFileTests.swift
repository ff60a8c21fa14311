import DeviceCore
import Dispatch
import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport
import TestSupport
import Testing

@testable import device_sim

@Suite("The file of a node's memory")
struct NodeMemoryFileTests {
    private static let now = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
    /// The loop's turns that the file requested.
    private let woken = DispatchSemaphore(value: 0)
    private let disk: SmallDisk
    private let path: String

    init() throws {
        disk = try SmallDisk()
        path = "\(disk.path)/node-1.entries"
    }

    private func makeNode(
        _ memory: NodeMemory = NodeMemory(), devices: Int = 20, firstIndex: UInt64 = 0
    ) -> Node {
        Node(
            .sample(devices: devices, firstIndex: firstIndex), bootID: BootID(bits: 1), memory: memory,
            incarnations: SystemRandomNumberGenerator(), at: Self.now)
    }

    private func makeFile(of node: Node, _ memory: NodeMemory = NodeMemory()) throws -> NodeMemoryFile {
        try NodeMemoryFile(
            path, of: node, and: memory, isSynced: false, smallestBound: 8_192,
            wake: { [woken] in woken.signal() })
    }

    /// Uses the hand remote of every device, or of some.
    private func flip(_ node: inout Node, _ devices: [DeviceID]? = nil) -> [Node.Effect] {
        var effects: [Node.Effect] = []
        let devices = devices ?? node.truth.map(\.device)
        let body = ControllerMessage.Body.fault(.flip, devices: devices, duration: .zero)
        node.step(.controller(ControllerMessage(epoch: Epoch(1), body: body)), at: Self.now, into: &effects)
        return effects
    }

    private func expectStored(_ node: Node, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let memory = try NodeMemoryFile.read(path)
        let wrong = node.truth.first { memory[$0.device]?.reported != $0.reported }
        #expect(wrong == nil, sourceLocation: sourceLocation)
    }

    private func draftExists() -> Bool { FileManager.default.fileExists(atPath: path + ".new") }

    @Test("a memory file is empty at first, then has all entries, and only its owner can read it")
    func stores() throws {
        #expect(try NodeMemoryFile.read(path).deviceCount == 0)
        var node = makeNode()
        do {
            let file = try makeFile(of: node)
            try expectStored(node)
            #expect(try file.store(flip(&node)))
            try expectStored(node)
            #expect(try file.store([]))
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let later = makeNode(try NodeMemoryFile.read(path))
        #expect(later.truth.map(\.reported) == node.truth.map(\.reported))
    }

    @Test("a memory file keeps devices that the node does not host, in case they return")
    func strangers() throws {
        var first = makeNode()
        #expect(try makeFile(of: first).store(flip(&first)))
        let memory = try NodeMemoryFile.read(path)
        let second = makeNode(memory, devices: 5, firstIndex: 100)
        _ = try makeFile(of: second, memory)
        try expectStored(first)
        try expectStored(second)
    }

    @Test("a memory file keeps the settings of devices that the node does not host")
    func settingsOfStrangers() throws {
        let first = makeNode()
        _ = try makeFile(of: first)
        var memory = try NodeMemoryFile.read(path)
        let device = try #require(first.truth.first?.device)
        var settings = DeviceSettings()
        settings.calibration = SensorCalibration(deciCelsius: 15, humidityPermille: -20)
        memory.setSettings(settings, of: device)
        _ = try makeFile(of: makeNode(memory, devices: 5, firstIndex: 100), memory)
        #expect(try NodeMemoryFile.read(path).settings(of: device) == settings)
    }

    @Test("a memory file is rewritten to stay within its bound, and always has the current state")
    func rewritten() throws {
        let stranger = makeNode(devices: 30, firstIndex: 5_000)
        _ = try makeFile(of: stranger)
        let memory = try NodeMemoryFile.read(path)
        // More than are written in one turn.
        var node = makeNode(memory, devices: MemoryRewriting.slotsPerTurn + 10)
        let file = try makeFile(of: node, memory)
        let ids = node.truth.map(\.device)
        var rewritings = 0
        for round in 0..<250 {
            let some = (0..<100).map { ids[(round * 100 + $0) % ids.count] }
            #expect(try file.store(flip(&node, some)))
            let wasRewriting = file.isRewriting
            if try !file.tidy(node), file.isRewriting {
                // Now the disk must have it.
                try #require(woken.wait(timeout: .now() + 10) == .success)
            }
            if wasRewriting, !file.isRewriting { rewritings += 1 }
            // Four times 46 bytes per device, and a batch in each turn of the rewriting.
            #expect(file.count < 430_000)
            guard wasRewriting || round.isMultiple(of: 25) else { continue }
            try expectStored(node)
            try expectStored(stranger)
        }
        #expect(rewritings >= 3)
        #expect(draftExists() == file.isRewriting)
    }

    @Test("a damaged memory file is refused with a reason and not changed")
    func damaged() throws {
        var node = makeNode()
        let file = try makeFile(of: node)
        for _ in 0..<3 { #expect(try file.store(flip(&node))) }
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: path))
        let error = #expect(throws: MemoryFileError.self) { try NodeMemoryFile.read(path) }
        #expect(error?.description.contains("\(path) cannot be used, and was not changed") == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }

    /// A node that has changed three times since its file was created, and the file's end before the last.
    private func changed() throws -> (node: Node, end: Int) {
        var node = makeNode()
        let file = try makeFile(of: node)
        for _ in 0..<2 { #expect(try file.store(flip(&node))) }
        let end = file.count
        #expect(try file.store(flip(&node)))
        return (node, end)
    }

    @Test("a memory file whose last batch is cut or changed is refused", arguments: [true, false])
    func lostEnd(isCut: Bool) throws {
        let (_, end) = try changed()
        var bytes = try Data(contentsOf: URL(filePath: path))
        let written = bytes.count
        if isCut { bytes.removeLast(5) } else { bytes[bytes.count - 5] ^= 4 }
        try bytes.write(to: URL(filePath: path))
        let error = #expect(throws: MemoryFileError.self) { try NodeMemoryFile.read(path) }
        #expect(error?.damage == .lostEnd(byte: UInt64(end), written: UInt64(written)))
        #expect(error?.description.contains(path) == true)
    }

    @Test("a memory file whose last batch is not in the witness is read completely")
    func longerThanRecorded() throws {
        let witness = URL(filePath: path + ".witness")
        var node = makeNode()
        let file = try makeFile(of: node)
        let before = try Data(contentsOf: witness)
        #expect(try file.store(flip(&node)))
        try before.write(to: witness)
        try expectStored(node)
    }

    /// A memory and its witness, each of one of two moments, or missing.
    struct Mixture: Sendable {
        let memory: String
        let witness: String?
        /// Whether the devices remember the memory of that moment; otherwise they begin new incarnations.
        let isRemembered: Bool
    }

    @Test(
        "a memory that is older than its witness, or without it, gives its devices new incarnations",
        arguments: [
            Mixture(memory: "B", witness: "B", isRemembered: true),
            Mixture(memory: "B", witness: "A", isRemembered: true),
            Mixture(memory: "A", witness: "B", isRemembered: false),
            Mixture(memory: "A", witness: nil, isRemembered: false),
            Mixture(memory: "B", witness: nil, isRemembered: false),
        ], [false, true])
    func mixtures(_ mixture: Mixture, isRewritten: Bool) throws {
        var node = makeNode()
        try FileManager.default.createDirectory(
            atPath: "\(disk.path)/kept", withIntermediateDirectories: false)
        func copy(_ moment: String) throws {
            for (name, suffix) in [("memory", ""), ("witness", ".witness")] {
                try FileManager.default.copyItem(
                    atPath: path + suffix, toPath: "\(disk.path)/kept/\(name)-\(moment)")
            }
        }
        do {
            let file = try makeFile(of: node)
            for _ in 0..<8 { #expect(try file.store(flip(&node))) }
            try copy("A")
            if !isRewritten { #expect(try file.store(flip(&node))) }
        }
        if isRewritten {
            // A start makes the file shorter than its former witness says.
            let memory = try NodeMemoryFile.read(path)
            node = makeNode(memory)
            #expect(try makeFile(of: node, memory).store(flip(&node)))
        }
        try copy("B")
        for suffix in ["", ".witness"] { try FileManager.default.removeItem(atPath: path + suffix) }
        try FileManager.default.copyItem(atPath: "\(disk.path)/kept/memory-\(mixture.memory)", toPath: path)
        if let witness = mixture.witness {
            try FileManager.default.copyItem(
                atPath: "\(disk.path)/kept/witness-\(witness)", toPath: path + ".witness")
        }
        var losses: [String] = []
        let memory = try NodeMemoryFile.read(path) { losses.append($0) }
        #expect(memory.deviceCount == (mixture.isRemembered ? 20 : 0))
        #expect(losses.count == (mixture.isRemembered ? 0 : 1))
        if mixture.isRemembered { try expectStored(node) }
        // Also after a death that leaves the former file with the next witness.
        let former = try Data(contentsOf: URL(filePath: path))
        let next = makeNode(memory)
        _ = try makeFile(of: next, memory)
        try expectStored(next)
        if !mixture.isRemembered {
            try former.write(to: URL(filePath: path))
            #expect(try NodeMemoryFile.read(path).deviceCount == 0)
        }
    }

    @Test("a memory without an origin needs no witness, and gets one with the next start")
    func former() throws {
        let (node, _) = try changed()
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var header = RecordWriter()
        for byte in bytes[..<8] { header.put(byte: byte) }
        header.put(UInt32(6))
        header.put(Checksum.of(header.bytes))
        try Data(header.bytes + bytes[32...]).write(to: URL(filePath: path))
        try FileManager.default.removeItem(atPath: path + ".witness")
        try expectStored(node)
        let memory = try NodeMemoryFile.read(path)
        _ = try makeFile(of: makeNode(memory), memory)
        try FileManager.default.removeItem(atPath: path + ".witness")
        #expect(try NodeMemoryFile.read(path).deviceCount == 0)
    }

    @Test("a memory of another fleet is refused by name, and keeps its fleet where none is known")
    func fleets() throws {
        let (ours, theirs) = (FleetName(bits: 1), FleetName(bits: 2))
        let node = makeNode()
        _ = try NodeMemoryFile(path, of: node, and: NodeMemory(), in: ours, isSynced: false, wake: {})
        for _ in 0..<2 {
            let memory = try NodeMemoryFile.read(path)
            _ = try makeFile(of: makeNode(memory), memory)
        }
        #expect(try NodeMemoryFile.read(path, of: ours).deviceCount == 20)
        let error = #expect(throws: MemoryFileError.self) { try NodeMemoryFile.read(path, of: theirs) }
        #expect(error?.path == path && error?.damage == .otherFleet)
    }

    @Test("a damaged witness of a memory is refused by name")
    func witness() throws {
        _ = try changed()
        let witness = path + ".witness"
        var bytes = try Data(contentsOf: URL(filePath: witness))
        bytes[20] ^= 1
        try bytes.write(to: URL(filePath: witness))
        let error = #expect(throws: MemoryFileError.self) { try NodeMemoryFile.read(path) }
        #expect(error?.path == witness)
    }

    @Test("a process detects that another one has claimed its memory, also over a replaced witness")
    func owner() throws {
        let runs = (1...2).map { NodeRun(host: "host-\($0)", bootID: BootID(bits: UInt64($0))) }
        let first = try MemoryOwner(claiming: path, for: runs[0])
        let node = makeNode()
        _ = try makeFile(of: node)
        for isByPath in [false, true] { try first.confirm(isByPath: isByPath) }
        let second = try MemoryOwner(claiming: path, for: runs[1])
        try second.confirm()
        #expect(try #require(throws: MemoryTaken.self) { try first.confirm() }.owner == runs[1])
        try expectStored(node)
        try FileManager.default.removeItem(atPath: path + ".witness")
        try MemoryOwner(claiming: path, for: runs[0]).confirm(isByPath: true)
        try second.confirm()
        #expect(throws: MemoryTaken.self) { try second.confirm(isByPath: true) }
    }

    @Test("on a full disk a batch is written completely or not at all", .enabled(if: SmallDisk.isAllowed))
    func fullDisk() throws {
        var node = makeNode(devices: 200)
        let file = try makeFile(of: node)
        try disk.fill()
        let before = node.truth
        let effects = flip(&node)
        #expect(try !file.store(effects))
        let count = file.count
        #expect(try Data(contentsOf: URL(filePath: path)).count == count)
        let memory = try NodeMemoryFile.read(path)
        #expect(before.allSatisfy { memory[$0.device]?.reported == $0.reported })
        #expect(try !file.store([]))
        #expect(file.count == count)
        try disk.clear()
        #expect(try file.store([]))
        try expectStored(node)
        #expect(try file.store([]))
        #expect(try file.store(flip(&node)))
        try expectStored(node)
    }

    @Test(
        "rewriting a memory file stops when the disk is full, and the old file continues",
        .enabled(if: SmallDisk.isAllowed))
    func noRoomToRewrite() throws {
        var node = makeNode(devices: 200)
        let file = try makeFile(of: node)
        while file.count < 40_000 { #expect(try file.store(flip(&node))) }
        try disk.fill()
        while try file.tidy(node) {}
        #expect(!file.isRewriting)
        #expect(!draftExists())
        try disk.clear()
        #expect(try file.store(flip(&node)))
        try expectStored(node)
    }

    @Test(
        "a memory file that cannot be rewritten at the start is an error, and stays",
        .enabled(if: SmallDisk.isAllowed))
    func noRoomAtStart() throws {
        let node = makeNode(devices: 400)
        _ = try makeFile(of: node)
        try disk.fill()
        #expect(throws: RuntimeError.system(operation: "write", path: path + ".new", errno: ENOSPC)) {
            try makeFile(of: node)
        }
        #expect(!draftExists())
        try expectStored(node)
    }
}
