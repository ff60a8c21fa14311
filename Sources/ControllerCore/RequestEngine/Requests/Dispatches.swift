import FleetProtocol

/// The resolved command of a request, as sent to the node.
struct Dispatch: Sendable {
    let slot: RequestSlot
    let identity: CommandIdentity
    let change: ACStateChange
    let base: Version?
    let versionBefore: Version
    let resolution: UInt32
    let dispatchedAt: MonotonicTime
    var lastSentAt: MonotonicTime
    var nextResendAt: MonotonicTime
    var resends = 0
    var journalTook: Duration = .zero
    /// Whether an earlier run of the controller sent it.
    var isResumed = false

    /// What the report of an outcome says about it.
    struct Sent {
        let dispatchedAt: MonotonicTime
        let lastSentAt: MonotonicTime
        let journalTook: Duration
        let versionBefore: Version
    }

    var sent: Sent {
        Sent(
            dispatchedAt: dispatchedAt, lastSentAt: lastSentAt, journalTook: journalTook,
            versionBefore: versionBefore)
    }

    var record: DispatchRecord {
        DispatchRecord(
            identity: identity, change: change, base: base, versionBefore: versionBefore,
            resolution: resolution)
    }
}

/// The place of a dispatch: the node that it was sent to, and its index among those of the node.
struct DispatchPlace: Sendable {
    let node: NodeSlot
    let index: Int
}

/// The newest dispatch of each dispatched request, by node.
struct Dispatches: Sendable {
    private var lists: [[Dispatch]] = []

    func slots(at node: NodeSlot) -> [RequestSlot] { node < lists.count ? lists[node].map(\.slot) : [] }
    var slots: [RequestSlot] { lists.flatMap { $0.map(\.slot) } }

    var nodes: Set<NodeSlot> { Set(lists.indices.filter { !lists[$0].isEmpty }) }

    subscript(place: DispatchPlace) -> Dispatch {
        @inline(__always) _read { yield lists[place.node][place.index] }
        @inline(__always) _modify { yield &lists[place.node][place.index] }
    }

    @inline(__always)
    mutating func append(_ dispatch: consuming Dispatch, at node: NodeSlot) -> DispatchPlace {
        while lists.count <= node { lists.append([]) }
        lists[node].append(dispatch)
        return DispatchPlace(node: node, index: lists[node].count - 1)
    }

    /// Removes a dispatch; returns the request whose dispatch is at the place from now on, if there is one.
    @inline(__always)
    mutating func remove(at place: DispatchPlace) -> RequestSlot? {
        let last = lists[place.node].count - 1
        guard place.index < last else {
            lists[place.node].removeLast()
            return nil
        }
        lists[place.node].swapAt(place.index, last)
        lists[place.node].removeLast()
        return lists[place.node][place.index].slot
    }
}
