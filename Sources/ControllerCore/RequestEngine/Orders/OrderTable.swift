import FleetProtocol

/// The orders of operators that some nodes have not answered.
struct OrderTable: Sendable {
    enum Kind: Sendable {
        /// Faults or a scenario, which only nodes have.
        case nodesAlone
        /// Devices that leave: they are removed when their node answers.
        case retirement
        case faultList

        func reply(_ report: OrderReport, _ faults: FaultList = FaultList()) -> ClientReply.Body {
            switch self {
            case .nodesAlone, .retirement: .carriedOut(report)
            case .faultList: .faults(faults)
            }
        }
    }

    private struct Pending: Sendable {
        let kind: Kind
        let waiter: Waiter
        /// Nodes that have not answered, each with the devices that the order named there.
        var unanswered: [NodeSlot: [DeviceID]]
        var report: OrderReport
        var faults = FaultList()
    }

    private var pending: [OrderID: Pending] = [:]

    var isFull: Bool { pending.count >= Limits.orders }

    /// Adds an order to nodes.
    ///
    /// - Parameter report: The results so far, for devices of unreachable nodes.
    mutating func begin(
        _ id: OrderID, of kind: Kind, at nodes: [(NodeSlot, [DeviceID])], for waiter: Waiter,
        report: OrderReport
    ) {
        let unanswered = Dictionary(nodes, uniquingKeysWith: +)
        pending[id] = Pending(kind: kind, waiter: waiter, unanswered: unanswered, report: report)
    }

    /// Records a node's answer to an order.
    ///
    /// - Returns: The devices that have retired with the answer, in the order of the request.
    mutating func answered(
        _ id: OrderID, by node: NodeSlot, devices: UInt32, _ remark: OrderRemark?
    ) -> [DeviceID] {
        guard var order = pending[id], let named = order.unanswered.removeValue(forKey: node) else {
            return []
        }
        order.report.devices += devices
        switch remark {
        case .unreadable, .notLast: order.report.refusingNodes += 1
        case .populationUnchanged:
            order.report.nodes += 1
            order.report.unchangedPopulations += 1
        case nil: order.report.nodes += 1
        }
        pending[id] = order
        return order.kind == .retirement && remark == nil ? named : []
    }

    mutating func listed(_ id: OrderID, by node: NodeSlot, _ list: FaultList) {
        guard pending[id]?.unanswered.removeValue(forKey: node) != nil else { return }
        pending[id]?.faults.add(list)
    }

    /// Ends an order that every node has answered; returns the client that waits for the reply, and the
    /// reply.
    mutating func endIfAnswered(_ id: OrderID) -> (Waiter, ClientReply.Body)? {
        pending[id]?.unanswered.isEmpty == true ? end(id) : nil
    }

    /// Ends an order, with or without all answers; nil if it has ended.
    mutating func end(_ id: OrderID) -> (Waiter, ClientReply.Body)? {
        guard var order = pending.removeValue(forKey: id) else { return nil }
        let silentNodes = UInt32(order.unanswered.count)
        (order.report.silentNodes, order.faults.silentNodes) = (silentNodes, silentNodes)
        return (order.waiter, order.kind.reply(order.report, order.faults))
    }
}
