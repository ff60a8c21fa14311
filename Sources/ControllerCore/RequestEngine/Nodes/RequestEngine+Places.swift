import FleetProtocol

/// Places of nodes and accounts: those that have gone leave theirs to others when a table is full.
extension RequestEngine {
    /// Places that are freed together at most: to find one takes a look at every node.
    private static let freedTogether = 64

    /// Takes a node in; nil when others need all places.
    mutating func addNode(_ make: (NodeIndex) -> NodeRecord) -> NodeSlot? {
        makeRoomForNode()
        return directory.addNode(make)
    }

    /// Frees places of nodes that have gone, if all are taken.
    mutating func makeRoomForNode() {
        guard !directory.hasRoomForNode else { return }
        let idle = idleNodes().sorted {
            (directory.nodes[$0].lease.heardAt, $0) < (directory.nodes[$1].lease.heardAt, $1)
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

    /// Frees places of accounts that have neither devices nor requests, with the nodes that have left them.
    ///
    /// - Parameters:
    ///   - users: The accounts that have users, which stay.
    ///   - hasData: Whether other data of an account exists, so that it stays.
    /// - Returns: The freed accounts.
    mutating func freeAccounts(
        keeping users: Set<AccountIndex>, hasData: (AccountIndex) -> Bool
    ) -> [AccountIndex] {
        let idle = idleNodes()
        var needed = users
        needed.formUnion(directory.awaited.accountsOfNodes)
        needed.formUnion(directory.shrunk.lazy.map(\.account))
        for node in Set(directory.nodes.indices).subtracting(idle) where directory.nodes[node].kind != .free {
            needed.insert(directory.nodes[node].account)
        }
        let unused = directory.accounts.indices.map { AccountIndex($0) }.filter { account in
            let record = directory.accounts[Int(account)]
            return !record.isFree && record.requestsInFlight == 0 && !needed.contains(account)
                && !ended.has(account) && !hasData(account)
        }
        let freed = Set(unused.prefix(Self.freedTogether))
        for node in idle where freed.contains(directory.nodes[node].account) { free(node) }
        for account in freed.sorted() {
            ended.forget(account)
            directory.free(account)
        }
        return freed.sorted()
    }

    private mutating func free(_ node: NodeSlot) {
        directory.free(node)
    }
}
