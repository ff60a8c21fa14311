import FleetProtocol
import FleetTime
import PlantedBugs

/// Devices of earlier runs that no node has named yet, and the stored device lists of nodes.
extension RequestEngine {
    /// Awaits the devices of the stored lists; called once, before the first step.
    mutating func expect(_ lists: [NodeDevices]) {
        guard !configuration.planted(.devicesForgotten) else { return }
        directory.expect(
            lists.compactMap { list in
                directory.accountMade(list.account).map {
                    (NodeKey(account: $0, name: list.node), list.devices)
                }
            })
    }

    /// Returns a slot for an awaited device, in whose lane requests wait; nil for other devices, and once the
    /// account has settled.
    mutating func place(_ id: DeviceID, of account: AccountIndex, at now: Moment) -> DeviceSlot? {
        guard directory.awaited.account(of: id) == account, isSettling(account, at: now.monotonic) else {
            return nil
        }
        if !directory.hasNowhere(account) { makeRoomForNode() }
        return directory.awaited(id, of: account, at: now)
    }

    /// The refusal of a device that no node has named since the start.
    func refusal(ofUnnamed id: DeviceID, account: AccountIndex, at now: MonotonicTime) -> Refusal {
        directory.refusal(ofUnnamed: id, of: account, startedAt: startedAt, at: now)
    }

    /// Completes a node's table: removes the devices that the node had before and that are not in it.
    mutating func finishTable(of node: NodeSlot, at now: Moment, into effects: inout Effects) {
        removeAbsent(from: node, at: now, into: &effects)
        let key = directory.nodes[node].key
        if directory.awaited.awaits(key) {
            effects.store(.directory(.heard(directory.accounts[Int(key.account)].id, key.name)))
            let absent = directory.awaited.devices(of: key)
            directory.endAwaiting(key)
            for device in absent { removeAwaited(device, of: key.account, at: now, into: &effects) }
            if !absent.isEmpty { directory.shrunk.insert(key) }
        }
        keepShrunk(into: &effects)
    }

    mutating func removeAwaited(
        _ id: DeviceID, of account: AccountIndex, at now: Moment, into effects: inout Effects
    ) {
        if let device = directory.device(id, of: account), directory.devices[device].isAwaited {
            if let slot = directory.devices[device].current {
                settle(slot, .undetermined(.deviceGone), at: now, into: &effects)
            }
            directory.removeDevice(device)
        }
        notify(.deviceRemoved(id, account))
        publish(.removed(id), to: account, at: now, into: &effects)
    }

    /// Stores the device lists of nodes that have lost devices.
    mutating func keepShrunk(into effects: inout Effects) {
        let shrunk = directory.takeShrunk()
        for key in shrunk.sorted() {
            let devices = directory.devices(of: key) + directory.awaited.devices(of: key)
            effects.store(.directory(.listed(list(of: key, devices))))
        }
    }

    func list(of key: NodeKey, _ devices: [DeviceID]) -> NodeDevices {
        NodeDevices(account: directory.accounts[Int(key.account)].id, node: key.name, devices: devices)
    }
}

/// Rows that the controller refuses, and devices whose memory it does not trust.
extension RequestEngine {
    /// Whether a row may be applied; its device belongs to the node that sent it.
    ///
    /// A row with the epoch of a later controller halts this one. A row with an implausible epoch is applied
    /// without the epoch. Its device refuses commands of any lower epoch, so it is asked to begin a new
    /// incarnation.
    mutating func mayTake(
        _ row: DeviceRow, from node: NodeSlot, at now: Moment, into effects: inout Effects
    ) -> Bool {
        guard row.isCountable else {
            meter.note(.uncountable)
            return false
        }
        guard row.epoch > epoch else { return true }
        guard !row.epoch.isPlausible(at: now.wall, knowing: epoch) else {
            effects.halt(fencedBy: row.epoch)
            return false
        }
        meter.note(.implausibleEpoch)
        doubted.append(
            SeenDevice(
                device: row.device, incarnation: row.reported.incarnation, version: row.reported.version))
        return true
    }

    /// Records a device that has lost state which it reported in this incarnation.
    ///
    /// Only a pulled row shows the loss: a published one may have been delayed. The first row of a node's
    /// boot counts as newer.
    mutating func noteMemory(of device: DeviceSlot, in row: DeviceRow) {
        let record = directory.devices[device]
        guard record.reported.incarnation == row.reported.incarnation,
            row.reported.version < record.reported.version,
            record.boot != directory.nodes[record.node].link.boot || row.number > record.number,
            !configuration.planted(.memoryBelieved)
        else { return }
        meter.note(.memoryWentBack)
        directory.nodes[record.node].forgetful.insert(device)
        doubted.append(seen(device))
    }

    private func seen(_ device: DeviceSlot) -> SeenDevice {
        let record = directory.devices[device]
        return SeenDevice(
            device: record.id, incarnation: record.reported.incarnation, version: record.reported.version)
    }

    /// Asks a node to have devices begin new incarnations, after all rows of a message were checked.
    @inline(__always)
    mutating func askToRenew(at node: NodeSlot, into effects: inout Effects) {
        if !doubted.isEmpty { askToRenewDoubted(at: node, into: &effects) }
    }

    private mutating func askToRenewDoubted(at node: NodeSlot, into effects: inout Effects) {
        for start in stride(from: 0, to: doubted.count, by: Limits.renewedDevices) {
            let part = doubted[start..<min(start + Limits.renewedDevices, doubted.count)]
            send(.renew(Array(part)), to: node, into: &effects)
        }
        doubted.removeAll(keepingCapacity: true)
    }

    /// Repeats the request to a node for devices that have not begun new incarnations: the first message may
    /// be lost.
    mutating func askToRenewAgain(at node: NodeSlot, into effects: inout Effects) {
        guard !directory.nodes[node].forgetful.isEmpty else { return }
        let boot = directory.nodes[node].link.boot
        let left = directory.nodes[node].forgetful.filter {
            let record = directory.devices[$0]
            return record.node == node && record.boot != boot && !record.isRemoved
        }
        directory.nodes[node].forgetful = left
        doubted += left.sorted().prefix(Limits.renewedDevices).map(seen)
        askToRenew(at: node, into: &effects)
    }

}

extension DeviceRow {
    /// Whether its numbers are low enough to be incremented further.
    fileprivate var isCountable: Bool {
        // Written without a loop over an array, because it runs for each row of each message.
        let most = Limits.largestOrdinal
        return number.value <= most && epoch.value <= most && lastSequence.value <= most
            && reported.version.value <= most
    }
}

/// Device groups: nodes refer to them by position in their hello, observers by number in the account.
extension RequestEngine {
    /// Registers the groups of a node's hello, and publishes new ones before any device in them.
    mutating func take(
        _ groups: [DeviceGroup], of node: NodeSlot, at now: Moment, into effects: inout Effects
    ) {
        let account = directory.nodes[node].account
        var numbers: [GroupNumber] = []
        numbers.reserveCapacity(groups.count)
        for group in groups {
            if let known = directory.accounts[Int(account)].groups.number(of: group) {
                numbers.append(known)
            } else if let new = directory.accounts[Int(account)].groups.add(group) {
                numbers.append(new)
                publish(
                    .group(SnapshotChunk.Group(number: new, group: group)), to: account, at: now,
                    into: &effects)
            } else {
                numbers.append(.none)
            }
        }
        directory.nodes[node].groups = numbers
    }

    /// Whether the node's hello has the group of every row.
    func groupsHold(in rows: [RowChunk.Row], of node: NodeSlot) -> Bool {
        let count = max(1, directory.nodes[node].groups.count)
        return rows.allSatisfy { Int($0.group) < count }
    }

    /// The number of a row's group in its account.
    func group(of row: RowChunk.Row, at node: NodeSlot) -> GroupNumber {
        let groups = directory.nodes[node].groups
        return Int(row.group) < groups.count ? groups[Int(row.group)] : .none
    }

    /// Updates a device's name and group, which change when its node begins another scenario.
    mutating func relabel(
        _ device: DeviceSlot, as row: RowChunk.Row, at now: Moment, into effects: inout Effects
    ) {
        let record = directory.devices[device]
        let group = group(of: row, at: record.node)
        guard record.name != row.name || record.group != group else { return }
        directory.updateDevice(device) {
            $0.name = row.name
            $0.group = group
        }
        publish(
            .added(snapshotRow(of: directory.devices[device])), to: record.account, at: now, into: &effects)
    }
}
