import FleetProtocol

@testable import DeviceCore

/// Settings of devices.
extension NodeBench {
    /// A settings command for the device of slot 0, based on its current version.
    func command(
        _ setting: SettingChange, number: UInt64 = 1, base: Version? = nil
    ) -> ControllerMessage.Body {
        let row = node.truth[0]
        return .configure(
            DeviceCommand(
                identity: CommandIdentity(
                    device: row.device, incarnation: row.reported.incarnation,
                    commandNumber: CommandNumber(number), requestID: RequestID(high: 0, low: number)),
                change: ACStateChange(), base: base, timeToLive: .seconds(5)), setting)
    }

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
