public import FleetProtocol
import Stepping

/// A node's place in the directory.
typealias NodeSlot = Int

/// A node as the controller knows it: a lease, a connection, and how far its changes have arrived.
struct NodeRecord: Sendable {
    /// A table being asked for, chunk by chunk.
    struct Pull: Sendable {
        let since: ChangeNumber
        /// Chunks name it: an answer to another pull may be older than what is known by now.
        let number: UInt64
        var cursor: UInt32 = 0
        /// How far the node had got when it made the first chunk; nil before one came.
        var covered: ChangeNumber?
        /// When to ask again for the chunk that has not come.
        var dueAt: MonotonicTime
    }

    /// Another life of it that has said hello, and has to say it again before it is believed to be alive.
    struct Successor: Equatable, Sendable {
        let bootID: BootID
        let connection: ConnectionID
    }

    /// What stands at a place.
    enum Kind: Sendable {
        case node
        /// No node at all: the place of an account's awaited devices.
        case nowhere
        /// A node that has given up its place.
        case free
    }

    let index: NodeIndex
    let name: NodeName
    let account: AccountIndex
    var bootID: BootID
    /// Rises with each boot: change numbers compare only within one.
    var boot: UInt32 = 1
    var connection: ConnectionID
    var presence: Presence
    /// A timer will look at its lease.
    var hasLeaseTimer = false
    var kind = Kind.node
    /// Who wants its place; nil while nobody does.
    var successor: Successor?
    /// This life of it has ended in good order; only another one brings it back.
    var hasLeft = false
    /// When it was last heard; the controller's own absences are added.
    var lastHeardAt: MonotonicTime
    var arrivals = ArrivalWindow()
    var pull: Pull?
    /// All that this life of it began with has come.
    var hasTable = false
    /// When a gap was first seen; nil while there is none.
    var gapSince: MonotonicTime?
    /// A client knows a newer state than we do: the node is asked, gap or not.
    var isQuestioned = false
    /// Nodes that hold devices which it claims too.
    var refusedFor: Set<NodeSlot> = []
    /// Devices that do not remember what they told in an earlier boot, and are to begin new incarnations.
    var forgetful: Set<DeviceSlot> = []
    /// The devices that it may host; nil: any.
    var range: HostedRange?
    /// The groups that it named, as their account numbers them.
    var groups: [GroupNumber] = []
    /// How many devices it said that it has.
    var devicesAnnounced: UInt32
    /// Devices in the directory that live here, and those of them that say they are connected.
    var devices: UInt32 = 0
    var connectedDevices: UInt32 = 0
    /// Requests whose command went here and which have not ended.
    var dispatched: [RequestSlot] = []

    /// Whether commands reach it, as far as anybody knows.
    var isReachable: Bool {
        switch presence.kind {
        case .online, .stale: true
        case .offline, .unknown: false
        }
    }

    /// Whether it is being asked for rows, or will be next: lanes go on when they have come.
    var isBeingRepaired: Bool { pull != nil || isQuestioned }

    /// Whether it is away, and has nothing that it could come back for.
    var isIdle: Bool {
        kind != .free && !isReachable && devices == 0 && dispatched.isEmpty && !hasLeaseTimer
    }

    /// Whether its table is on its way.
    var isSettling: Bool { isReachable && (pull.map(isWhole) ?? false) }

    /// Whether with the end of a pull all is here that it had: what came before has no gap.
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

/// Devices of one node.
public struct NodeDevices: Hashable, Sendable {
    /// Nodes that are remembered at most.
    public static let nodesAtMost = Directory.nodesAtMost
    /// Devices that are remembered at most, over all nodes.
    public static let devicesAtMost = Directory.devicesAtMost

    /// Whose node it is.
    public let account: AccountID
    /// The node's name, within its account.
    public let node: NodeName
    /// The devices, in no particular order.
    public var devices: [DeviceID]

    /// Those devices of that node.
    public init(account: AccountID, node: NodeName, devices: [DeviceID]) {
        self.account = account
        self.node = node
        self.devices = devices
    }
}

/// The devices that a node may host, with what undoes their ids.
struct HostedRange: Sendable {
    private let keys: FleetKeys
    private let indices: Range<UInt64>

    init(_ range: DeviceRange) {
        keys = FleetKeys(seed: range.seed)
        indices = range.indices
    }

    func contains(_ device: DeviceID) -> Bool { indices.contains(device.index(in: keys)) }
}

/// Why something that a node said is not taken.
public enum NodeRefusal: String, CaseIterable, Sendable {
    /// The connection, or the boot, has not said hello.
    case notGreeted
    /// Rows that answer no pull, as the second answer to one does.
    case unasked
    /// The boot has said that it leaves.
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
    /// A device refuses an epoch, and names none that is higher.
    case groundlessRefusal
    /// A device does not remember what it has told.
    case memoryWentBack

    /// Whether the network alone explains it: messages are late, doubled, and overtake one another.
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

/// Which of a node's changes have arrived, over both of its sockets, in whatever order.
struct ArrivalWindow: Sendable {
    /// Numbers remembered beyond the first gap; more than that and the gap is pulled anyway.
    private static let capacity = 4_096

    /// Everything up to here has arrived.
    private(set) var contiguous: ChangeNumber
    /// The newest number that the node has spoken of.
    private(set) var announced: ChangeNumber
    private var beyond: Set<UInt64> = []

    init(from number: ChangeNumber = .zero) {
        contiguous = number
        announced = number
    }

    /// Whether something that the node has spoken of has not arrived.
    var hasGap: Bool { contiguous < announced }

    /// The node says that it has got this far.
    mutating func announce(_ number: ChangeNumber) {
        announced = max(announced, number)
    }

    /// A change has arrived.
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

    /// Everything up to here has been pulled.
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
