public import FleetProtocol
public import UserText

extension Replica {
    /// Whether the replica is complete, up to the newest update.
    public var isWhole: Bool { staleness == nil }

    /// The controller's start number; zero before the first message.
    public var epoch: Epoch { stream.epoch }

    /// Whether no message was received for ``Limits/staleAfter``.
    package var isSilent: Bool { stream.isSilent }

    package var devices: DeviceTable { _read { yield tables.devices } }

    /// The number of devices.
    public var deviceCount: Int { devices.count }

    /// The number of online devices: their node is online, and they report a connection.
    public var onlineCount: Int {
        tables.nodes.nodes.reduce(0) { $0 + ($1.presence.kind == .online ? $1.connected : 0) }
    }

    /// A number that changes whenever a row or node may have changed.
    package var changeCount: UInt64 { updateCount &+ snapshot.pullNumber &+ snapshotCount }

    /// The newest position in the stream that is known.
    public var position: StreamPosition { stream.position }

    /// Returns a device's row; nil for an unknown device.
    public func row(of device: DeviceID) -> ReplicaRow? { tables.row(of: device) }

    /// Returns a device's presence, joined of its node's and its own; nil for an unknown device.
    public func presence(of device: DeviceID) -> Presence? {
        row(of: device).map { tables.nodes[$0.node].presence(of: $0) }
    }

    /// Returns the node of a row.
    public func node(of row: ReplicaRow) -> ReplicaNode { tables.nodes[row.node] }

    /// Returns the group of a row; nil for an unknown group.
    public func group(of row: ReplicaRow) -> DeviceGroup? { tables.groups[row.group] }

    /// Returns the settings of a device; nil for none.
    public func settings(of device: DeviceID) -> DeviceSettings? { tables.settings[device] }

    /// Calls a function with each row, in the order of the controller's slots.
    public func forEachRow(_ body: (ReplicaRow) -> Void) {
        for row in devices.rows where !row.isRemoved { body(row) }
    }

    /// Returns the first row that satisfies a condition, in the order of the controller's slots; nil if no
    /// row does.
    public func firstRow(where holds: (ReplicaRow) -> Bool) -> ReplicaRow? {
        devices.rows.first { !$0.isRemoved && holds($0) }
    }

    /// Calls a function with each row of a node, in the order of the controller's slots.
    public func forEachRow(ofNode name: NodeName, _ body: (ReplicaRow) -> Void) {
        for row in devices.rows where !row.isRemoved && tables.nodes[row.node].name == name { body(row) }
    }

    /// Returns a device as events name it: ID, name and node.
    public func named(_ device: DeviceID) -> FleetEvent.Device { tables.named(device) }

    /// Returns a row's device as events name it.
    public func named(_ row: ReplicaRow) -> FleetEvent.Device { tables.named(row) }
}

extension ListedDevice {
    /// The device of a row.
    public init(_ row: ReplicaRow, of replica: Replica) {
        let node = replica.node(of: row)
        self.init(
            id: row.device, name: row.name, reported: row.reported, presence: node.presence(of: row),
            asOf: row.asOf, group: replica.group(of: row), node: node.name, measured: row.measured,
            cause: row.cause, settings: replica.settings(of: row.device))
    }
}
