import FleetProtocol
import Testing

@testable import DeviceCore

/// A node with random events of a seed, and the bytes of its memory file.
struct MemoryBench {
    /// A place in the file at which a frame ends, and the devices' memories when it was written.
    struct Mark {
        let end: Int
        let memories: [DeviceID: DeviceMemory]
    }

    private(set) var node: Node
    private(set) var file = MemoryWriter.header()
    /// One for each frame, if recorded.
    private(set) var marks: [Mark] = []
    /// The entries since the file was last rewritten.
    private(set) var entries: [MemoryEntry] = []
    private let makesMarks: Bool
    private var now = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
    private var generator: SeededGenerator
    private var effects: [Node.Effect] = []
    private var writer = MemoryWriter()

    init(seed: UInt64, devices: Int = 8, makesMarks: Bool = false) {
        self.makesMarks = makesMarks
        generator = SeededGenerator(seed: seed)
        let configuration = Self.configuration(devices: devices)
        node = Node(
            configuration, bootID: BootID(bits: 1), incarnations: SeededGenerator(seed: seed &+ 1), at: now)
        node.putMemories(of: 0..<devices, into: &writer)
        write()
    }

    static func configuration(devices: Int, firstIndex: UInt64 = 0) -> NodeConfiguration {
        .sample(scenario, devices: devices, firstIndex: firstIndex)
    }

    /// People, Wi-Fi drops, infrared losses, and remotes of both kinds.
    private static let scenario = {
        var scenario = Scenario.lively
        scenario.infrared.loss = 0.3
        scenario.population = Scenario.Population(groups: [Scenario.Group(), Scenario.Group(remote: .toggle)])
        return scenario
    }()

    /// The memory of every device of the node.
    var memories: [DeviceID: DeviceMemory] {
        Dictionary(uniqueKeysWithValues: zip(node.devices.ids, node.memories))
    }

    /// The states of air conditioners that differ from their devices' assumed states.
    var strays: [DeviceID: ACState] {
        let strays = node.devices.ids.indices.compactMap { slot in
            node.airConditioners.stray(of: slot).map { (node.devices.ids[slot], $0) }
        }
        return Dictionary(uniqueKeysWithValues: strays)
    }

    /// The memories in the bytes of a file, read in pieces of that many bytes.
    static func replayed(
        _ bytes: some Collection<UInt8>, pieces: Int = .max
    ) throws -> (memories: [DeviceID: DeviceMemory], end: Int) {
        var replay = MemoryReplay()
        var rest = ArraySlice(bytes)
        while !rest.isEmpty {
            try replay.append(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
        }
        let end = try replay.finish()
        return (Dictionary(uniqueKeysWithValues: replay.memory.devices.map { ($0.0, $0.1) }), end)
    }

    /// Causes a random event.
    mutating func step() {
        now = now.advanced(by: .milliseconds(Int.random(in: 0...400, using: &generator)))
        effects.removeAll()
        node.step(input(), at: now, into: &effects)
        for case .remember(let entry) in effects {
            writer.put(entry)
            entries.append(entry)
        }
        write()
    }

    /// Ends the process and starts it again from its file; sometimes the file is rewritten.
    mutating func restart() throws {
        var replay = MemoryReplay()
        try replay.append(file[...])
        _ = try replay.finish()
        node = Node(
            node.configuration, bootID: BootID(bits: generator.next()), memory: replay.memory,
            incarnations: SeededGenerator(seed: generator.next()), at: now)
        guard Bool.random(using: &generator) else { return }
        (file, marks, entries) = (MemoryWriter.header(), [], [])
        node.putMemories(of: 0..<node.deviceCount, into: &writer)
        write()
    }

    private mutating func write() {
        writer.endFrame()
        guard !writer.bytes.isEmpty else { return }
        file += writer.bytes
        writer.removeAll()
        if makesMarks { marks.append(Mark(end: file.count, memories: memories)) }
    }

    private mutating func input() -> Node.Input {
        let slot = Int.random(in: node.devices.ids.indices, using: &generator)
        let memory = node.devices[slot].memory
        let epoch = Epoch(memory.epoch.value + UInt64.random(in: 0...20, using: &generator) / 19)
        let isStranger = Int.random(in: 0..<20, using: &generator) == 0
        let identity = CommandIdentity(
            device: node.devices.ids[slot],
            incarnation: isStranger ? Incarnation(bits: 1) : memory.incarnation,
            commandNumber: CommandNumber(
                memory.lastCommandNumber.value + UInt64.random(in: 0...1, using: &generator)),
            requestID: RequestID(high: 7, low: UInt64.random(in: 0...3, using: &generator)))
        let body: ControllerMessage.Body
        switch Int.random(in: 0..<20, using: &generator) {
        case 0...8: body = .command(command(identity, of: memory))
        case 9...11: body = .abort(identity)
        case 12: body = .fault(fault(), devices: [identity.device], duration: .seconds(1))
        default: return .turn
        }
        return .controller(ControllerMessage(epoch: epoch, body: body))
    }

    private mutating func command(_ identity: CommandIdentity, of memory: DeviceMemory) -> DeviceCommand {
        let changes = [
            ACStateChange(isOn: !memory.state.isOn), ACStateChange(isOn: memory.state.isOn),
            ACStateChange(targetTemperature: 99), ACStateChange(mode: .fan, fanLevel: .low),
        ]
        let base = Bool.random(using: &generator) ? memory.version : nil
        return DeviceCommand(
            identity: identity, change: changes[Int.random(in: 0..<4, using: &generator)],
            base: Int.random(in: 0..<8, using: &generator) == 0 ? Version(99_999) : base,
            timeToLive: .milliseconds(Int.random(in: 0...1_000, using: &generator)))
    }

    private mutating func fault() -> Fault {
        Fault.allCases[Int.random(in: Fault.allCases.indices, using: &generator)]
    }
}

extension Node {
    /// The memories of all devices by slot, including those of retired devices.
    var memories: [DeviceMemory] { devices.ids.indices.map { devices[$0].memory } }
}
