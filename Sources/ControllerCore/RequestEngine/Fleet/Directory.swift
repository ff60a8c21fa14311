import FleetProtocol
import FleetTime

/// An account's place in the directory.
typealias AccountIndex = Int32

/// An account as the controller knows it.
struct AccountRecord: Sendable {
    let id: AccountID
    /// The newest update of its stream.
    var sequence = StreamSequence.zero
    /// The groups of its devices.
    var groups = GroupTable()
    /// The account has gone, and another may take its place.
    var isFree = false
    /// Its devices that have a place.
    fileprivate(set) var devices: Int32 = 0
}

/// Which accounts, nodes and devices there are, each at a place that never moves.
///
/// What has given up its place leaves it to another, and its number to none.
struct Directory: Sendable {
    /// Accounts and nodes that a controller takes at most.
    static let accountsAtMost = 4_096
    static let nodesAtMost = Limits.controllerNodes
    /// Devices over all nodes.
    static let devicesAtMost = 4_000_000

    var accounts: [AccountRecord] = []
    var nodes: [NodeRecord] = []
    var devices = PagedArray<DeviceRecord>()
    private var accountIndices: [AccountID: AccountIndex] = [:]
    private var nodeSlots = NodeIndexes()
    private var deviceSlots = DeviceIndex()
    /// What devices are set to do by themselves; of the few that are.
    private(set) var settings: [DeviceID: DeviceSettings] = [:]
    /// Devices that nodes had in an earlier life of the controller, and that none has named in this one.
    private(set) var awaited = AwaitedDevices()
    /// Accounts that have devices, or had some when they were heard of last.
    private(set) var accountsWithDevices: Set<AccountIndex> = []
    /// Where those of an account are that have a place.
    private var nowhere: [AccountIndex: NodeSlot] = [:]
    /// Nodes that have lost devices for good, or to others, since it was kept which they have.
    var shrunk: Set<NodeKey> = []
    /// Places that others may take.
    private var freeAccounts: [AccountIndex] = []
    private var freeNodes: [NodeSlot] = []
    /// The number of the next node: none is given twice.
    private var nextNode: UInt64 = 0
    /// The newest update of an account that has given up its place: one that comes back counts on from it.
    private var newestOfGone = StreamSequence.zero

    func account(_ id: AccountID) -> AccountIndex? { accountIndices[id] }
    func node(named name: NodeName, of account: AccountIndex) -> NodeSlot? {
        nodeSlots.byName[NodeKey(account: account, name: name)]
    }
    @inline(__always)
    func node(at connection: ConnectionID) -> NodeSlot? { nodeSlots.byConnection[connection] }
    func node(of boot: BootID) -> NodeSlot? { nodeSlots.byBoot[boot] }
    func device(_ id: DeviceID) -> DeviceSlot? { deviceSlots.slot(of: id) { devices[$0].id } }

    /// The device of an account; a foreign one and one that does not exist look the same.
    func device(_ id: DeviceID, of account: AccountIndex) -> DeviceSlot? {
        guard let slot = device(id), devices[slot].account == account else { return nil }
        return slot
    }

    /// Whose a device is, awaited or not; nil when nobody ever had it.
    func owner(of id: DeviceID) -> AccountIndex? {
        device(id).map { devices[$0].account } ?? awaited.account(of: id)
    }

    /// The devices of a node that have been named in this life of the controller.
    func devices(of key: NodeKey) -> [DeviceID] {
        guard let node = node(named: key.name, of: key.account), nodes[node].devices > 0 else { return [] }
        return devices.filter { $0.node == node && !$0.isRemoved }.map(\.id)
    }

    /// The account of that id, made if it is new; nil when there is no room.
    mutating func accountMade(_ id: AccountID) -> AccountIndex? {
        if let known = accountIndices[id] { return known }
        guard hasRoomForAccount else { return nil }
        let record = AccountRecord(id: id, sequence: newestOfGone)
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

    /// Whether an account can be added.
    var hasRoomForAccount: Bool { !freeAccounts.isEmpty || accounts.count < Self.accountsAtMost }

    /// Leaves the place of an account to another; nothing may be known of it any more.
    mutating func free(_ account: AccountIndex) {
        let record = accounts[Int(account)]
        accountIndices[record.id] = nil
        newestOfGone = max(newestOfGone, record.sequence)
        accounts[Int(account)].isFree = true
        freeAccounts.append(account)
    }

    /// Takes a node in; nil when there is no room.
    mutating func addNode(_ make: (NodeIndex) -> NodeRecord) -> NodeSlot? {
        guard let slot = place(make) else { return nil }
        nodeSlots.insert(nodes[slot].key, nodes[slot].link, at: slot)
        return slot
    }

    /// Whether a node can be taken in.
    var hasRoomForNode: Bool { !freeNodes.isEmpty || nodes.count < Self.nodesAtMost }

    /// Whether an account has a place for devices that no node has named yet.
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

    /// Leaves the place of a node to another; nothing may be known of it any more.
    mutating func free(_ slot: NodeSlot) {
        let node = nodes[slot]
        nodeSlots.remove(node.key, node.link, at: slot)
        if nowhere[node.account] == slot { nowhere[node.account] = nil }
        nodes[slot].kind = .free
        freeNodes.append(slot)
    }

    /// A node has another connection, and perhaps another life.
    mutating func moveNode(_ slot: NodeSlot, to connection: ConnectionID, bootID: BootID) {
        nodeSlots.remove(nodes[slot].link, at: slot)
        if nodes[slot].link.bootID != bootID { nodes[slot].beginBoot() }
        nodes[slot].link.move(to: connection, bootID: bootID)
        nodeSlots.insert(nodes[slot].link, at: slot)
    }

    /// Takes a device in; nil when there is no room.
    mutating func addDevice(_ device: DeviceRecord) -> DeviceSlot? {
        guard devices.count < Self.devicesAtMost else { return nil }
        let slot = devices.count
        devices.append(device)
        let devices = devices
        deviceSlots.insert(device.id, at: slot) { devices[$0].id }
        count(slot, by: +1)
        countGroup(device.group, of: device.account, by: +1)
        accounts[Int(device.account)].devices += 1
        accountsWithDevices.insert(device.account)
        return slot
    }

    /// Awaits what nodes had in an earlier life of the controller.
    mutating func expect(_ lists: [(key: NodeKey, devices: [DeviceID])]) {
        awaited = AwaitedDevices(lists)
        accountsWithDevices.formUnion(awaited.accounts)
    }

    /// A node names a device; unless that is another account's, it is awaited no more.
    mutating func name(_ id: DeviceID, at key: NodeKey) -> AwaitedDevices.Claim {
        let claim = awaited.name(id, at: key)
        reviewDevices(of: key.account)
        return claim
    }

    /// A node's whole table has come: nothing more is awaited there.
    mutating func endAwaiting(_ key: NodeKey) {
        awaited.end(key)
        reviewDevices(of: key.account)
    }

    /// Nodes that have fewer devices than is stored of them, since this was last asked.
    mutating func takeShrunk() -> Set<NodeKey> {
        let all = shrunk.union(awaited.robbed)
        (shrunk, awaited.robbed) = ([], [])
        return all
    }

    /// Forgets that an account has devices when the last has gone.
    private mutating func reviewDevices(of account: AccountIndex) {
        guard accounts[Int(account)].devices == 0, awaited.count(of: account) == 0 else { return }
        accountsWithDevices.remove(account)
    }

    /// The device of an account that no node has named yet, given a place if it has none; nil for a foreign
    /// one, or when there is no room.
    mutating func awaited(_ id: DeviceID, of account: AccountIndex, at now: Moment) -> DeviceSlot? {
        if device(id) != nil { return device(id, of: account) }
        guard let node = nowhere(of: account, at: now) else { return nil }
        let anything = ACState(isOn: false, mode: .auto, targetTemperature: 0, fanLevel: .auto)
        var record = DeviceRecord(
            id: id, name: "", node: node, account: account, boot: 0, number: .zero,
            reported: DeviceState(state: anything, version: .zero, incarnation: Incarnation(bits: 0)),
            lastSequence: .zero, connectedSince: now.wall, asOf: now.wall, isConnected: false)
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
                lease: NodeLease(Presence(.unknown, since: now.wall), heardAt: now.monotonic),
                devicesAnnounced: 0)
            record.kind = .nowhere
            return record
        }
        nowhere[account] = slot
        return slot
    }

    /// Takes a device out; its slot stays empty.
    mutating func removeDevice(_ slot: DeviceSlot) {
        count(slot, by: -1)
        countGroup(devices[slot].group, of: devices[slot].account, by: -1)
        devices[slot].status = .removed
        accounts[Int(devices[slot].account)].devices -= 1
        reviewDevices(of: devices[slot].account)
        settings[devices[slot].id] = nil
        let devices = devices
        deviceSlots.remove(devices[slot].id) { devices[$0].id }
    }

    /// Changes a device's row, and the counts of its node with it.
    mutating func updateDevice(_ slot: DeviceSlot, _ change: (inout DeviceRecord) -> Void) {
        count(slot, by: -1)
        let group = devices[slot].group
        change(&devices[slot])
        count(slot, by: +1)
        guard devices[slot].group != group else { return }
        countGroup(group, of: devices[slot].account, by: -1)
        countGroup(devices[slot].group, of: devices[slot].account, by: +1)
    }

    private mutating func countGroup(_ group: GroupNumber, of account: AccountIndex, by step: Int) {
        accounts[Int(account)].groups.count(group, by: step)
    }

    private mutating func count(_ slot: DeviceSlot, by step: Int) {
        let node = devices[slot].node
        nodes[node].devices = UInt32(Int(nodes[node].devices) + step)
        guard devices[slot].isConnected else { return }
        nodes[node].connectedDevices = UInt32(Int(nodes[node].connectedDevices) + step)
    }

    /// A device's presence, its node's joined with its own.
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
