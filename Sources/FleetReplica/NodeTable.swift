public import FleetProtocol
import FleetTime

/// A node; the presence of its devices is derived from its own.
public struct ReplicaNode: Sendable, Equatable {
    /// Its name; nil if only its number is known.
    public internal(set) var name: NodeName?
    /// Its presence.
    public internal(set) var presence: Presence
    /// The number of the account's devices there.
    public internal(set) var devices = 0
    /// The number of those that report a connection.
    public internal(set) var connected = 0

    /// The position that last wrote the presence.
    var presenceAt: StreamPosition

    /// Its name, or a mark in place of one.
    public var label: String { name?.text ?? "?" }

    /// Returns the presence of one of its devices.
    public func presence(of row: ReplicaRow) -> Presence {
        Presence.joined(node: presence, isConnected: row.isConnected, connectedSince: row.connectedSince)
    }
}

/// The nodes that were heard of, each at a place that stays its own.
///
/// The controller's numbers of nodes hold for one epoch only; their names hold for good. So rows refer to
/// places here, and a node that comes back under another number has its old place.
struct NodeTable: Sendable {
    private(set) var nodes: [ReplicaNode] = []
    private var placesByName: [NodeName: Int] = [:]
    private var placesByIndex: [NodeIndex: Int] = [:]
    /// What was asked for last: the rows of a node follow one another.
    private var latest: (index: NodeIndex, place: Int)?

    subscript(place: Int) -> ReplicaNode {
        get { nodes[place] }
        _modify { yield &nodes[place] }
    }

    /// The nodes that have a number, the lowest first.
    var numbered: [(index: NodeIndex, place: Int)] {
        placesByIndex.map { ($0.key, $0.value) }.sorted { $0.index < $1.index }
    }

    /// Forgets the controller's numbers: another epoch gives others.
    mutating func forgetIndices() {
        placesByIndex.removeAll(keepingCapacity: true)
        latest = nil
    }

    /// Where a node is whose number and name are known, made if need be.
    mutating func place(of node: SnapshotChunk.Node) -> Int {
        if let place = placesByIndex[node.index] {
            if nodes[place].name == node.name { return place }
            guard nodes[place].name == nil else { return renumber(node) }
            nodes[place].name = node.name
            placesByName[node.name] = place
            return place
        }
        return renumber(node)
    }

    /// Where a node is of which only the number is known, made if need be.
    mutating func place(of index: NodeIndex, at time: WallTime) -> Int {
        if let latest, latest.index == index { return latest.place }
        let place = placesByIndex[index] ?? append(name: nil, presence: Presence(.unknown, since: time))
        placesByIndex[index] = place
        latest = (index, place)
        return place
    }

    private mutating func renumber(_ node: SnapshotChunk.Node) -> Int {
        let place = placesByName[node.name] ?? append(name: node.name, presence: node.presence)
        placesByName[node.name] = place
        placesByIndex[node.index] = place
        latest = nil
        return place
    }

    private mutating func append(name: NodeName?, presence: Presence) -> Int {
        nodes.append(ReplicaNode(name: name, presence: presence, presenceAt: .zero))
        return nodes.count - 1
    }
}
