import FleetProtocol

/// A node's name within its account: two accounts may give their nodes the same.
struct NodeKey: Hashable, Comparable, Sendable {
    let account: AccountIndex
    let name: NodeName

    /// By account, then by name.
    static func < (left: NodeKey, right: NodeKey) -> Bool {
        (left.account, left.name) < (right.account, right.name)
    }
}
