import FleetProtocol
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
