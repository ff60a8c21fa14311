import FleetProtocol

extension RequestEngine {
    /// Completes a node's table: removes the devices that the node had before and that are not in it.
    mutating func completeTable(of node: NodeSlot, at now: Moment, into effects: inout Effects) {
        removeAbsent(from: node, at: now, into: &effects)
        let key = fleet.directory.nodes[node].key
        let absent = fleet.directory.endAwaiting(key, into: &effects)
        for device in absent { removeAwaited(device, of: key.account, at: now, into: &effects) }
        if !absent.isEmpty { fleet.directory.shrunk.insert(key) }
        fleet.directory.storeShrunk(into: &effects)
    }

    /// Removes the devices of a node's former boot that are not in its complete table.
    private mutating func removeAbsent(from node: NodeSlot, at now: Moment, into effects: inout Effects) {
        guard fleet.directory.nodes[node].devices > fleet.directory.nodes[node].devicesAnnounced else {
            return
        }
        let boot = fleet.directory.nodes[node].link.boot
        for device in fleet.directory.devices.indices {
            let row = fleet.directory.devices[device]
            guard row.node == node, !row.isRemoved, row.boot != boot else { continue }
            requests.endAsRemoved(device, at: now, in: &fleet, into: &effects)
            fleet.remove(device, at: now, into: &effects)
        }
    }

    private mutating func removeAwaited(
        _ id: DeviceID, of account: AccountIndex, at now: Moment, into effects: inout Effects
    ) {
        if let device = fleet.directory.device(id, of: account), fleet.directory.devices[device].isAwaited {
            requests.endAsRemoved(device, at: now, in: &fleet, into: &effects)
            fleet.directory.removeDevice(device)
        }
        fleet.announceRemoval(of: id, from: account, at: now, into: &effects)
    }

    /// Retires devices for good.
    ///
    /// A reachable node is asked, because only the node can confirm that it no longer hosts a device. Devices
    /// of an unreachable node are removed at once: it reconnects without them, or never. Unknown devices
    /// are ignored; until the account has settled, the order is refused as busy. An order without devices
    /// stores all earlier retirements before its reply.
    mutating func retire(
        _ named: [DeviceID], account: AccountIndex, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        guard named.isEmpty || !fleet.isSettling(account, at: now.monotonic), !orders.isFull else {
            return effects.refuse(.busy(retryAfter: Limits.beatInterval), to: waiter)
        }
        if named.isEmpty { orders.storeRetirements(in: &fleet, into: &effects) }
        var byNode: [NodeSlot: [DeviceID]] = [:]
        var report = OrderReport()
        for id in named {
            guard let device = fleet.directory.device(id, of: account),
                !fleet.directory.devices[device].isAwaited
            else {
                if retireAwaited(id, of: account, at: now, into: &effects) { report.devices += 1 }
                continue
            }
            let node = fleet.directory.devices[device].node
            if fleet.directory.nodes[node].isReachable {
                byNode[node, default: []].append(id)
            } else {
                retire(id, from: node, at: now, into: &effects)
                report.devices += 1
            }
        }
        let nodes = byNode.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        orders.begin(
            nodes, of: .retirement, for: waiter, report: report, at: now, in: &fleet, into: &effects
        ) { .retire($0, devices: $1) }
    }

    /// Removes a retired device: ends its requests as undetermined and publishes the removal. A device that
    /// now belongs to another node stays.
    mutating func retire(_ id: DeviceID, from node: NodeSlot, at now: Moment, into effects: inout Effects) {
        guard let device = fleet.directory.device(id), fleet.directory.devices[device].node == node else {
            return
        }
        requests.endAsRemoved(device, withLane: true, at: now, in: &fleet, into: &effects)
        fleet.remove(device, at: now, into: &effects)
        orders.recordRetirement(at: now.monotonic, in: &fleet)
    }

    /// Removes an awaited device; returns false if the device is not awaited.
    private mutating func retireAwaited(
        _ id: DeviceID, of account: AccountIndex, at now: Moment, into effects: inout Effects
    ) -> Bool {
        guard fleet.directory.awaited.account(of: id) == account, let nowhere = NodeName("nowhere") else {
            return false
        }
        // The claiming node's name does not matter: the list of the former node is stored without the device.
        _ = fleet.directory.name(id, at: NodeKey(account: account, name: nowhere))
        removeAwaited(id, of: account, at: now, into: &effects)
        orders.recordRetirement(at: now.monotonic, in: &fleet)
        return true
    }
}
