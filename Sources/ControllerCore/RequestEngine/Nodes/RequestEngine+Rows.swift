import FleetProtocol
import FleetTime

/// Device rows: an older row never overwrites a newer one, and changes are published.
extension RequestEngine {
    /// The changes that a row made.
    struct RowChange: OptionSet {
        let rawValue: UInt8
        static let reported = RowChange(rawValue: 1)
        static let connection = RowChange(rawValue: 2)
        /// The first row in this boot of the node.
        static let life = RowChange(rawValue: 4)
        /// The device's settings, such as schedules and timers.
        static let settings = RowChange(rawValue: 8)
    }

    /// Merges a device's row if it is newer than the record.
    ///
    /// Change numbers compare only within one boot of the node.
    mutating func merge(_ row: DeviceRow, into device: DeviceSlot, at now: Moment) -> RowChange {
        let record = directory.devices[device]
        let boot = directory.nodes[record.node].link.boot
        directory.nodes[record.node].changes.arrive(row.number)
        let isSameLife = record.reported.incarnation == row.reported.incarnation
        // Within one incarnation a version never decreases: this row was delayed, and is from an earlier boot
        // of its node.
        if isSameLife, row.reported.version < record.reported.version { return [] }
        guard record.boot != boot || isNewer(row, than: record) else { return [] }
        var change: RowChange = record.boot == boot ? [] : .life
        if record.reported != row.reported { change.insert(.reported) }
        if record.isConnected != row.isConnected { change.insert(.connection) }
        if keep(row.settings, of: row.device) { change.insert(.settings) }
        directory.updateDevice(device) {
            $0.boot = boot
            $0.number = row.number
            $0.lastSequence = isSameLife ? max($0.lastSequence, row.lastSequence) : row.lastSequence
            $0.reported = row.reported
            $0.cause = row.cause
            if $0.isConnected != row.isConnected { $0.connectedSince = now.wall }
            $0.isConnected = row.isConnected
            $0.asOf = now.wall
        }
        return change
    }

    /// Whether a row is newer: a disconnected device changes without a change number, so its version decides.
    private func isNewer(_ row: DeviceRow, than record: DeviceRecord) -> Bool {
        guard row.number == record.number, row.reported.incarnation == record.reported.incarnation else {
            return row.number >= record.number
        }
        return row.reported.version >= record.reported.version
    }

    /// Publishes the changes of a row; the in-flight command of a reconnected device is sent again.
    mutating func announce(
        _ change: RowChange, of device: DeviceSlot, at now: Moment, into effects: inout Effects
    ) {
        let record = directory.devices[device]
        if change.contains(.reported) {
            let report = ReportedDevice(device: record.id, state: record.reported, cause: record.cause)
            publish(report, to: record.account, at: now, into: &effects)
        }
        if change.contains(.settings) { announceSettings(of: record, at: now, into: &effects) }
        if change.contains(.connection) {
            publish(
                .connection(record.id, isConnected: record.isConnected), to: record.account, at: now,
                into: &effects)
        }
        if !change.isDisjoint(with: [.connection, .life]), record.isConnected, let current = record.current {
            askAgain([current], at: now, into: &effects)
        }
    }

    /// Applies a row: merges it, ends a request of a former incarnation, publishes changes, advances the
    /// lane.
    mutating func update(
        _ device: DeviceSlot, from row: DeviceRow, at now: Moment, into effects: inout Effects
    ) {
        let change = merge(row, into: device, at: now)
        if let slot = directory.devices[device].current,
            let dispatch = requests[slot].state.dispatch,
            dispatch.identity.incarnation != directory.devices[device].reported.incarnation
        {
            settle(slot, .undetermined(.deviceReset), at: now, into: &effects)
        }
        announce(change, of: device, at: now, into: &effects)
        advanceLane(of: device, at: now, into: &effects)
    }

    /// Applies the rows of a chunk: adds new devices and updates known ones, except devices of another
    /// reachable node.
    mutating func take(
        _ rows: [RowChunk.Row], from node: NodeSlot, at now: Moment, into effects: inout Effects
    ) {
        let place = effects.changes.count
        var (new, taken): ([DeviceID], [DeviceID]) = ([], [])
        gatherReports(of: rows.count)
        for row in rows {
            let id = row.device.device
            let known = directory.device(id)
            if known.map({ directory.devices[$0].node }) != node {
                guard directory.nodes[node].range?.contains(id) ?? true else {
                    meter.note(.outOfRange)
                    continue
                }
                switch claim(id, at: known, by: node) {
                case .known: break
                case .new: new.append(id)
                case .refused:
                    taken.append(id)
                    continue
                }
            }
            guard mayTake(row.device, from: node, at: now, into: &effects) else { continue }
            guard let device = known else {
                add(row, at: node, now: now, into: &effects)
                continue
            }
            if directory.devices[device].node != node {
                move(device, to: node, as: row, now: now, into: &effects)
            }
            noteMemory(of: device, in: row.device)
            update(device, from: row.device, at: now, into: &effects)
            relabel(device, as: row, at: now, into: &effects)
        }
        if !new.isEmpty {
            effects.changes.insert(.directory(.added(list(of: directory.nodes[node].key, new))), at: place)
        }
        askToRenew(at: node, into: &effects)
        let measured = rows.compactMap { row in
            row.measurements.map { MeasuredDevice(device: row.device.device, measurements: $0) }
        }
        heardMeasured(measured, from: node, at: now, into: &effects)
        for start in stride(from: 0, to: taken.count, by: Limits.faultDevices) {
            let part = taken[start..<min(start + Limits.faultDevices, taken.count)]
            send(.taken(Array(part)), to: node, into: &effects)
        }
    }

    /// Claims a device for a node that does not have it in the directory.
    private mutating func claim(
        _ id: DeviceID, at known: DeviceSlot?, by node: NodeSlot
    ) -> AwaitedDevices.Claim {
        if let known, !mayMove(known, to: node) {
            noteClaim(of: node, on: known)
            return .refused
        }
        let claim = directory.name(id, at: directory.nodes[node].key)
        if claim != .refused, let known, !directory.devices[known].isAwaited {
            directory.shrunk.insert(directory.nodes[directory.devices[known].node].key)
        }
        return claim
    }

    private mutating func add(
        _ row: RowChunk.Row, at node: NodeSlot, now: Moment, into effects: inout Effects
    ) {
        let account = directory.nodes[node].account
        var record = DeviceRecord(
            id: row.device.device, name: row.name, node: node, account: account,
            boot: directory.nodes[node].link.boot,
            number: row.device.number, reported: row.device.reported, lastSequence: row.device.lastSequence,
            connectedSince: now.wall, asOf: now.wall, isConnected: row.device.isConnected)
        record.group = group(of: row, at: node)
        record.cause = row.device.cause
        guard directory.addDevice(record) != nil else { return meter.note(.noRoom) }
        directory.nodes[node].changes.arrive(row.device.number)
        _ = keep(row.device.settings, of: row.device.device)
        publish(.added(snapshotRow(of: record)), to: account, at: now, into: &effects)
    }

    /// Whether a device may move to a node: its present node is unreachable, and both nodes have one account.
    private func mayMove(_ device: DeviceSlot, to node: NodeSlot) -> Bool {
        let record = directory.devices[device]
        return !directory.nodes[record.node].isReachable && record.account == directory.nodes[node].account
    }

    /// Records a refused claim, which may succeed when the holder is gone; a claim across accounts is
    /// dropped.
    private mutating func noteClaim(of node: NodeSlot, on device: DeviceSlot) {
        let record = directory.devices[device]
        guard record.account == directory.nodes[node].account else { return }
        directory.nodes[node].refusedFor.insert(record.node)
    }

    /// Moves a device to another node, or back to its node after a restart, with its memory kept or lost.
    private mutating func move(
        _ device: DeviceSlot, to node: NodeSlot, as row: RowChunk.Row, now: Moment,
        into effects: inout Effects
    ) {
        let current = directory.devices[device].current
        let group = group(of: row, at: node)
        let before = directory.devices[device].reported
        // A lower version in the same incarnation means lost memory: the known state stays.
        let isBelieved =
            before.incarnation != row.device.reported.incarnation
            || before.version <= row.device.reported.version
        if let current { leaveNode(current) }
        _ = keep(row.device.settings, of: row.device.device)
        directory.updateDevice(device) {
            if $0.reported.incarnation != row.device.reported.incarnation { $0.lastSequence = .zero }
            $0.node = node
            $0.boot = 0
            $0.name = row.name
            $0.group = group
            if isBelieved {
                $0.reported = row.device.reported
                $0.cause = row.device.cause
            }
            $0.isConnected = row.device.isConnected
            $0.isAwaited = false
        }
        if let current {
            let (node, place) = joinNode(current)
            requests.update(current) {
                $0.state.updateDispatch { dispatch in
                    dispatch.node = node
                    dispatch.placeAtNode = place
                }
            }
        }
        let shown = snapshotRow(of: directory.devices[device])
        publish(.added(shown), to: directory.devices[device].account, at: now, into: &effects)
    }

    /// Removes the devices of a node's former boot that are not in its complete table.
    mutating func removeAbsent(from node: NodeSlot, at now: Moment, into effects: inout Effects) {
        let record = directory.nodes[node]
        guard record.devices > record.devicesAnnounced else { return }
        for device in directory.devices.indices {
            let row = directory.devices[device]
            guard row.node == node, !row.isRemoved, row.boot != record.link.boot else { continue }
            if let slot = row.current {
                settle(slot, .undetermined(.deviceGone), at: now, into: &effects)
            }
            directory.removeDevice(device)
            directory.shrunk.insert(record.key)
            notify(.deviceRemoved(row.id, row.account))
            publish(.removed(row.id), to: row.account, at: now, into: &effects)
        }
    }
}

/// Device settings made by users, which the controller only stores beside the rows.
extension RequestEngine {
    /// Replaces the settings of a device by those in its row.
    ///
    /// - Returns: Whether the settings changed.
    mutating func keep(_ settings: DeviceSettings?, of device: DeviceID) -> Bool {
        // The usual case: no device has settings.
        guard settings != nil || !directory.settings.isEmpty else { return false }
        guard directory.settings[device] != settings else { return false }
        directory.settings[device] = settings
        return true
    }

    /// Publishes the settings of a device.
    mutating func announceSettings(of device: DeviceRecord, at now: Moment, into effects: inout Effects) {
        let settings = directory.settings[device.id] ?? DeviceSettings()
        publish(.settings(device.id, settings), to: device.account, at: now, into: &effects)
    }
}

/// Pod measurements: the newest of each device is stored, and all are published.
///
/// A lost measurement is not repaired: the next one replaces it.
extension RequestEngine {
    /// Stores and publishes the measurements of a node's devices; devices of other nodes are ignored.
    mutating func heardMeasured(
        _ measured: [MeasuredDevice], from node: NodeSlot, at now: Moment, into effects: inout Effects
    ) {
        guard !measured.isEmpty else { return }
        var known: [MeasuredDevice] = []
        known.reserveCapacity(measured.count)
        for one in measured {
            guard let device = directory.device(one.device), directory.devices[device].node == node,
                !directory.devices[device].isAwaited
            else {
                meter.note(.foreignDevice)
                continue
            }
            directory.devices[device].measurements = one.measurements
            directory.devices[device].measuredAt = now.wall
            known.append(one)
        }
        guard !known.isEmpty else { return }
        publish(.measured(known), to: directory.nodes[node].account, at: now, into: &effects)
    }
}
