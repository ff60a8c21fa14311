import FleetProtocol

@testable import DeviceCore

/// Settings of devices.
extension NodeBench {
    /// The effects of a settings command.
    @discardableResult
    mutating func set(
        _ setting: SettingChange, of slot: Int = 0, number: UInt64 = 1, base: Version? = nil
    ) -> [Node.Effect] {
        send(.configure(command(ACStateChange(), of: slot, number: number, base: base), setting))
    }

    /// The settings of the first device.
    var settings: DeviceSettings? { node.truth[0].settings }

    /// The contents of the node's memory file after those effects.
    func memory(and effects: [Node.Effect] = []) throws -> NodeMemory {
        var writer = MemoryWriter()
        node.putMemories(of: 0..<node.deviceCount, into: &writer)
        for case .remember(let entry) in effects { writer.put(entry) }
        writer.endFrame()
        var replay = MemoryReplay()
        try replay.append((MemoryWriter.header() + writer.bytes)[...])
        _ = try replay.finish()
        return replay.memory
    }
}
