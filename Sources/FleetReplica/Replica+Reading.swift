public import FleetProtocol
import FleetTime

extension Replica {
    /// Whether the copy is complete, up to the newest update.
    public var isWhole: Bool { cause == nil }

    /// Why the copy may be out of date; nil when it is not.
    public var staleness: Staleness? { cause }

    /// The number of devices.
    public var deviceCount: Int { devices.count }

    /// The number of online devices: their node is online, and they report a connection.
    public var onlineCount: Int {
        nodes.nodes.reduce(0) { $0 + ($1.presence.kind == .online ? $1.connected : 0) }
    }

    /// The number of updates that are missing, or that follow a missing one.
    public var behind: UInt64 {
        guard !isWhole else { return 0 }
        let from = wholeTo.epoch == epoch ? wholeTo.sequence.value : 0
        return continuity.newest.value - min(from, continuity.newest.value)
    }

    /// A number that changes whenever a row or node may have changed.
    package var changeCount: UInt64 { updateCount &+ pullNumber &+ snapshotCount }

    /// The newest position in the stream that is known.
    public var position: StreamPosition { StreamPosition(epoch: epoch, sequence: continuity.newest) }

    /// Returns a device's row; nil for an unknown device.
    public func row(of device: DeviceID) -> ReplicaRow? {
        devices.place(of: device).map { devices[$0] }
    }

    /// Returns a device's presence, joined of its node's and its own; nil for an unknown device.
    public func presence(of device: DeviceID) -> Presence? {
        row(of: device).map { nodes[$0.node].presence(of: $0) }
    }

    /// Returns the node of a row.
    public func node(of row: ReplicaRow) -> ReplicaNode { nodes[row.node] }

    /// Returns the group of a row; nil for an unknown group.
    public func group(of row: ReplicaRow) -> DeviceGroup? { groups[row.group] }

    /// Returns the settings of a device; nil for none.
    public func settings(of device: DeviceID) -> DeviceSettings? { settings[device] }

    /// Calls a function with each row, in the order of the controller's slots.
    public func forEachRow(_ body: (ReplicaRow) -> Void) {
        for row in devices.rows where !row.isGone { body(row) }
    }

    /// Returns the first row that satisfies a condition, in the order of the controller's slots; nil if no
    /// row does.
    public func firstRow(where holds: (ReplicaRow) -> Bool) -> ReplicaRow? {
        devices.rows.first { !$0.isGone && holds($0) }
    }

    /// Calls a function with each row of a node, in the order of the controller's slots.
    public func forEachRow(ofNode name: NodeName, _ body: (ReplicaRow) -> Void) {
        for row in devices.rows where !row.isGone && nodes[row.node].name == name { body(row) }
    }

    /// Returns a device as events name it: ID, name and node.
    public func named(_ device: DeviceID) -> FleetEvent.Device {
        guard let row = row(of: device) else { return FleetEvent.Device(id: device, name: nil, node: nil) }
        return named(row)
    }

    /// Returns a row's device as events name it.
    public func named(_ row: ReplicaRow) -> FleetEvent.Device {
        FleetEvent.Device(id: row.device, name: row.name, node: nodes[row.node].name)
    }
}
