import DeviceCore
import FleetProtocol
import Foundation

/// What the devices really did: the entries of their memories, over all processes of their nodes.
///
/// A node rewrites its file when it starts, so each file is read when its node has ended and before the next
/// starts.
struct DeviceLog: Sendable {
    /// By device, in order.
    private(set) var entries: [DeviceID: [MemoryEntry]] = [:]
    /// The memory of each device at the end of its node's last process.
    private(set) var memories: [DeviceID: DeviceMemory] = [:]
    /// The bytes of each file when it was last read.
    private var files: [String: [UInt8]] = [:]

    /// Reads the memory of a node that has ended; does nothing without one.
    mutating func read(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        // A node that was killed before it rewrote its file has done nothing in its last process.
        guard files.updateValue(bytes, forKey: path) != bytes else { return }
        var replay = MemoryReplay()
        try replay.append(bytes[...]) { entries[$0.device, default: []].append($0) }
        _ = try replay.finish()
        for (device, memory) in replay.memory.devices { memories[device] = memory }
    }

    /// Adds what a device did.
    mutating func append(_ entry: MemoryEntry) {
        entries[entry.device, default: []].append(entry)
    }
}
