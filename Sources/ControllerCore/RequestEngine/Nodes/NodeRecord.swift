public import FleetProtocol
import FleetTime

/// A node's index in the directory.
typealias NodeSlot = Int

/// The controller's record of a node: its lease, its connection, and which of its changes have arrived.
struct NodeRecord: Sendable {
    /// A transfer of a node's table, chunk by chunk.
    struct Pull: Sendable {
        let since: ChangeNumber
        /// The number that chunks repeat: a chunk of an earlier pull may be outdated.
        let number: UInt64
        var cursor: UInt32 = 0
        /// The node's change number when it made the first chunk; nil before that chunk arrives.
        var covered: ChangeNumber?
        /// When to request the missing chunk again.
        var dueAt: MonotonicTime
    }

    /// A later boot that has sent a hello, and counts as alive once it repeats the hello.
    struct Successor: Equatable, Sendable {
        let bootID: BootID
        let connection: ConnectionID
    }

    /// The use of a slot in the node table.
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
    var bootID: BootID
    /// Incremented with each boot: change numbers compare only within one boot.
    var boot: UInt32 = 1
    var connection: ConnectionID
    var presence: Presence
    /// Whether a timer for its lease is set.
    var hasLeaseTimer = false
    var kind = Kind.node
    /// A later boot that may take over the slot; nil without one.
    var successor: Successor?
    /// Whether this boot has ended in good order; only a later boot brings the node back.
    var hasLeft = false
    /// When its last message arrived, plus the controller's own absences since.
    var lastHeardAt: MonotonicTime
    var arrivals = ArrivalWindow()
    var pull: Pull?
    /// Whether the whole initial table of this boot has arrived.
    var hasTable = false
    /// When a gap was first seen; nil without a gap.
    var gapSince: MonotonicTime?
    /// Whether a client knows a newer state than the controller: the node is asked even without a gap.
    var isQuestioned = false
    /// Nodes that hold devices which this node claims too.
    var refusedFor: Set<NodeSlot> = []
    /// Devices that have lost state which they reported in an earlier boot, and must begin new incarnations.
    var forgetful: Set<DeviceSlot> = []
    /// The devices that the node may host; nil for any.
    var range: HostedRange?
    /// The groups in the node's hello, by their numbers in the account.
    var groups: [GroupNumber] = []
    /// The number of devices that the node announced.
    var devicesAnnounced: UInt32
    /// The directory's devices on this node, and the number of connected ones.
    var devices: UInt32 = 0
    var connectedDevices: UInt32 = 0
    /// Open requests whose command was sent to this node.
    var dispatched: [RequestSlot] = []

    /// Whether commands can reach the node: its presence is online or stale.
    var isReachable: Bool {
        switch presence.kind {
        case .online, .stale: true
        case .offline, .unknown: false
        }
    }

    /// Whether rows are being pulled or will be next; lanes continue when the rows have arrived.
    var isBeingRepaired: Bool { pull != nil || isQuestioned }

    /// Whether the node is unreachable and has no devices, dispatched requests or lease timer.
    var isIdle: Bool {
        kind != .free && !isReachable && devices == 0 && dispatched.isEmpty && !hasLeaseTimer
    }

    /// Whether the whole table is being pulled.
    var isSettling: Bool { isReachable && (pull.map(isWhole) ?? false) }

    /// Whether a pull transfers the whole table: the first pull of a boot, or one of all changes.
    func isWhole(_ pull: Pull) -> Bool { !hasTable || pull.since == .zero }

    var key: NodeKey { NodeKey(account: account, name: name) }
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

/// The devices of one node.
public struct NodeDevices: Hashable, Sendable {
    /// The maximum number of stored nodes.
    public static let nodesAtMost = Directory.nodesAtMost
    /// The maximum number of stored devices, over all nodes.
    public static let devicesAtMost = Directory.devicesAtMost

    /// The account of the node.
    public let account: AccountID
    /// The node's name, within its account.
    public let node: NodeName
    /// The devices, in no particular order.
    public var devices: [DeviceID]

    /// Creates a list from its fields.
    public init(account: AccountID, node: NodeName, devices: [DeviceID]) {
        self.account = account
        self.node = node
        self.devices = devices
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

/// Why a node's message or row is refused.
public enum NodeRefusal: String, CaseIterable, Sendable {
    /// The connection or the boot has not sent a hello.
    case notGreeted
    /// Rows that no open pull requested, such as a second answer to one.
    case unasked
    /// The boot has announced that it leaves.
    case left
    /// The table of nodes, accounts or devices is full.
    case noRoom
    /// Rows name a group that the node's hello does not have.
    case unknownGroup
    /// A hello with the boot of another node.
    case borrowedBoot
    /// A device outside the range for which the node has a token.
    case outOfRange
    /// A device that is not the node's.
    case foreignDevice
    /// Numbers above ``Limits/largestOrdinal``.
    case uncountable
    /// An epoch that no controller can have had.
    case implausibleEpoch
    /// A device refuses an epoch without naming a higher one.
    case groundlessRefusal
    /// A device has lost state that it reported.
    case memoryWentBack

    /// Whether the network alone explains the refusal: it delays, duplicates and reorders messages.
    var isUsual: Bool {
        switch self {
        case .notGreeted, .unasked, .left, .foreignDevice: true
        case .noRoom, .unknownGroup, .borrowedBoot, .outOfRange, .uncountable, .implausibleEpoch,
            .groundlessRefusal, .memoryWentBack:
            false
        }
    }

    /// The reason in words, for a log.
    public var words: String {
        switch self {
        case .notGreeted: "no hello came before it"
        case .unasked: "nothing was asked for"
        case .left: "the node has left"
        case .noRoom: "the table of nodes, accounts or devices is full"
        case .unknownGroup: "a group that the hello does not name"
        case .borrowedBoot: "the boot of another node"
        case .outOfRange: "a device outside the range of the node's token"
        case .foreignDevice: "a device of another node"
        case .uncountable: "a number too high to count on from"
        case .implausibleEpoch: "an epoch more than a day ahead of the clock"
        case .groundlessRefusal: "an epoch refused for none that is higher"
        case .memoryWentBack: "a device's memory went back: it begins a new incarnation"
        }
    }
}

/// The set of a node's changes that have arrived, over both of its sockets and in any order.
struct ArrivalWindow: Sendable {
    /// The capacity for numbers beyond the first gap; later ones are dropped, and a pull recovers them.
    private static let capacity = 4_096

    /// The number up to which all changes have arrived.
    private(set) var contiguous: ChangeNumber
    /// The highest change number that the node has mentioned.
    private(set) var announced: ChangeNumber
    private var beyond: Set<UInt64> = []

    init(from number: ChangeNumber = .zero) {
        contiguous = number
        announced = number
    }

    /// Whether a change that the node has mentioned has not arrived.
    var hasGap: Bool { contiguous < announced }

    /// Records a change number that the node has mentioned.
    mutating func announce(_ number: ChangeNumber) {
        announced = max(announced, number)
    }

    /// Records the arrival of a change.
    mutating func arrive(_ number: ChangeNumber) {
        announce(number)
        guard number > contiguous else { return }
        guard number == contiguous.next else {
            if beyond.count < Self.capacity { beyond.insert(number.value) }
            return
        }
        contiguous = number
        closeUp()
    }

    /// Records that a pull has transferred all changes up to a number.
    mutating func pulled(upTo number: ChangeNumber) {
        guard number > contiguous else { return }
        contiguous = number
        announce(number)
        beyond = beyond.filter { $0 > number.value }
        closeUp()
    }

    private mutating func closeUp() {
        guard !beyond.isEmpty else { return }
        while beyond.remove(contiguous.value + 1) != nil { contiguous = contiguous.next }
    }
}
