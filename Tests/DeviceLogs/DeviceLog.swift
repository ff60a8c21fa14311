import DeviceCore
package import FleetProtocol
import Foundation

/// The entries of devices' memories, over all processes of their nodes.
///
/// A node rewrites its file when it starts, so each file is read when its node has ended and before the next
/// starts. The types of `DeviceCore` stay inside this module, so that a change of them compiles no test that
/// imports it.
package struct DeviceLog: Sendable {
    /// The event of a device.
    package struct Entry: Hashable, Sendable {
        /// The command that used a command number, and the device's verdict.
        package struct Used: Hashable, Sendable {
            package let commandNumber: CommandNumber
            package let requestID: RequestID
            package let verdict: Verdict

            package init(commandNumber: CommandNumber, requestID: RequestID, verdict: Verdict) {
                (self.commandNumber, self.requestID) = (commandNumber, requestID)
                self.verdict = verdict
            }
        }

        package let device: DeviceID
        /// The state after the event.
        package let reported: DeviceState
        /// The highest epoch of a controller that the device has seen.
        package let epoch: Epoch
        /// Nil for an event that is no command.
        package let used: Used?

        package init(device: DeviceID, reported: DeviceState, epoch: Epoch, used: Used?) {
            (self.device, self.reported, self.epoch, self.used) = (device, reported, epoch, used)
        }
    }

    /// By device, in order.
    package private(set) var entries: [DeviceID: [Entry]] = [:]
    /// The state of each device at the end of its node's last process.
    package private(set) var states: [DeviceID: DeviceState] = [:]
    /// The bytes of each file when it was last read.
    private var files: [String: [UInt8]] = [:]

    package init() {}

    /// Reads the memory of a node that has ended; does nothing without one.
    package mutating func read(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        // A node that was killed before it rewrote its file has done nothing in its last process.
        guard files.updateValue(bytes, forKey: path) != bytes else { return }
        var replay = MemoryReplay()
        try replay.append(bytes[...]) { append(Entry($0)) }
        _ = try replay.finish()
        for (device, memory) in replay.memory.devices { states[device] = memory.reported }
    }

    /// Adds an entry.
    package mutating func append(_ entry: Entry) {
        entries[entry.device, default: []].append(entry)
    }
}

extension DeviceLog.Entry {
    fileprivate init(_ entry: MemoryEntry) {
        device = entry.device
        reported = entry.reported
        epoch = entry.epoch
        used = entry.used.map {
            Used(commandNumber: $0.commandNumber, requestID: $0.requestID, verdict: $0.verdict)
        }
    }
}
