import FleetProtocol
import GatewayCore

/// One measurement of the fleet: of its processes, and of every account that is mirrored.
struct FleetMeasurement: Sendable {
    /// Each process, and what it takes.
    var processes: [(process: FleetProcess, use: ProcessUse?)] = []
    /// How the controller is; nil where it did not answer.
    var status: StatusReport?
    /// What the controller has counted; nil where it did not answer.
    var controller: CounterReport.Controller?
    /// What nodes have counted.
    var nodes: [NodeMetrics.Told] = []
    /// What the mirrors have counted.
    var accounts: [FleetMetrics.Told] = []

    /// What one account may read: its own series, and those of processes other than nodes of others.
    func narrowed(to account: AccountID) -> FleetMeasurement {
        var own = self
        own.nodes.removeAll { $0.account != account.name }
        own.accounts.removeAll { $0.name != account.name }
        let (all, mine) = (Set(nodes.map(\.node.name.text)), Set(own.nodes.map(\.node.name.text)))
        own.processes.removeAll { process, _ in
            // The supervisor's nodes have numbers; other processes have names without.
            let isNode = all.contains(process.name) || process.name.hasPrefix("node-")
            return isNode && !mine.contains(process.name)
        }
        return own
    }

    /// Writes all of it.
    func write(to text: inout MetricsText) {
        ProcessMetrics.write(processes, to: &text)
        if let status { ProcessMetrics.write(status, to: &text) }
        if let controller { ProcessMetrics.write(controller, to: &text) }
        NodeMetrics.write(nodes, to: &text)
        FleetMetrics.write(accounts, to: &text)
    }
}
