import FleetProtocol

/// Devices that nodes had in an earlier run of the controller, and that no node has named in this one. A hash
/// table with open addressing: 13 bytes for each device, and empty once every node has sent its table. There
/// may be millions of devices, and a controller that starts has no time to sort them.
struct AwaitedDevices: Sendable {
    enum Claim: Equatable {
        /// The node had the device before.
        case known
        /// The device is new, or comes from another node of the same account.
        case new
        /// The device belongs to another account, or to another node.
        case refused
    }

    private struct Node: Sendable {
        let key: NodeKey
        /// The number of its devices that no node has named yet.
        var devices: Int
    }

    /// The node index that marks a device which a node has named.
    private static let named = UInt16.max

    /// The bits of the devices, each at its hash or at the next place that was free; zero at an empty place.
    /// At least one place is empty, so that every search ends.
    private var bits: [UInt64] = []
    /// The node of the device at each place, as an index of `nodes`.
    private var holders: [UInt16] = []
    private var nodes: [Node] = []
    /// The nodes whose tables have not arrived, as indices of `nodes`.
    private var places: [NodeKey: UInt16] = [:]
    private var count = 0
    /// The number of awaited devices of each account that has some.
    private var counts: [AccountIndex: Int] = [:]
    /// Nodes that have lost devices to other nodes since the set was last emptied.
    var robbed: Set<NodeKey> = []

    /// Awaits the devices that each node had, up to the maximum numbers of devices and nodes.
    init(_ lists: [(key: NodeKey, devices: [DeviceID])] = []) {
        makeRoom(for: min(lists.reduce(0) { $0 + $1.devices.count }, Directory.devicesAtMost))
        for (key, devices) in lists.prefix(Directory.nodesAtMost) where !devices.isEmpty {
            let node = UInt16(nodes.count)
            let before = count
            for device in devices.prefix(Directory.devicesAtMost - count) { insert(device.bits, of: node) }
            nodes.append(Node(key: key, devices: count - before))
            if count > before { counts[key.account, default: 0] += count - before }
            places[key] = node
        }
    }

    func awaits(_ node: NodeKey) -> Bool { places[node] != nil }

    func account(of device: DeviceID) -> AccountIndex? {
        place(of: device).map { nodes[Int(holders[$0])].key.account }
    }

    func count(of account: AccountIndex) -> Int { counts[account, default: 0] }

    var accounts: Set<AccountIndex> { Set(counts.keys) }

    var accountsOfNodes: Set<AccountIndex> {
        accounts.union(places.keys.lazy.map(\.account)).union(robbed.lazy.map(\.account))
    }

    /// Handles a node's claim of a device, which is then no longer awaited unless the claim is refused.
    mutating func name(_ device: DeviceID, at key: NodeKey) -> Claim {
        var claim = Claim.new
        while let place = place(of: device) {
            let node = Int(holders[place])
            guard nodes[node].key.account == key.account else { return .refused }
            if nodes[node].key == key { claim = .known } else { robbed.insert(nodes[node].key) }
            nodes[node].devices -= 1
            count -= 1
            subtract(1, of: key.account)
            holders[place] = Self.named
        }
        return claim
    }

    /// The devices of a node that no node has named yet.
    func devices(of node: NodeKey) -> [DeviceID] {
        guard let place = places[node], nodes[Int(place)].devices > 0 else { return [] }
        return bits.indices.compactMap { holders[$0] == place ? DeviceID(bits: bits[$0]) : nil }
    }

    /// Ends the wait for a node's devices, because its whole table has arrived.
    mutating func end(_ node: NodeKey) {
        guard let place = places.removeValue(forKey: node) else { return }
        if nodes[Int(place)].devices > 0 {
            for index in holders.indices where holders[index] == place { holders[index] = Self.named }
            count -= nodes[Int(place)].devices
            subtract(nodes[Int(place)].devices, of: node.account)
            nodes[Int(place)].devices = 0
        }
        if count < bits.count / 4 { shrink() }
    }

    private mutating func subtract(_ devices: Int, of account: AccountIndex) {
        let left = count(of: account) - devices
        counts[account] = left > 0 ? left : nil
    }

    private mutating func shrink() {
        let (oldBits, oldHolders) = (bits, holders)
        makeRoom(for: count)
        count = 0
        for index in oldBits.indices where oldBits[index] != 0 && oldHolders[index] != Self.named {
            insert(oldBits[index], of: oldHolders[index])
        }
    }

    /// Replaces the table by an empty one for a number of devices, with a third more places.
    private mutating func makeRoom(for devices: Int) {
        let capacity = devices == 0 ? 0 : devices + devices / 3 + 1
        bits = Array(repeating: 0, count: capacity)
        holders = Array(repeating: Self.named, count: capacity)
    }

    private mutating func insert(_ device: UInt64, of node: UInt16) {
        var place = home(of: device)
        while bits[place] != 0 { place = next(place) }
        bits[place] = device
        holders[place] = node
        count += 1
    }

    /// A place of an awaited device; nil for other devices. A device can have two places, if it moved and the
    /// run ended before both device lists were stored.
    private func place(of device: DeviceID) -> Int? {
        guard count > 0 else { return nil }
        var place = home(of: device.bits)
        while bits[place] != 0 {
            if bits[place] == device.bits, holders[place] != Self.named { return place }
            place = next(place)
        }
        return nil
    }

    private func home(of device: UInt64) -> Int {
        Int(SeededGenerator.mixed(device).multipliedFullWidth(by: UInt64(bits.count)).high)
    }

    private func next(_ place: Int) -> Int { place + 1 == bits.count ? 0 : place + 1 }
}
