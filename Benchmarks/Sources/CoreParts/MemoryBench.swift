import DeviceCore
import FleetProtocol

/// Entries of device memory, encoded and decoded without a file.
enum MemoryBench {
    /// The number of entries in one batch, as after one turn of a busy node.
    private static let batch = 100

    static func entries(_ count: Int, measuring measure: (() throws -> Void) throws -> Void) throws {
        let entries = try used()
        var writer = MemoryWriter()
        try measure {
            for _ in 0..<count / batch {
                for entry in entries { writer.put(entry) }
                writer.endFrame()
                guard writer.bytes.count > batch * 60 else { throw BenchFailure.noReply }
                writer.removeAll()
            }
        }
    }

    static func replay(_ count: Int, measuring measure: (() throws -> Void) throws -> Void) throws {
        let entries = try used()
        var writer = MemoryWriter()
        for _ in 0..<count / batch {
            for entry in entries { writer.put(entry) }
            writer.endFrame()
        }
        let bytes = MemoryWriter.header() + writer.bytes
        try measure {
            var replay = MemoryReplay()
            try replay.append(bytes[...])
            guard try replay.finish() == bytes.count else { throw BenchFailure.noReply }
        }
    }

    /// Returns the memory entries of commands, one for each device of a node.
    private static func used() throws -> [MemoryEntry] {
        guard let name = NodeName("node-1"), let account = AccountID("demo") else { throw BenchFailure.setUp }
        let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
        var node = Node(
            NodeConfiguration(name: name, account: account, devices: batch), bootID: BootID(bits: 1),
            incarnations: SeededGenerator(seed: 1), at: start)
        var effects: [Node.Effect] = []
        for row in node.truth {
            let identity = CommandIdentity(
                device: row.device, incarnation: row.reported.incarnation, commandNumber: CommandNumber(1),
                requestID: RequestID(high: 1, low: 1))
            let command = DeviceCommand(
                identity: identity, change: ACStateChange(isOn: !row.reported.state.isOn), base: nil,
                timeToLive: .seconds(5))
            let message = ControllerMessage(epoch: Epoch(1), body: .command(command))
            node.step(.controller(message), at: start, into: &effects)
        }
        return effects.compactMap { if case .remember(let entry) = $0 { entry } else { nil } }
    }
}
