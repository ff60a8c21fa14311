import FleetProtocol

/// The tables of a replica: devices, nodes, groups and settings. Each part of a row has the position in the
/// stream that last wrote it, and older messages do not overwrite it.
struct ReplicaTables: Sendable {
    private(set) var devices = DeviceTable()
    private(set) var nodes = NodeTable()
    private(set) var groups = GroupTable()
    private(set) var settings = SettingsTable()
    private var held = HeldUpdates()
    /// The number of rows that snapshots have added since the last complete one.
    private var unconfirmed = 0
    private let planted: Planting

    init(planted: Planting) { self.planted = planted }

    func row(of device: DeviceID) -> ReplicaRow? { devices.place(of: device).map { devices[$0] } }

    func named(_ device: DeviceID) -> FleetEvent.Device {
        row(of: device).map(named(_:)) ?? FleetEvent.Device(id: device, name: nil, node: nil)
    }

    func named(_ row: ReplicaRow) -> FleetEvent.Device {
        FleetEvent.Device(id: row.device, name: row.name, node: nodes[row.node].name)
    }

    /// Forgets the controller's numbers and the held updates, because another epoch begins.
    mutating func enterEpoch() {
        nodes.clearIndices()
        groups.clearNumbers()
        held.removeAll()
    }

    /// Resets all positions to zero, because they belong to a controller whose store was replaced.
    mutating func resetPositions() {
        for place in devices.rows.indices { devices[place].written = ReplicaRow.Positions(all: .zero) }
        for place in nodes.nodes.indices { nodes[place].presenceAt = .zero }
        settings.resetPositions()
    }

    /// Removes all rows and nodes if incomplete snapshots have added more rows than the next one announces.
    mutating func removeUnconfirmed(above count: Int) {
        guard unconfirmed > count else { return }
        unconfirmed = 0
        devices.removeAll()
        (nodes, settings) = (NodeTable(), SettingsTable())
    }

    /// Holds an update of a device whose row has not arrived yet; drops it if the table is full.
    mutating func hold(_ device: DeviceID, _ change: (inout HeldUpdates.Entry) -> Void) {
        guard !held.isFull || held[device] != nil else { return }
        held.update(device, change)
    }

    mutating func write(_ group: SnapshotChunk.Group) { groups.write(group) }

    mutating func write(_ unwritten: Replica.UnwrittenChunk, into effects: inout [Replica.Effect]) {
        let (chunk, position, receivedAt) = (unwritten.chunk, unwritten.position, unwritten.receivedAt)
        for node in chunk.nodes {
            write(node, devices: nil, from: position, eventAt: receivedAt, into: &effects)
        }
        for group in chunk.groups { groups.write(group) }
        if chunk.deviceCount > 0 { devices.reserve(Int(chunk.deviceCount)) }
        write(
            chunk.rows, from: position,
            mention: ReplicaRow.Mention(round: unwritten.round, order: unwritten.mentioned),
            eventAt: receivedAt, into: &effects)
    }

    /// Removes the rows that a complete snapshot does not have, and sorts the others in its order. Returns
    /// false if updates may have been lost because the table was full.
    mutating func complete(
        round: UInt32, from start: StreamPosition, at now: WallTime, into effects: inout [Replica.Effect]
    ) -> Bool {
        var isSorted = true
        var lastOrder: UInt32 = 0
        var removed: [Int] = []
        // Speed: see performance.md, "references".
        for place in devices.rows.indices where !devices.rows[place].isRemoved {
            let mention = devices.rows[place].mention
            if mention.round == round {
                isSorted = isSorted && mention.order >= lastOrder
                lastOrder = mention.order
            } else if devices.rows[place].written.newest > start {
                devices[place].mention.order = .max
                lastOrder = .max
            } else {
                removed.append(place)
            }
        }
        for row in removed.map({ devices[$0] }) {
            effects.append(.event(FleetEvent(at: now, .removed(named(row)))))
            if let place = devices.place(of: row.device) { drop(place) }
        }
        if !isSorted { devices.sortBySlot() }
        unconfirmed = 0
        let isComplete = !held.isFull
        held.removeAll()
        if isComplete { settings.dropEmpty() }
        return isComplete
    }

    mutating func write(
        _ state: DeviceState, by cause: ChangeCause, asOf: WallTime, to place: Int,
        from position: StreamPosition, isRepair: Bool, eventAt: WallTime, into effects: inout [Replica.Effect]
    ) {
        guard position >= devices[place].written.reported || planted(.olderRowWins) else { return }
        devices[place].written.reported = position
        devices[place].asOf = asOf
        let old = devices[place].reported
        guard old != state else { return }
        let isNextVersion = old.incarnation == state.incarnation && old.version.next == state.version
        devices[place].before = isNextVersion ? old.state : nil
        devices[place].reported = state
        devices[place].cause = cause
        let reported = FleetEvent.Reported(
            device: named(devices[place]), state: state, cause: cause, isRepair: isRepair)
        effects.append(.event(FleetEvent(at: eventAt, .reported(reported))))
    }

    mutating func write(
        isConnected: Bool, since: WallTime, to place: Int, from position: StreamPosition, eventAt: WallTime,
        into effects: inout [Replica.Effect]
    ) {
        guard position >= devices[place].written.connection else { return }
        let old = nodes[devices[place].node].presence(of: devices[place])
        devices[place].written.connection = position
        devices[place].connectedSince = since
        guard devices[place].isConnected != isConnected else { return }
        devices[place].isConnected = isConnected
        nodes[devices[place].node].connected += isConnected ? 1 : -1
        let row = devices[place]
        let presence = nodes[row.node].presence(of: row)
        // While its node is offline, the device's presence does not change.
        guard presence.kind != old.kind else { return }
        effects.append(.event(FleetEvent(at: eventAt, .presence(named(row), presence))))
    }

    mutating func write(_ measured: SnapshotChunk.Measured, to place: Int, from position: StreamPosition) {
        guard position >= devices[place].written.measured else { return }
        devices[place].written.measured = position
        devices[place].measured = measured
    }

    /// Writes the automatic settings of a device; nil for none.
    mutating func write(
        _ new: DeviceSettings?, of device: DeviceID, from position: StreamPosition, eventAt: WallTime,
        into effects: inout [Replica.Effect]
    ) {
        guard settings.write(new, of: device, from: position), let row = row(of: device) else { return }
        let reported = new ?? DeviceSettings()
        effects.append(.event(FleetEvent(at: eventAt, .settings(named(row), reported))))
    }

    /// Writes a node's presence: one update for all its devices.
    mutating func write(
        _ node: SnapshotChunk.Node, devices count: Int?, from position: StreamPosition, eventAt: WallTime,
        into effects: inout [Replica.Effect]
    ) {
        let place = nodes.place(of: node)
        let isNew = nodes[place].presenceAt == .zero
        guard position >= nodes[place].presenceAt else { return }
        nodes[place].presenceAt = position
        let old = nodes[place].presence
        nodes[place].presence = node.presence
        let isReported = count != nil || !isNew
        guard isReported, isNew || old.kind != node.presence.kind else { return }
        let change = FleetEvent.NodeChange(
            node: node.name, presence: node.presence, devices: count ?? nodes[place].devices)
        effects.append(.event(FleetEvent(at: eventAt, .node(change))))
    }

    /// Writes consecutive rows of a snapshot, the first of which has the given order in it.
    mutating func write(
        _ rows: [SnapshotChunk.Row], from position: StreamPosition, mention: ReplicaRow.Mention,
        eventAt: WallTime, into effects: inout [Replica.Effect]
    ) {
        // Speed: see performance.md, "lookups".
        let places = rows.indices.map { devices.place(of: rows[$0].device) }
        var mention = mention
        for (index, place) in places.enumerated() {
            write(
                rows[index], inPlace: place, from: position, mention: mention, eventAt: eventAt,
                into: &effects)
            mention.order += 1
        }
    }

    mutating func write(
        _ new: SnapshotChunk.Row, from position: StreamPosition, eventAt: WallTime,
        into effects: inout [Replica.Effect]
    ) {
        write(
            new, inPlace: devices.place(of: new.device), from: position, mention: nil, eventAt: eventAt,
            into: &effects)
    }

    /// Writes a whole row, to its place if that was just looked up; an update of the stream mentions no
    /// order.
    private mutating func write(
        _ new: SnapshotChunk.Row, inPlace place: Int?, from position: StreamPosition,
        mention: ReplicaRow.Mention?, eventAt: WallTime, into effects: inout [Replica.Effect]
    ) {
        let entry = held[new.device]
        if let removedAt = entry?.removedAt, removedAt >= position { return }
        let node = nodes.place(of: new.node, at: eventAt)
        write(new.settings, of: new.device, from: position, eventAt: eventAt, into: &effects)
        let known = place.flatMap { devices.place(of: new.device, expectedAt: $0) }
        guard let place = known ?? insert(new, node: node, from: position, mention: mention, held: entry)
        else { return }
        if let mention { devices[place].mention = mention }
        if position >= devices[place].written.place {
            devices[place].written.place = position
            move(place, to: node)
            devices[place].group = groups.place(of: new.group)
            if devices[place].name != new.name {
                devices[place].name = new.name
                devices.recordRename()
            }
        }
        write(
            new.reported, by: new.cause, asOf: new.asOf, to: place, from: position, isRepair: mention != nil,
            eventAt: eventAt, into: &effects)
        write(
            isConnected: new.isConnected, since: new.connectedSince, to: place, from: position,
            eventAt: eventAt, into: &effects)
        if let measured = new.measured { write(measured, to: place, from: position) }
    }

    mutating func drop(_ place: Int) {
        let row = devices[place]
        nodes[row.node].devices -= 1
        nodes[row.node].connected -= row.isConnected ? 1 : 0
        settings.remove(row.device)
        devices.remove(at: place)
    }

    /// Adds a row unless its device has one; returns the place of the existing row, nil if the row was added.
    private mutating func insert(
        _ new: SnapshotChunk.Row, node: Int, from position: StreamPosition, mention: ReplicaRow.Mention?,
        held entry: HeldUpdates.Entry?
    ) -> Int? {
        guard !devices.isFull else { return nil }
        var row = ReplicaRow(
            device: new.device, name: new.name, reported: new.reported, before: nil,
            isConnected: new.isConnected, connectedSince: new.connectedSince, asOf: new.asOf,
            measured: new.measured, node: node, written: ReplicaRow.Positions(all: position),
            mention: mention ?? ReplicaRow.Mention(round: 0, order: .max))
        row.group = groups.place(of: new.group)
        row.cause = new.cause
        if let reported = entry?.reported, reported.at > position {
            (row.reported, row.cause) = (reported.state, reported.cause)
            (row.asOf, row.written.reported) = (reported.asOf, reported.at)
        }
        if let connection = entry?.connection, connection.at > position {
            (row.isConnected, row.connectedSince, row.written.connection) =
                (connection.isConnected, connection.since, connection.at)
        }
        if let known = devices.append(row) { return known }
        if mention != nil { unconfirmed += 1 }
        held.remove(new.device)
        nodes[node].devices += 1
        nodes[node].connected += row.isConnected ? 1 : 0
        return nil
    }

    private mutating func move(_ place: Int, to node: Int) {
        let old = devices[place].node
        guard old != node else { return }
        let connected = devices[place].isConnected ? 1 : 0
        nodes[old].devices -= 1
        nodes[old].connected -= connected
        nodes[node].devices += 1
        nodes[node].connected += connected
        devices[place].node = node
    }
}
