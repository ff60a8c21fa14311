import FleetProtocol

/// What the controller and its nodes have counted, for whoever watches over the processes.
extension RequestEngine {
    /// What the controller has counted, and some of an account's nodes: those that are there.
    ///
    /// A cursor is a node's slot. Of a node that is away nobody knows whether its process still counts.
    func counters(of account: AccountIndex, from cursor: UInt32) -> CounterReport {
        var nodes: [CounterReport.Node] = []
        var slot = min(Int(cursor), directory.nodes.count)
        while slot < directory.nodes.count, nodes.count < Limits.counterNodes {
            if let counters = nodeCounters[slot], directory.nodes[slot].account == account,
                directory.nodes[slot].isReachable
            {
                nodes.append(CounterReport.Node(name: directory.nodes[slot].name, counters: counters))
            }
            slot += 1
        }
        return CounterReport(
            controller: meter.counters, nodes: nodes, nextCursor: UInt32(slot),
            isLast: slot == directory.nodes.count)
    }
}
