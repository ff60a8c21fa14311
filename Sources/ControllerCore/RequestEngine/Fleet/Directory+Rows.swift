import FleetProtocol

/// Rows and lists that are made from the directory.
extension Directory {
    /// The state of a device that must begin a new incarnation.
    func seen(_ device: DeviceSlot) -> SeenDevice {
        let record = devices[device]
        let isDistrusted = nodes[record.node].distrusts(device)
        return SeenDevice(
            device: record.id, incarnation: record.reported.incarnation,
            version: isDistrusted ? Version(Limits.largestOrdinal) : record.reported.version)
    }

    /// The device list of a node for storage.
    func list(of key: NodeKey, _ devices: [DeviceID]) -> NodeDevices {
        NodeDevices(account: accounts[Int(key.account)].id, node: key.name, devices: devices)
    }

    // MARK: Groups

    /// Whether the node's hello has the group of every row.
    func hasGroups(of rows: [RowChunk.Row], at node: NodeSlot) -> Bool {
        let count = max(1, nodes[node].groups.count)
        return rows.allSatisfy { Int($0.group) < count }
    }

    func group(of row: RowChunk.Row, at node: NodeSlot) -> GroupNumber {
        let groups = nodes[node].groups
        return Int(row.group) < groups.count ? groups[Int(row.group)] : .none
    }

    // MARK: Leases and device lists

    /// Extends all leases by the controller's own absence, during which it received no heartbeats.
    mutating func extendLeases(by absence: Duration, at now: MonotonicTime) {
        for node in nodes.indices { nodes[node].lease.extend(by: absence, at: now) }
    }

    /// Ends the wait for devices that a node had before and that are not in its complete table.
    ///
    /// - Returns: Those devices.
    mutating func endAwaiting(_ key: NodeKey, into effects: inout Controller.Effects) -> [DeviceID] {
        guard awaited.awaits(key) else { return [] }
        effects.store(.directory(.confirmed(accounts[Int(key.account)].id, key.name)))
        let absent = awaited.devices(of: key)
        endAwaiting(key)
        return absent
    }

    /// Stores the device lists of nodes that have lost devices.
    mutating func storeShrunk(into effects: inout Controller.Effects) {
        for key in drainShrunk().sorted() {
            let devices = self.devices(of: key) + awaited.devices(of: key)
            effects.store(.directory(.listed(list(of: key, devices))))
        }
    }
}
