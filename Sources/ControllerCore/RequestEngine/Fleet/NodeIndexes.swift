import FleetProtocol

/// The slots of nodes by their names, connections and boots.
struct NodeIndexes: Sendable {
    private(set) var byName: [NodeKey: NodeSlot] = [:]
    private(set) var byConnection = WordTable<ConnectionID, NodeSlot>()
    private(set) var byBoot = WordTable<BootID, NodeSlot>()

    mutating func insert(_ key: NodeKey, _ link: NodeLink, at slot: NodeSlot) {
        byName[key] = slot
        insert(link, at: slot)
    }

    mutating func insert(_ link: NodeLink, at slot: NodeSlot) {
        byConnection[link.connection] = slot
        byBoot[link.bootID] = slot
    }

    mutating func remove(_ key: NodeKey, _ link: NodeLink, at slot: NodeSlot) {
        if byName[key] == slot { byName[key] = nil }
        remove(link, at: slot)
    }

    /// Removes the connection and the boot of a slot; an entry that another node has taken stays.
    mutating func remove(_ link: NodeLink, at slot: NodeSlot) {
        if byConnection[link.connection] == slot { byConnection[link.connection] = nil }
        if byBoot[link.bootID] == slot { byBoot[link.bootID] = nil }
    }
}
