import FleetProtocol
import Stepping

/// Devices that an earlier life of the controller knew, and what is kept of those that this one knows.
extension RequestEngine {
    /// Awaits what nodes had; called once, before the first step.
    mutating func expect(_ lists: [NodeDevices]) {
        guard !configuration.planted(.devicesForgotten) else { return }
        directory.expect(
            lists.compactMap { list in
                directory.accountMade(list.account).map {
                    (NodeKey(account: $0, name: list.node), list.devices)
                }
            })
    }

    /// Gives a device that is awaited a place, where commands wait for it; nil when it is none, or does not
    /// come soon.
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

    /// A node's whole table has come: what it had before and is not in it is gone for good.
    mutating func finishTable(of node: NodeSlot, at now: Moment, into effects: inout Effects) {
        directory.nodes[node].hasTable = true
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

    /// Nodes that have fewer devices than is kept of them are kept anew.
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
