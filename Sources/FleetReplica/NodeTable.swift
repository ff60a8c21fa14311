public import FleetProtocol

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

    var presenceAt: StreamPosition

    /// Its name, or `?`.
    public var label: String { name?.text ?? "?" }

    /// Returns the presence of one of its devices.
    public func presence(of row: ReplicaRow) -> Presence {
        Presence.joined(node: presence, isConnected: row.isConnected, connectedSince: row.connectedSince)
    }
}

/// The known nodes, each at a fixed place.
///
/// The controller's node numbers are valid for one epoch only; names are permanent. So rows refer to places
/// in this table, and a node that returns with another number has its former place.
///
/// A table of ``nodesAtMost`` nodes replaces those without devices.
struct NodeTable: Sendable {
    private static let nodesAtMost = 2 * Limits.controllerNodes

    private(set) var nodes: [ReplicaNode] = []
    private var placesByName: [NodeName: Int] = [:]
    private var placesByIndex: [NodeIndex: Int] = [:]
    private var free: [Int] = []
    // Speed: see performance.md, "lookups".
    /// The last lookup.
    private var latest: (index: NodeIndex, place: Int)?

    subscript(place: Int) -> ReplicaNode {
        get { nodes[place] }
        _modify { yield &nodes[place] }
    }

    /// The nodes with a number, lowest number first.
    var numbered: [(index: NodeIndex, place: Int)] {
        placesByIndex.map { ($0.key, $0.value) }.sorted { $0.index < $1.index }
    }

    /// Forgets the controller's numbers, because another epoch has different ones.
    mutating func clearIndices() {
        placesByIndex.removeAll(keepingCapacity: true)
        latest = nil
    }

    /// Returns the place of a node with known number and name, and adds it if necessary.
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

    /// Returns the place of a node that is known only by number, and adds it if necessary.
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
        let node = ReplicaNode(name: name, presence: presence, presenceAt: .zero)
        if nodes.count >= Self.nodesAtMost, free.isEmpty { releaseUnused() }
        guard let place = free.popLast() else {
            nodes.append(node)
            return nodes.count - 1
        }
        nodes[place] = node
        return place
    }

    private mutating func releaseUnused() {
        let unused = Set(nodes.indices.filter { nodes[$0].devices == 0 })
        placesByName = placesByName.filter { !unused.contains($0.value) }
        placesByIndex = placesByIndex.filter { !unused.contains($0.value) }
        (free, latest) = (unused.sorted(), nil)
    }
}
