import FleetProtocol

/// Places of nodes and accounts: those that have gone leave theirs to others when a table is full.
extension Controller {
    /// Places that are freed together at most: to find one takes a look at every node.
    private static let freedTogether = 64

    /// The account of that id, made if it is new; nil when others need all places.
    mutating func accountMade(_ id: AccountID) -> AccountIndex? {
        if let account = directory.accountMade(id) { return account }
        freeAccounts()
        return directory.accountMade(id)
    }

    /// Takes a node in; nil when others need all places.
    mutating func addNode(_ make: (NodeIndex) -> NodeRecord) -> NodeSlot? {
        makeRoomForNode()
        return directory.addNode(make)
    }

    /// Frees places of nodes that have gone, if all are taken.
    mutating func makeRoomForNode() {
        guard !directory.hasRoomForNode else { return }
        let idle = idleNodes().sorted {
            (directory.nodes[$0].lastHeardAt, $0) < (directory.nodes[$1].lastHeardAt, $1)
        }
        for node in idle.prefix(Self.freedTogether) { free(node) }
    }

    /// Nodes that are away, and that neither a device nor a request nor another node needs.
    private func idleNodes() -> [NodeSlot] {
        let idle = directory.nodes.indices.filter { directory.nodes[$0].isIdle }
        guard !idle.isEmpty else { return [] }
        var needed = Set(lanes.keys.lazy.map { directory.devices[$0].node })
        for node in directory.nodes { needed.formUnion(node.refusedFor) }
        return idle.filter { !needed.contains($0) }
    }

    /// Frees accounts without users, devices, requests and texts, with the nodes that have left them.
    mutating func freeAccounts() {
        let idle = idleNodes()
        var needed = access.accounts(in: directory)
        needed.formUnion(directory.awaited.accountsOfNodes)
        needed.formUnion(directory.shrunk.lazy.map(\.account))
        for node in Set(directory.nodes.indices).subtracting(idle) where directory.nodes[node].kind != .free {
            needed.insert(directory.nodes[node].account)
        }
        let gone = Set(
            directory.accounts.indices.map { AccountIndex($0) }
                .filter { !needed.contains($0) && hasNothing($0) }.prefix(Self.freedTogether))
        for node in idle where gone.contains(directory.nodes[node].account) { free(node) }
        for account in gone.sorted() {
            services.logbook.forget(account)
            ended.forget(account)
            directory.free(account)
        }
    }

    private func hasNothing(_ account: AccountIndex) -> Bool {
        let record = directory.accounts[Int(account)]
        return !record.isFree && record.requestsInFlight == 0 && !services.hasData(of: account)
            && !sequences.has(account) && !ended.has(account)
            && !access.streamTickets.has(account)
    }

    private mutating func free(_ node: NodeSlot) {
        nodeCounters[node] = nil
        directory.free(node)
    }
}
