import FleetProtocol
import FleetTime
import PlantedBugs

/// What writes rows and nodes: each part only from a position that is not older than the one it has.
extension Replica {
    /// Writes a device's state.
    mutating func write(
        _ state: DeviceState, by cause: ChangeCause, asOf: WallTime, to place: Int,
        from position: StreamPosition, isRepair: Bool, eventAt: WallTime, into effects: inout [Effect]
    ) {
        guard position >= devices[place].reportedAt || planted(.olderRowWins) else { return }
        devices[place].reportedAt = position
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

    /// Writes what a device says of its own connection.
    mutating func write(
        isConnected: Bool, since: WallTime, to place: Int, from position: StreamPosition, eventAt: WallTime,
        into effects: inout [Effect]
    ) {
        guard position >= devices[place].connectionAt else { return }
        let old = nodes[devices[place].node].presence(of: devices[place])
        devices[place].connectionAt = position
        devices[place].connectedSince = since
        guard devices[place].isConnected != isConnected else { return }
        devices[place].isConnected = isConnected
        nodes[devices[place].node].connected += isConnected ? 1 : -1
        let row = devices[place]
        let presence = nodes[row.node].presence(of: row)
        // While its node is away, nobody sees the device come or go.
        guard presence.kind != old.kind else { return }
        effects.append(.event(FleetEvent(at: eventAt, .presence(named(row), presence))))
    }

    /// Writes what a device's pod measured.
    mutating func write(_ measured: SnapshotChunk.Measured, to place: Int, from position: StreamPosition) {
        guard position >= devices[place].measuredFrom else { return }
        devices[place].measuredFrom = position
        devices[place].measured = measured
    }

    /// Writes what a device is set to do by itself; nil for nothing.
    mutating func write(
        _ new: DeviceSettings?, of device: DeviceID, from position: StreamPosition, eventAt: WallTime,
        into effects: inout [Effect]
    ) {
        guard settings.write(new, of: device, from: position), let row = row(of: device) else { return }
        let told = new ?? DeviceSettings()
        effects.append(.event(FleetEvent(at: eventAt, .settings(named(row), told))))
    }

    /// Writes a node's presence; one update, however many devices live there.
    mutating func write(
        _ node: SnapshotChunk.Node, devices count: Int?, from position: StreamPosition, eventAt: WallTime,
        into effects: inout [Effect]
    ) {
        let place = nodes.place(of: node)
        let isNew = nodes[place].presenceAt == .zero
        guard position >= nodes[place].presenceAt else { return }
        nodes[place].presenceAt = position
        let old = nodes[place].presence
        nodes[place].presence = node.presence
        let isTold = count != nil || !isNew
        guard isTold, isNew || old.kind != node.presence.kind else { return }
        let change = FleetEvent.NodeChange(
            node: node.name, presence: node.presence, devices: count ?? nodes[place].devices)
        effects.append(.event(FleetEvent(at: eventAt, .node(change))))
    }

    /// Writes the rows of a snapshot that follow one another.
    ///
    /// - Parameter mention: Where in the snapshot the first is.
    mutating func write(
        _ rows: [SnapshotChunk.Row], from position: StreamPosition, mention: ReplicaRow.Mention,
        eventAt: WallTime, into effects: inout [Effect]
    ) {
        // All are found before the first is written: the processor waits for many places in memory at a time.
        let places = rows.indices.map { devices.place(of: rows[$0].device) }
        var mention = mention
        for (index, place) in places.enumerated() {
            write(
                rows[index], inPlace: place, from: position, mention: mention, eventAt: eventAt,
                into: &effects)
            mention.order += 1
        }
    }

    /// Writes the row of a device that is new.
    mutating func write(
        _ new: SnapshotChunk.Row, from position: StreamPosition, eventAt: WallTime,
        into effects: inout [Effect]
    ) {
        write(
            new, inPlace: devices.place(of: new.device), from: position, mention: nil, eventAt: eventAt,
            into: &effects)
    }

    /// Writes a whole row.
    ///
    /// - Parameters:
    ///   - place: Where it was found a moment ago; nil where it was not.
    ///   - mention: Where in a snapshot it is; nil where it comes from the stream.
    private mutating func write(
        _ new: SnapshotChunk.Row, inPlace place: Int?, from position: StreamPosition,
        mention: ReplicaRow.Mention?, eventAt: WallTime, into effects: inout [Effect]
    ) {
        let entry = held[new.device]
        if let removedAt = entry?.removedAt, removedAt >= position { return }
        let node = nodes.place(of: new.node, at: eventAt)
        write(new.settings, of: new.device, from: position, eventAt: eventAt, into: &effects)
        let known = place.flatMap { devices.place(of: new.device, expectedAt: $0) }
        guard let place = known ?? insert(new, node: node, from: position, mention: mention, held: entry)
        else { return }
        if let mention { devices[place].mention = mention }
        if position >= devices[place].placedAt {
            devices[place].placedAt = position
            move(place, to: node)
            devices[place].group = groups.place(of: new.group)
            if devices[place].name != new.name {
                devices[place].name = new.name
                devices.noteRenamed()
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

    /// Takes a row out.
    mutating func drop(_ place: Int) {
        let row = devices[place]
        nodes[row.node].devices -= 1
        nodes[row.node].connected -= row.isConnected ? 1 : 0
        settings.forget(row.device)
        devices.remove(at: place)
    }

    /// Takes in a row, unless its device has one: where that is; nil when it was taken in.
    private mutating func insert(
        _ new: SnapshotChunk.Row, node: Int, from position: StreamPosition, mention: ReplicaRow.Mention?,
        held entry: HeldUpdates.Entry?
    ) -> Int? {
        var row = ReplicaRow(
            device: new.device, name: new.name, reported: new.reported, before: nil,
            isConnected: new.isConnected, connectedSince: new.connectedSince, asOf: new.asOf,
            measured: new.measured, node: node, reportedAt: position, connectionAt: position,
            placedAt: position, measuredFrom: position,
            mention: mention ?? ReplicaRow.Mention(round: 0, order: .max))
        row.group = groups.place(of: new.group)
        row.cause = new.cause
        if let reported = entry?.reported, reported.at > position {
            (row.reported, row.cause) = (reported.state, reported.cause)
            (row.asOf, row.reportedAt) = (reported.asOf, reported.at)
        }
        if let connection = entry?.connection, connection.at > position {
            (row.isConnected, row.connectedSince, row.connectionAt) =
                (connection.isConnected, connection.since, connection.at)
        }
        if let known = devices.append(row) { return known }
        held.forget(new.device)
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
