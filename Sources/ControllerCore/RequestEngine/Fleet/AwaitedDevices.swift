import FleetProtocol
import FleetTime

/// Devices that nodes had in an earlier life of the controller, and that no node has named in this one.
///
/// A table with open addressing: 13 bytes a device, and nothing once every node has said what it has. There
/// may be millions, and a controller that starts cannot wait until they are sorted.
struct AwaitedDevices: Sendable {
    /// What it means that a node names a device.
    enum Claim: Equatable {
        /// It was known to be there.
        case known
        /// It was not: it is new, or comes from another node of the same account.
        case new
        /// It belongs to another account, or lives on another node.
        case refused
    }

    private struct Node: Sendable {
        let key: NodeKey
        /// How many of its devices nobody has named yet.
        var devices: Int
    }

    /// Stands for the node of a device that was named.
    private static let named = UInt16.max

    /// The devices' bits, each at the place that follows from them or the next that was free.
    ///
    /// Zero where there is none, which is at one place at least.
    private var bits: [UInt64] = []
    /// The node of each.
    private var holders: [UInt16] = []
    private var nodes: [Node] = []
    /// The places of the nodes whose tables have not come.
    private var places: [NodeKey: UInt16] = [:]
    /// How many devices are awaited.
    private var count = 0
    /// How many of each account, where there are any.
    private var counts: [AccountIndex: Int] = [:]
    /// Nodes whose devices were named by others, since this was last emptied.
    var robbed: Set<NodeKey> = []

    /// Awaits what each node had, as many as there is room for.
    ///
    /// - Parameter lists: At most one for each node.
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

    /// Whether that node's table is awaited.
    func awaits(_ node: NodeKey) -> Bool { places[node] != nil }

    /// The account of a device that is awaited; nil when it is not.
    func account(of device: DeviceID) -> AccountIndex? {
        place(of: device).map { nodes[Int(holders[$0])].key.account }
    }

    /// How many devices of an account are awaited.
    func count(of account: AccountIndex) -> Int { counts[account, default: 0] }

    /// The accounts whose devices are awaited.
    var accounts: Set<AccountIndex> { Set(counts.keys) }

    /// The accounts of all nodes that are known here.
    var accountsOfNodes: Set<AccountIndex> {
        accounts.union(places.keys.lazy.map(\.account)).union(robbed.lazy.map(\.account))
    }

    /// A node names a device; unless that is another account's, nobody is awaited with it any more.
    mutating func name(_ device: DeviceID, at key: NodeKey) -> Claim {
        var claim = Claim.new
        while let place = place(of: device) {
            let node = Int(holders[place])
            guard nodes[node].key.account == key.account else { return .refused }
            if nodes[node].key == key { claim = .known } else { robbed.insert(nodes[node].key) }
            nodes[node].devices -= 1
            count -= 1
            forget(1, of: key.account)
            holders[place] = Self.named
        }
        return claim
    }

    /// What nobody has named of a node's devices.
    func devices(of node: NodeKey) -> [DeviceID] {
        guard let place = places[node], nodes[Int(place)].devices > 0 else { return [] }
        return bits.indices.compactMap { holders[$0] == place ? DeviceID(bits: bits[$0]) : nil }
    }

    /// A node's whole table has come: nothing more is awaited there.
    mutating func end(_ node: NodeKey) {
        guard let place = places.removeValue(forKey: node) else { return }
        if nodes[Int(place)].devices > 0 {
            for index in holders.indices where holders[index] == place { holders[index] = Self.named }
            count -= nodes[Int(place)].devices
            forget(nodes[Int(place)].devices, of: node.account)
            nodes[Int(place)].devices = 0
        }
        if count < bits.count / 4 { shrink() }
    }

    private mutating func forget(_ devices: Int, of account: AccountIndex) {
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

    /// Empties the table, with room for so many and a third more; none for none.
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

    /// A place of a device that is awaited; nil when it is not.
    ///
    /// There may be two where it moved and that was not kept at once.
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
