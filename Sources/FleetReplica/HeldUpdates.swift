import FleetProtocol

/// Updates held for devices whose row has not arrived with a snapshot yet, to prevent lost updates and
/// regressions.
struct HeldUpdates: Sendable {
    /// The held updates of one device.
    struct Entry: Sendable {
        var reported: (state: DeviceState, cause: ChangeCause, asOf: WallTime, at: StreamPosition)?
        var connection: (isConnected: Bool, since: WallTime, at: StreamPosition)?
        var removedAt: StreamPosition?
    }

    /// The maximum number of devices with held updates, at which the replica repeats the snapshot.
    static let limit = Limits.nodeDevices

    private(set) var entries: [DeviceID: Entry] = [:]

    /// Whether the limit of devices is reached.
    var isFull: Bool { entries.count >= Self.limit }

    subscript(device: DeviceID) -> Entry? { entries[device] }

    /// Changes the held updates of a device.
    mutating func update(_ device: DeviceID, _ change: (inout Entry) -> Void) {
        change(&entries[device, default: Entry()])
    }

    /// Removes the held updates of one device.
    mutating func remove(_ device: DeviceID) {
        // Skips the hash of a lookup while the table is empty, which is nearly always so during a snapshot.
        if !entries.isEmpty { entries[device] = nil }
    }

    /// Removes all held updates.
    mutating func removeAll() { entries.removeAll() }
}
