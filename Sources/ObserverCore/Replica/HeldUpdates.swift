import FleetProtocol
import Stepping

/// What the stream told of devices whose row a snapshot has yet to bring, so that nothing is lost and
/// nothing goes back.
struct HeldUpdates: Sendable {
    /// What is known of one device.
    struct Entry: Sendable {
        var reported: (state: DeviceState, cause: ChangeCause, asOf: WallTime, at: StreamPosition)?
        var connection: (isConnected: Bool, since: WallTime, at: StreamPosition)?
        var removedAt: StreamPosition?
    }

    /// How many devices are held for at most; beyond, the snapshot is taken anew.
    static let limit = Limits.nodeDevices

    private(set) var entries: [DeviceID: Entry] = [:]

    /// Whether no further device can be held for.
    var isFull: Bool { entries.count >= Self.limit }

    subscript(device: DeviceID) -> Entry? { entries[device] }

    /// Changes what is held for a device.
    mutating func update(_ device: DeviceID, _ change: (inout Entry) -> Void) {
        change(&entries[device, default: Entry()])
    }

    /// Forgets one device.
    mutating func forget(_ device: DeviceID) {
        // Even to find nothing takes a hash; while a snapshot comes in there is nearly always nothing.
        if !entries.isEmpty { entries[device] = nil }
    }

    /// Forgets everything.
    mutating func removeAll() {
        entries.removeAll()
    }
}
