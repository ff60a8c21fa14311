import FleetProtocol
import UserText

extension Directory {
    /// The state of a device that must begin a new incarnation.
    func seen(_ device: DeviceSlot) -> SeenDevice {
        let record = devices[device]
        let isDistrusted = nodes[record.node].distrusts(device)
        return SeenDevice(
            device: record.id, incarnation: record.reported.incarnation,
            version: isDistrusted ? Version(Limits.largestOrdinal) : record.reported.version)
    }

    func list(of key: NodeKey, _ devices: [DeviceID]) -> NodeDevices {
        NodeDevices(account: accounts[Int(key.account)].id, node: key.name, devices: devices)
    }

    func hasGroups(of rows: [RowChunk.Row], at node: NodeSlot) -> Bool {
        let count = max(1, nodes[node].groups.count)
        return rows.allSatisfy { Int($0.group) < count }
    }

    func group(of row: RowChunk.Row, at node: NodeSlot) -> GroupNumber {
        let groups = nodes[node].groups
        return Int(row.group) < groups.count ? groups[Int(row.group)] : .none
    }

    /// Extends all leases by the controller's own absence, during which it received no heartbeats.
    mutating func extendLeases(by absence: Duration, at now: MonotonicTime) {
        for node in nodes.indices { nodes[node].lease.extend(by: absence, at: now) }
    }

    /// Ends the wait for devices that a node had before and that are not in its complete table, and returns
    /// them.
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

extension Directory {
    /// Returns the name of a device: the wanted one without characters that a terminal obeys or hides; or its
    /// ID, if nothing is left, or if another device of the account has that name.
    func name(_ wanted: String, of id: DeviceID, in account: AccountIndex) -> String {
        let safe = SafeText.stored(wanted)
        guard SafeText.isName(safe) else { return id.description }
        let holder = names.holder(of: safe, in: account, among: devices)
        return holder.map { devices[$0].id == id } ?? true ? safe : id.description
    }

    /// Gives a device the name of its row, as far as ``name(_:of:in:)`` allows; returns whether it changed.
    mutating func rename(_ device: DeviceSlot, as wanted: String) -> Bool {
        let (former, account) = (devices[device].name, devices[device].account)
        guard former != wanted else { return false }
        let name = name(wanted, of: devices[device].id, in: account)
        noteName(name, wanted: wanted, at: devices[device].node)
        guard former != name else { return false }
        names.release(former, in: account, by: device)
        devices[device].name = name
        names.claim(name, in: account, for: device)
        return true
    }

    /// Records that a node's device has not got its name: its rows are pulled again once a name is free.
    mutating func noteName(_ name: String, wanted: String, at node: NodeSlot) {
        if name != wanted { nodes[node].boot.namesRefusedAt = names.released }
    }
}

/// The names of devices: each is unique in its account, as it is shown on a terminal, in any case of its
/// letters.
struct DeviceNames: Sendable {
    private var slots = SlotTable()
    /// The number of names that devices have given up.
    private(set) var released: UInt64 = 0

    /// The device of an account that has a name.
    func holder(
        of name: String, in account: AccountIndex, among devices: PagedArray<DeviceRecord>
    ) -> DeviceSlot? {
        let folded = SafeText.folded(name)
        return slots.slot(of: Self.hash(name, account)) {
            devices[$0].account == account && SafeText.folded(devices[$0].name) == folded
        }
    }

    mutating func claim(_ name: String, in account: AccountIndex, for device: DeviceSlot) {
        if !name.isEmpty { slots.insert(device, of: Self.hash(name, account)) }
    }

    mutating func release(_ name: String, in account: AccountIndex, by device: DeviceSlot) {
        guard !name.isEmpty else { return }
        slots.remove(device, of: Self.hash(name, account))
        released += 1
    }

    private static func hash(_ name: String, _ account: AccountIndex) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(account)
        hasher.combine(SafeText.folded(name))
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
