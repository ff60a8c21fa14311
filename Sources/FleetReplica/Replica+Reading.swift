public import FleetProtocol
import Stepping

extension Replica {
    /// Whether everything is known, up to the newest update.
    public var isWhole: Bool { cause == nil }

    /// Why what is shown may be out of date; nil when it is not.
    public var staleness: Staleness? { cause }

    /// How many devices there are.
    public var deviceCount: Int { devices.count }

    /// How many devices are online: their node is, and they say that they are connected.
    public var onlineCount: Int {
        nodes.nodes.reduce(0) { $0 + ($1.presence.kind == .online ? $1.connected : 0) }
    }

    /// How many updates it knows of without having them, or something before them.
    public var behind: UInt64 {
        guard !isWhole else { return 0 }
        let from = wholeTo.epoch == epoch ? wholeTo.sequence.value : 0
        return continuity.newest.value - min(from, continuity.newest.value)
    }

    /// Another whenever any row or node may be another.
    package var changeCount: UInt64 { updateCount &+ pullNumber &+ snapshotCount }

    /// The newest place in the stream that it knows of.
    public var position: StreamPosition { StreamPosition(epoch: epoch, sequence: continuity.newest) }

    /// One device's row; nil when there is no such device.
    public func row(of device: DeviceID) -> ReplicaRow? {
        devices.place(of: device).map { devices[$0] }
    }

    /// One device's presence: its node's joined with its own; nil when there is no such device.
    public func presence(of device: DeviceID) -> Presence? {
        row(of: device).map { nodes[$0.node].presence(of: $0) }
    }

    /// The node a row is in.
    public func node(of row: ReplicaRow) -> ReplicaNode { nodes[row.node] }

    /// The group a row is in; nil where nobody said which.
    public func group(of row: ReplicaRow) -> DeviceGroup? { groups[row.group] }

    /// What a device is set to do by itself; nil where that is nothing.
    public func settings(of device: DeviceID) -> DeviceSettings? { settings[device] }

    /// Every row, in the order of the controller's slots.
    public func forEachRow(_ body: (ReplicaRow) -> Void) {
        for row in devices.rows where !row.isGone { body(row) }
    }

    /// The first row of which something holds, in the order of the controller's slots; nil where there is
    /// none.
    public func firstRow(where holds: (ReplicaRow) -> Bool) -> ReplicaRow? {
        devices.rows.first { !$0.isGone && holds($0) }
    }

    /// Every row of one node, in the order of the controller's slots.
    public func forEachRow(ofNode name: NodeName, _ body: (ReplicaRow) -> Void) {
        for row in devices.rows where !row.isGone && nodes[row.node].name == name { body(row) }
    }

    /// A device as events name it: id, name and node.
    public func named(_ device: DeviceID) -> FleetEvent.Device {
        guard let row = row(of: device) else { return FleetEvent.Device(id: device, name: nil, node: nil) }
        return named(row)
    }

    /// A row's device as events name it.
    public func named(_ row: ReplicaRow) -> FleetEvent.Device {
        FleetEvent.Device(id: row.device, name: row.name, node: nodes[row.node].name)
    }
}
