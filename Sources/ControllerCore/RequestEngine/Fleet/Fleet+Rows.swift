import FleetProtocol

/// Device rows: an older row never overwrites a newer one, and changes are published.
extension Fleet {
    struct RowChange: OptionSet {
        let rawValue: UInt8
        static let reported = RowChange(rawValue: 1)
        static let connection = RowChange(rawValue: 2)
        /// The first row in this boot of the node.
        static let boot = RowChange(rawValue: 4)
        /// The device's settings, such as schedules and timers.
        static let settings = RowChange(rawValue: 8)
    }

    /// Whether a command would reach the device. After a node's restart each device's row is awaited first:
    /// the known row may be of a former incarnation, and a command that names that one can only end as
    /// undetermined.
    @inline(__always)
    func isReachable(_ device: DeviceSlot) -> Bool {
        let node = directory.devices[device].node
        return !directory.devices[device].isRemoved && directory.devices[device].isConnected
            && directory.nodes[node].isReachable
            && directory.devices[device].boot == directory.nodes[node].link.boot
    }

    /// Merges a device's row if it is newer than the record. Change numbers compare only within one boot of
    /// the node.
    @inline(__always)
    mutating func merge(_ row: DeviceRow, into device: DeviceSlot, at now: Moment) -> RowChange {
        // Speed: see performance.md, "references".
        let node = directory.devices[device].node
        let (reported, formerBoot) = (directory.devices[device].reported, directory.devices[device].boot)
        let boot = directory.nodes[node].link.boot
        directory.nodes[node].boot.changes.arrive(row.number)
        let isSameIncarnation = reported.incarnation == row.reported.incarnation
        // Within one incarnation a version never decreases: this row was delayed, and is from an earlier boot
        // of its node.
        if isSameIncarnation, row.reported.version < reported.version { return [] }
        if isSameIncarnation, formerBoot != boot, directory.nodes[node].distrusts(device) { return [] }
        guard formerBoot != boot || isNewer(row, than: directory.devices[device].number, reported) else {
            return []
        }
        var change: RowChange = formerBoot == boot ? [] : .boot
        if reported != row.reported { change.insert(.reported) }
        if directory.devices[device].isConnected != row.isConnected { change.insert(.connection) }
        if directory.set(row.settings, of: row.device) { change.insert(.settings) }
        directory.updateDevice(device) {
            $0.boot = boot
            $0.number = row.number
            $0.lastCommandNumber =
                isSameIncarnation ? max($0.lastCommandNumber, row.lastCommandNumber) : row.lastCommandNumber
            $0.report(row)
            if $0.isConnected != row.isConnected { $0.connectedSince = now.wall }
            $0.isConnected = row.isConnected
            $0.asOf = now.wall
        }
        return change
    }

    /// Whether a row is newer: a disconnected device changes without a change number, so its version decides.
    @inline(__always)
    private func isNewer(_ row: DeviceRow, than number: ChangeNumber, _ reported: DeviceState) -> Bool {
        guard row.number == number, row.reported.incarnation == reported.incarnation else {
            return row.number >= number
        }
        return row.reported.version >= reported.version
    }

    @inline(__always)
    mutating func announce(
        _ change: RowChange, of device: DeviceSlot, at now: Moment, into effects: inout Effects
    ) {
        if change.contains(.reported) {
            let report = ReportedDevice(
                device: directory.devices[device].id, state: directory.devices[device].reported,
                cause: directory.devices[device].cause)
            stream.publish(
                report, to: directory.devices[device].account, in: &directory.accounts, at: now.wall,
                into: &effects)
        }
        guard !change.isDisjoint(with: [.settings, .connection]) else { return }
        let record = directory.devices[device]
        if change.contains(.settings) {
            let settings = directory.settings[record.id] ?? DeviceSettings()
            publish(.settings(record.id, settings), to: record.account, at: now, into: &effects)
        }
        if change.contains(.connection) {
            publish(
                .connection(record.id, isConnected: record.isConnected), to: record.account, at: now,
                into: &effects)
        }
    }

    // MARK: Pulled rows

    /// Claims a device for a node that does not have it in the directory. A refused claim may succeed when
    /// the holder is gone; a claim across accounts never does.
    mutating func claim(_ id: DeviceID, at known: DeviceSlot?, by node: NodeSlot) -> AwaitedDevices.Claim {
        if let known {
            let record = directory.devices[known]
            let isSameAccount = record.account == directory.nodes[node].account
            if directory.nodes[record.node].isReachable || !isSameAccount {
                if isSameAccount { directory.nodes[node].boot.refusedFor.insert(record.node) }
                return .refused
            }
        }
        let claim = directory.name(id, at: directory.nodes[node].key)
        if claim != .refused, let known, !directory.devices[known].isAwaited {
            directory.shrunk.insert(directory.nodes[directory.devices[known].node].key)
        }
        return claim
    }

    mutating func add(_ row: RowChunk.Row, at node: NodeSlot, now: Moment, into effects: inout Effects) {
        let account = directory.nodes[node].account
        let name = directory.name(row.name, of: row.device.device, in: account)
        directory.noteName(name, wanted: row.name, at: node)
        if name != row.name { meter.record(.refusedName) }
        var record = DeviceRecord(
            id: row.device.device, name: name, node: node, account: account,
            boot: directory.nodes[node].link.boot,
            number: row.device.number, reported: row.device.reported,
            lastCommandNumber: row.device.lastCommandNumber,
            connectedSince: now.wall, asOf: now.wall, isConnected: row.device.isConnected)
        record.group = directory.group(of: row, at: node)
        record.report(row.device)
        guard directory.addDevice(record) != nil else { return meter.record(.noRoom) }
        directory.nodes[node].boot.changes.arrive(row.device.number)
        _ = directory.set(row.device.settings, of: row.device.device)
        publish(.added(directory.snapshotRow(of: record)), to: account, at: now, into: &effects)
    }

    /// Moves a device to another node, or back to its node after a restart, with or without its memory.
    mutating func move(_ device: DeviceSlot, to node: NodeSlot, as row: RowChunk.Row) {
        let group = directory.group(of: row, at: node)
        let before = directory.devices[device].reported
        // A lower version in the same incarnation means lost memory: the known state stays.
        let isBelieved =
            before.incarnation != row.device.reported.incarnation
            || before.version <= row.device.reported.version
        _ = directory.set(row.device.settings, of: row.device.device)
        directory.updateDevice(device) {
            if $0.reported.incarnation != row.device.reported.incarnation { $0.lastCommandNumber = .zero }
            $0.node = node
            $0.boot = 0
            $0.group = group
            if isBelieved { $0.report(row.device) }
            $0.isConnected = row.device.isConnected
            $0.status = .hosted
        }
        _ = rename(device, as: row.name)
    }

    /// Gives a device the name of its row, or counts that it did not get it; returns whether it has changed.
    private mutating func rename(_ device: DeviceSlot, as name: String) -> Bool {
        guard directory.rename(device, as: name) else { return false }
        if directory.devices[device].name != name { meter.record(.refusedName) }
        return true
    }

    /// Updates a device's name and group, which change when its node begins another scenario.
    mutating func relabel(
        _ device: DeviceSlot, as row: RowChunk.Row, at now: Moment, into effects: inout Effects
    ) {
        let group = directory.group(of: row, at: directory.devices[device].node)
        guard rename(device, as: row.name) || directory.devices[device].group != group else { return }
        directory.updateDevice(device) { $0.group = group }
        publishAdded(device, at: now, into: &effects)
    }

    mutating func publishAdded(_ device: DeviceSlot, at now: Moment, into effects: inout Effects) {
        let record = directory.devices[device]
        publish(.added(directory.snapshotRow(of: record)), to: record.account, at: now, into: &effects)
    }

    // MARK: Measurements

    /// Stores and publishes the measurements of a node's pods; pods of other nodes are ignored. A lost
    /// measurement is not repaired: the next one replaces it.
    mutating func store(
        _ measured: [MeasuredDevice], from node: NodeSlot, at now: Moment, into effects: inout Effects
    ) {
        guard !measured.isEmpty else { return }
        var known: [MeasuredDevice] = []
        known.reserveCapacity(measured.count)
        for one in measured {
            guard let device = directory.device(one.device), directory.devices[device].node == node,
                !directory.devices[device].isAwaited
            else {
                meter.record(.foreignDevice)
                continue
            }
            directory.devices[device].measured = SnapshotChunk.Measured(one.measurements, at: now.wall)
            known.append(one)
        }
        guard !known.isEmpty else { return }
        publish(.measured(known), to: directory.nodes[node].account, at: now, into: &effects)
    }

    // MARK: Refused rows, and devices with untrusted memory

    /// Whether a row may be applied; its device belongs to the node that sent it. A row with the epoch of a
    /// later controller halts this one. A row with an implausible epoch is applied without the epoch. Its
    /// device refuses commands of any lower epoch, so it is asked to begin a new incarnation.
    @inline(__always)
    mutating func mayApply(_ row: DeviceRow, at now: Moment, into effects: inout Effects) -> Bool {
        guard row.isCountable else {
            meter.record(.uncountable)
            return false
        }
        guard row.epoch > epoch else { return true }
        guard !row.epoch.isPlausible(at: now.wall, knowing: epoch) else {
            effects.halt(fencedBy: row.epoch)
            return false
        }
        meter.record(.implausibleEpoch)
        doubts.add(
            SeenDevice(
                device: row.device, incarnation: row.reported.incarnation, version: row.reported.version))
        return true
    }

    /// Records a device that has lost state which it reported in this incarnation. Only a pulled row shows
    /// the loss: a published one may have been delayed. The first row of a node's boot counts as newer.
    mutating func checkMemory(of device: DeviceSlot, in row: DeviceRow) {
        let record = directory.devices[device]
        let isFirst = record.boot != directory.nodes[record.node].link.boot
        guard record.reported.incarnation == row.reported.incarnation,
            (isFirst && directory.nodes[record.node].distrusts(device))
                || (row.reported.version < record.reported.version
                    && (isFirst || row.number > record.number)),
            !planted(.memoryBelieved)
        else { return }
        meter.record(.memoryWentBack)
        directory.nodes[record.node].boot.lostMemory.insert(device)
        doubts.add(directory.seen(device))
    }

    /// Asks a node to have devices begin new incarnations, after all rows of a message were checked.
    @inline(__always)
    mutating func requestRenewals(at node: NodeSlot, into effects: inout Effects) {
        guard !doubts.isEmpty else { return }
        let (epoch, connection) = (epoch, directory.nodes[node].link.connection)
        doubts.drain { part in
            effects.messages.append(
                Effects.Message(
                    node: connection, message: ControllerMessage(epoch: epoch, body: .renew(part))))
        }
    }

    /// Repeats the request to a node for devices that have not begun new incarnations: the first message may
    /// be lost.
    mutating func repeatRenewals(at node: NodeSlot, into effects: inout Effects) {
        guard !directory.nodes[node].boot.lostMemory.isEmpty else { return }
        let boot = directory.nodes[node].link.boot
        let left = directory.nodes[node].boot.lostMemory.filter {
            let record = directory.devices[$0]
            return record.node == node && record.boot != boot && !record.isRemoved
        }
        directory.nodes[node].boot.lostMemory = left
        for device in left.sorted().prefix(Limits.renewedDevices) { doubts.add(directory.seen(device)) }
        requestRenewals(at: node, into: &effects)
    }
}

extension DeviceRow {
    /// Whether its numbers are low enough to be incremented further.
    fileprivate var isCountable: Bool {
        // Speed: see performance.md, "usual values".
        let most = Limits.largestOrdinal
        return number.value <= most && epoch.value <= most && lastCommandNumber.value <= most
            && reported.version.value <= most
    }
}
