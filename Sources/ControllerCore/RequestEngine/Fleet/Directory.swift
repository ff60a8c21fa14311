import FleetProtocol

typealias AccountIndex = Int32

struct AccountRecord: Sendable {
    let id: AccountID
    /// The sequence number of its newest update.
    var sequence = StreamSequence.zero
    var groups = GroupTable()
    /// Whether another account may take the slot.
    var isFree = false
    fileprivate(set) var devices: Int32 = 0
}

/// The accounts, nodes and devices, each in a slot that never moves. A slot is used again once it is free;
/// the number of a node is not.
struct Directory: Sendable {
    static let accountsAtMost = Limits.controllerAccounts
    static let nodesAtMost = Limits.controllerNodes
    /// The maximum number of devices, over all nodes.
    static let devicesAtMost = 4_000_000

    var accounts: [AccountRecord] = []
    var nodes: [NodeRecord] = []
    var devices = PagedArray<DeviceRecord>()
    private var accountIndices: [AccountID: AccountIndex] = [:]
    private var nodeSlots = NodeIndexes()
    private var deviceSlots = DeviceIndex()
    var names = DeviceNames()
    /// The settings of devices; most have none.
    private(set) var settings: [DeviceID: DeviceSettings] = [:]
    /// Devices that nodes had in an earlier run of the controller, and that no node has named in this one.
    private(set) var awaited = AwaitedDevices()
    /// Accounts with devices, awaited ones included.
    private(set) var accountsWithDevices: Set<AccountIndex> = []
    /// The placeholder node of an account, which holds its awaited devices.
    private var nowhere: [AccountIndex: NodeSlot] = [:]
    /// Nodes that have lost devices, by removal or to other nodes, since their lists were stored.
    var shrunk: Set<NodeKey> = []
    private var freeAccounts: [AccountIndex] = []
    private var freeNodes: [NodeSlot] = []
    /// The number of the next node; numbers are never reused.
    private var nextNode: UInt64 = 0
    /// The highest sequence number of a freed account: an account that comes back continues from it.
    private var newestOfRemoved = StreamSequence.zero

    func account(_ id: AccountID) -> AccountIndex? { accountIndices[id] }
    func node(named name: NodeName, of account: AccountIndex) -> NodeSlot? {
        nodeSlots.byName[NodeKey(account: account, name: name)]
    }
    @inline(__always)
    func node(at connection: ConnectionID) -> NodeSlot? { nodeSlots.byConnection[connection] }
    func node(of boot: BootID) -> NodeSlot? { nodeSlots.byBoot[boot] }
    func device(_ id: DeviceID) -> DeviceSlot? { deviceSlots.slot(of: id) { devices[$0].id } }

    func device(_ id: DeviceID, of account: AccountIndex) -> DeviceSlot? {
        guard let slot = device(id), devices[slot].account == account else { return nil }
        return slot
    }

    /// The account of a device, awaited or not; nil for an unknown device.
    func owner(of id: DeviceID) -> AccountIndex? {
        device(id).map { devices[$0].account } ?? awaited.account(of: id)
    }

    func devices(of key: NodeKey) -> [DeviceID] {
        guard let node = node(named: key.name, of: key.account), nodes[node].devices > 0 else { return [] }
        return devices.filter { $0.node == node && !$0.isRemoved }.map(\.id)
    }

    /// The account with an ID, added if it is new; nil if the table is full.
    mutating func accountMade(_ id: AccountID) -> AccountIndex? {
        if let known = accountIndices[id] { return known }
        guard hasRoomForAccount else { return nil }
        let record = AccountRecord(id: id, sequence: newestOfRemoved)
        let index: AccountIndex
        if let free = freeAccounts.popLast() {
            index = free
            accounts[Int(free)] = record
        } else {
            index = AccountIndex(accounts.count)
            accounts.append(record)
        }
        accountIndices[id] = index
        return index
    }

    var hasRoomForAccount: Bool { !freeAccounts.isEmpty || accounts.count < Self.accountsAtMost }

    /// Frees the slot of an account, which must not have other data.
    mutating func free(_ account: AccountIndex) {
        let record = accounts[Int(account)]
        accountIndices[record.id] = nil
        newestOfRemoved = max(newestOfRemoved, record.sequence)
        accounts[Int(account)].isFree = true
        freeAccounts.append(account)
    }

    /// Adds a node; nil if the table is full.
    mutating func addNode(_ make: (NodeIndex) -> NodeRecord) -> NodeSlot? {
        guard let slot = place(make) else { return nil }
        nodeSlots.insert(nodes[slot].key, nodes[slot].link, at: slot)
        return slot
    }

    var hasRoomForNode: Bool { !freeNodes.isEmpty || nodes.count < Self.nodesAtMost }

    /// Whether an account has a placeholder node for awaited devices.
    func hasNowhere(_ account: AccountIndex) -> Bool { nowhere[account] != nil }

    private mutating func place(_ make: (NodeIndex) -> NodeRecord) -> NodeSlot? {
        guard hasRoomForNode else { return nil }
        let node = make(NodeIndex(nextNode))
        nextNode += 1
        if let free = freeNodes.popLast() {
            nodes[free] = node
            return free
        }
        nodes.append(node)
        return nodes.count - 1
    }

    /// Frees the slot of a node, which must have neither devices nor requests.
    mutating func free(_ slot: NodeSlot) {
        let node = nodes[slot]
        nodeSlots.remove(node.key, node.link, at: slot)
        if nowhere[node.account] == slot { nowhere[node.account] = nil }
        nodes[slot].kind = .free
        freeNodes.append(slot)
    }

    /// Records a new connection of a node, and perhaps a new boot.
    mutating func moveNode(_ slot: NodeSlot, to connection: ConnectionID, bootID: BootID) {
        nodeSlots.remove(nodes[slot].link, at: slot)
        if nodes[slot].link.bootID != bootID { nodes[slot].boot = BootRecord() }
        nodes[slot].link.move(to: connection, bootID: bootID)
        nodeSlots.insert(nodes[slot].link, at: slot)
    }

    /// Adds a device; nil if the table is full.
    mutating func addDevice(_ device: DeviceRecord) -> DeviceSlot? {
        guard devices.count < Self.devicesAtMost else { return nil }
        let slot = devices.count
        devices.append(device)
        let devices = devices
        deviceSlots.insert(device.id, at: slot) { devices[$0].id }
        names.claim(device.name, in: device.account, for: slot)
        count(slot, by: +1)
        countGroup(device.group, of: device.account, by: +1)
        accounts[Int(device.account)].devices += 1
        accountsWithDevices.insert(device.account)
        return slot
    }

    /// Awaits the devices that nodes had in an earlier run of the controller.
    mutating func expect(_ lists: [(key: NodeKey, devices: [DeviceID])]) {
        awaited = AwaitedDevices(lists)
        accountsWithDevices.formUnion(awaited.accounts)
    }

    mutating func name(_ id: DeviceID, at key: NodeKey) -> AwaitedDevices.Claim {
        let claim = awaited.name(id, at: key)
        reviewDevices(of: key.account)
        return claim
    }

    /// Ends the wait for a node's devices: its whole table has arrived.
    mutating func endAwaiting(_ key: NodeKey) {
        awaited.end(key)
        reviewDevices(of: key.account)
    }

    /// Removes and returns the nodes that have fewer devices than their stored lists.
    mutating func drainShrunk() -> Set<NodeKey> {
        let all = shrunk.union(awaited.robbed)
        (shrunk, awaited.robbed) = ([], [])
        return all
    }

    private mutating func reviewDevices(of account: AccountIndex) {
        guard accounts[Int(account)].devices == 0, awaited.count(of: account) == 0 else { return }
        accountsWithDevices.remove(account)
    }

    /// The slot of an account's device that no node has named yet, added if it has none; nil for a foreign
    /// device, or if the table is full.
    mutating func awaited(_ id: DeviceID, of account: AccountIndex, at now: Moment) -> DeviceSlot? {
        if device(id) != nil { return device(id, of: account) }
        guard let node = nowhere(of: account, at: now) else { return nil }
        let anything = ACState(isOn: false, mode: .auto, targetTemperature: 0, fanLevel: .auto)
        var record = DeviceRecord(
            id: id, name: "", node: node, account: account, boot: 0, number: .zero,
            reported: DeviceState(state: anything, version: .zero, incarnation: Incarnation(bits: 0)),
            lastCommandNumber: .zero, connectedSince: now.wall, asOf: now.wall, isConnected: false)
        record.status = .awaited
        return addDevice(record)
    }

    private mutating func nowhere(of account: AccountIndex, at now: Moment) -> NodeSlot? {
        if let known = nowhere[account] { return known }
        guard let name = NodeName("nowhere") else { return nil }
        let slot = place { index in
            var record = NodeRecord(
                index: index, name: name, account: account,
                link: NodeLink(ConnectionID(high: 0, low: 0), BootID(bits: 0)),
                lease: NodeLease(Presence(.unknown, since: now.wall), renewedAt: now.monotonic),
                devicesAnnounced: 0)
            record.kind = .nowhere
            return record
        }
        nowhere[account] = slot
        return slot
    }

    /// Removes a device; its slot stays empty.
    mutating func removeDevice(_ slot: DeviceSlot) {
        count(slot, by: -1)
        countGroup(devices[slot].group, of: devices[slot].account, by: -1)
        devices[slot].status = .removed
        names.release(devices[slot].name, in: devices[slot].account, by: slot)
        accounts[Int(devices[slot].account)].devices -= 1
        reviewDevices(of: devices[slot].account)
        settings[devices[slot].id] = nil
        let devices = devices
        deviceSlots.remove(devices[slot].id) { devices[$0].id }
    }

    /// Changes a device's record, and the counts of its node and group.
    mutating func updateDevice(_ slot: DeviceSlot, _ change: (inout DeviceRecord) -> Void) {
        let (node, group) = (devices[slot].node, devices[slot].group)
        let wasConnected = devices[slot].isConnected
        change(&devices[slot])
        if devices[slot].node != node || devices[slot].isConnected != wasConnected {
            nodes[node].count(isConnected: wasConnected, by: -1)
            count(slot, by: +1)
        }
        guard devices[slot].group != group else { return }
        countGroup(group, of: devices[slot].account, by: -1)
        countGroup(devices[slot].group, of: devices[slot].account, by: +1)
    }

    private mutating func countGroup(_ group: GroupNumber, of account: AccountIndex, by step: Int) {
        accounts[Int(account)].groups.count(group, by: step)
    }

    private mutating func count(_ slot: DeviceSlot, by step: Int) {
        nodes[devices[slot].node].count(isConnected: devices[slot].isConnected, by: step)
    }

    /// The presence of a device, joined with that of its node.
    func presence(of slot: DeviceSlot) -> Presence {
        let device = devices[slot]
        return Presence.joined(
            node: nodes[device.node].presence, isConnected: device.isConnected,
            connectedSince: device.connectedSince)
    }

    // MARK: Settings

    /// Replaces the settings of a device; returns whether they changed.
    @inline(__always)
    mutating func set(_ settings: DeviceSettings?, of device: DeviceID) -> Bool {
        // The usual case: no device has settings.
        guard settings != nil || !self.settings.isEmpty else { return false }
        guard self.settings[device] != settings else { return false }
        self.settings[device] = settings
        return true
    }
}
