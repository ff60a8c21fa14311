import FleetProtocol

/// The comings and goings of nodes: each kept once, and not with each device that lives there.
struct NodeHistories: Sendable {
    /// Events of a node that are kept.
    typealias Events = InlineRing<8, HistoryEvent>

    /// Nodes that are kept at most; beyond, all are begun anew.
    static let limit = 1_024

    private var events: [NodeName: Events] = [:]

    /// How many nodes have a history.
    var count: Int { events.count }

    /// What happened to a node last, oldest first.
    subscript(node: NodeName) -> [HistoryEvent] { events[node]?.values ?? [] }

    mutating func note(_ event: HistoryEvent, of node: NodeName) {
        if events[node] == nil, events.count >= Self.limit { events.removeAll(keepingCapacity: true) }
        events[node, default: Events(filler: .blank)].append(event)
    }
}
