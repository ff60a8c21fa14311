public import FleetProtocol

/// All devices of an account, pulled chunk by chunk.
public struct FleetSnapshot: Equatable, Sendable {
    /// The controller's start number.
    public let epoch: Epoch
    /// The account's newest update at the time of the first chunk: rows may be newer, never older.
    public let sequence: StreamSequence
    /// Every node with devices of the account, in the order of their indices.
    public let nodes: [SnapshotChunk.Node]
    /// The devices, in the order of their slots.
    public let rows: [SnapshotChunk.Row]
    /// Every group of the account, in the order of their numbers.
    public let groups: [SnapshotChunk.Group]
    /// Whether the controller had just started, so that devices may be missing.
    public let isSettling: Bool

    private let nodesByIndex: [NodeIndex: SnapshotChunk.Node]
    private let groupsByNumber: [GroupNumber: DeviceGroup]

    /// A snapshot with the given values; of two entries for one node, the later counts.
    public init(
        epoch: Epoch, sequence: StreamSequence, nodes: [SnapshotChunk.Node],
        groups: [SnapshotChunk.Group] = [], rows: [SnapshotChunk.Row], isSettling: Bool = false
    ) {
        let latest = Dictionary(nodes.map { ($0.index, $0) }) { _, later in later }
        (self.epoch, self.sequence) = (epoch, sequence)
        self.nodes = latest.values.sorted { $0.index < $1.index }
        (self.groups, self.rows, self.isSettling) = (groups, rows, isSettling)
        nodesByIndex = latest
        groupsByNumber = Dictionary(groups.map { ($0.number, $0.group) }) { _, later in later }
    }

    /// A device's group; nil for a number that no chunk named.
    public func group(of row: SnapshotChunk.Row) -> DeviceGroup? { groupsByNumber[row.group] }

    /// A device's node; nil for an index that no chunk named.
    public func node(of row: SnapshotChunk.Row) -> SnapshotChunk.Node? { nodesByIndex[row.node] }

    /// Returns a device's presence: its node's, combined with its own; unknown for an unnamed node.
    public func presence(of row: SnapshotChunk.Row) -> Presence {
        let node = nodesByIndex[row.node]?.presence ?? Presence(.unknown, since: row.asOf)
        return Presence.joined(node: node, isConnected: row.isConnected, connectedSince: row.connectedSince)
    }
}
