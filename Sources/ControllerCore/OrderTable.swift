import FleetProtocol

/// Orders of operators that nodes have not all answered.
struct OrderTable: Sendable {
    private struct Pending: Sendable {
        let waiter: Waiter
        /// Nodes that have not answered.
        var unanswered: Set<NodeSlot>
        var report: OrderReport
    }

    private var pending: [OrderID: Pending] = [:]

    /// Whether no more may begin.
    var isFull: Bool { pending.count >= Limits.orders }

    /// Begins one that those nodes are to carry out.
    mutating func begin(_ id: OrderID, at nodes: some Sequence<NodeSlot>, for waiter: Waiter) {
        pending[id] = Pending(waiter: waiter, unanswered: Set(nodes), report: OrderReport())
    }

    /// Whether a node's answer to that order is awaited.
    func awaits(_ node: NodeSlot, for id: OrderID) -> Bool {
        pending[id]?.unanswered.contains(node) ?? false
    }

    /// A node has carried one out; what all of them did and who is to hear it, if that was the last.
    mutating func answered(
        _ id: OrderID, by node: NodeSlot, devices: UInt32, _ remark: OrderRemark?
    ) -> (Waiter, OrderReport)? {
        guard pending[id]?.unanswered.remove(node) != nil else { return nil }
        pending[id]?.report.devices += devices
        switch remark {
        case .unreadable: pending[id]?.report.unreadingNodes += 1
        case .populationKept:
            pending[id]?.report.nodes += 1
            pending[id]?.report.keptPopulations += 1
        case nil: pending[id]?.report.nodes += 1
        }
        return pending[id]?.unanswered.isEmpty == true ? end(id) : nil
    }

    /// Ends one, whoever has not answered; nil when it has ended.
    mutating func end(_ id: OrderID) -> (Waiter, OrderReport)? {
        guard let order = pending.removeValue(forKey: id) else { return nil }
        var report = order.report
        report.silentNodes = UInt32(order.unanswered.count)
        return (order.waiter, report)
    }
}
