import DeviceCore
import FleetProtocol
import Foundation

/// What the devices really did: everything that their memories have said, over all lives of their nodes.
///
/// A node writes its file anew when it starts, so each file is read when its node has died and before it is
/// started again.
struct DeviceLog: Sendable {
    /// By device, in order.
    private(set) var entries: [DeviceID: [MemoryEntry]] = [:]
    /// What each device remembered at the end of its node's last life.
    private(set) var memories: [DeviceID: DeviceMemory] = [:]
    /// The bytes of each file when it was last read.
    private var files: [String: [UInt8]] = [:]

    /// Takes the life of a node that has ended; nothing when it has no memory.
    mutating func take(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        // A node that was killed before it wrote its file anew has done nothing in its last life.
        guard files.updateValue(bytes, forKey: path) != bytes else { return }
        var replay = MemoryReplay()
        try replay.take(bytes[...]) { entries[$0.device, default: []].append($0) }
        _ = try replay.finish()
        for (device, memory) in replay.memory.devices { memories[device] = memory }
    }

    /// Puts in what a device did.
    mutating func append(_ entry: MemoryEntry) {
        entries[entry.device, default: []].append(entry)
    }
}
