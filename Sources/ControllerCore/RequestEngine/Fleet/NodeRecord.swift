public import FleetProtocol

typealias NodeSlot = Int

/// The controller's record of a node: its lease, its connection, and which of its changes have arrived.
struct NodeRecord: Sendable {
    enum Kind: Sendable {
        case node
        /// A placeholder for a node, which holds an account's awaited devices.
        case nowhere
        /// A slot that a node has given up.
        case free
    }

    let index: NodeIndex
    let name: NodeName
    let account: AccountIndex
    var kind = Kind.node
    var link: NodeLink
    var lease: NodeLease
    var boot = BootRecord()
    /// Whether a hello of this node was compared with the journal since the controller's start.
    var hasShownHistory = false
    var range: HostedRange?
    /// The groups in the node's hello, by their numbers in the account.
    var groups: [GroupNumber] = []
    var devicesAnnounced: UInt32
    /// The directory's devices on this node, and the number of connected ones.
    var devices: UInt32 = 0
    var connectedDevices: UInt32 = 0
    var host = ""

    var presence: Presence { lease.presence }
    var isReachable: Bool { lease.isReachable }

    /// Whether its boot holds the lease, and has not left.
    var isHeld: Bool { isReachable && !link.hasLeft }
    var run: NodeRun { NodeRun(host: host, bootID: link.bootID) }

    /// Whether a device begins a new incarnation, also with a newer memory than the known one.
    func distrusts(_ device: DeviceSlot) -> Bool {
        boot.isDistrusted && boot.lostMemory.contains(device)
    }

    var isIdle: Bool { kind != .free && !isReachable && devices == 0 && !lease.hasTimer }

    var isSettling: Bool { isReachable && boot.changes.isPullingTable }

    @inline(__always)
    mutating func count(isConnected: Bool, by step: Int) {
        devices = UInt32(Int(devices) + step)
        if isConnected { connectedDevices = UInt32(Int(connectedDevices) + step) }
    }

    var key: NodeKey { NodeKey(account: account, name: name) }
}

/// What the controller knows of the present boot of a node: the next one begins anew.
struct BootRecord: Sendable {
    var changes = NodeChanges()
    /// Nodes that hold devices which this node claims too.
    var refusedFor: Set<NodeSlot> = []
    /// The number of released names when a device of the node last had not got its own; nil if all have.
    var namesRefusedAt: UInt64?
    /// Devices that have lost state which they reported in an earlier boot, and must begin new incarnations.
    var lostMemory: Set<DeviceSlot> = []
    /// Whether another boot of the node has served its devices in the meantime, so that those in
    /// `lostMemory` begin new incarnations.
    var isDistrusted = false
    /// The latest counters.
    var counters: NodeCounters?
}

/// A node's name within its account: two accounts may give their nodes the same.
struct NodeKey: Hashable, Comparable, Sendable {
    let account: AccountIndex
    let name: NodeName

    /// By account, then by name.
    static func < (left: NodeKey, right: NodeKey) -> Bool {
        (left.account, left.name) < (right.account, right.name)
    }
}

public struct NodeDevices: Hashable, Sendable {
    public static let nodesAtMost = Directory.nodesAtMost
    /// The maximum number of stored devices, over all nodes.
    public static let devicesAtMost = Directory.devicesAtMost

    public let account: AccountID
    public let node: NodeName
    /// The devices, in no particular order.
    public var devices: [DeviceID]

    /// Creates a list from its fields.
    public init(account: AccountID, node: NodeName, devices: [DeviceID]) {
        (self.account, self.node, self.devices) = (account, node, devices)
    }
}

/// The devices that a node may host, with the keys that map IDs back to indices.
struct HostedRange: Sendable {
    private let keys: FleetKeys
    private let indices: Range<UInt64>

    init(_ range: DeviceRange) {
        keys = FleetKeys(seed: range.seed)
        indices = range.indices
    }

    func contains(_ device: DeviceID) -> Bool { indices.contains(device.index(in: keys)) }
}

/// The slots of nodes by their names, connections and boots.
struct NodeIndexes: Sendable {
    private(set) var byName: [NodeKey: NodeSlot] = [:]
    private(set) var byConnection = WordTable<ConnectionID, NodeSlot>()
    private(set) var byBoot = WordTable<BootID, NodeSlot>()

    mutating func insert(_ key: NodeKey, _ link: NodeLink, at slot: NodeSlot) {
        byName[key] = slot
        insert(link, at: slot)
    }

    mutating func insert(_ link: NodeLink, at slot: NodeSlot) {
        byConnection[link.connection] = slot
        byBoot[link.bootID] = slot
    }

    mutating func remove(_ key: NodeKey, _ link: NodeLink, at slot: NodeSlot) {
        if byName[key] == slot { byName[key] = nil }
        remove(link, at: slot)
    }

    /// Removes the connection and the boot of a slot; an entry that another node has taken stays.
    mutating func remove(_ link: NodeLink, at slot: NodeSlot) {
        if byConnection[link.connection] == slot { byConnection[link.connection] = nil }
        if byBoot[link.bootID] == slot { byBoot[link.bootID] = nil }
    }
}

/// The lease of a node, which its messages renew, and the presence that follows from it.
struct NodeLease: Sendable {
    private(set) var presence: Presence
    /// When the last message arrived, plus the controller's own absences since.
    private(set) var renewedAt: MonotonicTime
    /// Whether a timer is set: a node has at most one.
    private(set) var hasTimer = false

    init(_ presence: Presence, renewedAt: MonotonicTime) {
        (self.presence, self.renewedAt) = (presence, renewedAt)
    }

    /// Whether commands can reach the node: its presence is online or stale.
    var isReachable: Bool {
        switch presence.kind {
        case .online, .stale: true
        case .offline, .unknown: false
        }
    }

    mutating func renew(at now: MonotonicTime) { renewedAt = now }

    mutating func extend(by absence: Duration, at now: MonotonicTime) {
        renewedAt = min(renewedAt.advanced(by: absence), now)
    }

    mutating func set(_ kind: Presence.Kind, at now: WallTime) -> Bool {
        guard presence.kind != kind else { return false }
        presence = Presence(kind, since: now)
        return true
    }

    /// Returns when to check the lease of a node that has become reachable; nil if a timer is set.
    mutating func setTimer(at now: MonotonicTime) -> MonotonicTime? {
        guard !hasTimer else { return nil }
        hasTimer = true
        return now.advanced(by: Limits.staleAfter)
    }

    /// Returns the presence that follows from the silence, if it may have changed, and when to check again.
    mutating func check(at now: MonotonicTime) -> (kind: Presence.Kind?, next: MonotonicTime?) {
        hasTimer = false
        guard isReachable else { return (nil, nil) }
        let silence = renewedAt.duration(to: now)
        guard silence < Limits.lease else { return (.offline(.nodeLost), nil) }
        hasTimer = true
        let isStale = silence >= Limits.staleAfter
        return (isStale ? .stale : nil, renewedAt.advanced(by: isStale ? Limits.lease : Limits.staleAfter))
    }
}
