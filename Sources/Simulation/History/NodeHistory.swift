import ControllerCore
import FleetProtocol

/// The boots of node processes that controller processes consider current. Invariant: one late hello of an
/// earlier boot does not replace a later boot. Two late hellos are not checked: the simulated network
/// duplicates messages, which does not happen between real processes.
struct NodeHistory {
    private struct Boot: Equatable {
        let node: Int
        /// The ordinal of the boot, from 1.
        let number: Int
    }

    private struct KnownBoots {
        var latest = HashTable<Int, Int>()
        var hellos = HashTable<ConnectionID, Int>()
    }

    private var boots = HashTable<ConnectionID, Boot>()
    /// Two processes of one node, if only one must be served now, and the one that is.
    private var twins: (processes: [Int], served: Int?)?
    /// By controller process.
    private var known = HashTable<Int, KnownBoots>()

    mutating func connected(_ connection: ConnectionID, node: Int, boot: Int) {
        let boot = Boot(node: node, number: boot)
        boots[connection, default: boot] = boot
    }

    /// Begins or ends a time without faults, in which one of two processes of a node must be served.
    mutating func observe(_ processes: [Int]?) { twins = processes.map { ($0, nil) } }

    mutating func received(_ message: NodeMessage, at connection: ConnectionID, by controller: Int) {
        guard case .hello = message.body else { return }
        known[controller, default: KnownBoots()].hellos[connection, default: 0] += 1
    }

    /// Records a message to a node, which shows that the controller process considers its boot current.
    mutating func sent(
        _ message: ControllerMessage, to connection: ConnectionID, by controller: Int,
        _ findings: inout Findings
    ) {
        switch message.body {
        // Every boot that may be alive is asked for a chunk of no rows.
        case .pull(_, .max, _): return
        case .pong(helloWanted: false), .pull: break
        case .refused:
            findings.seen.insert("process refused")
            return
        case .pong, .command, .configure, .abort, .fault, .claimsRefused, .heal, .scenario, .retire,
            .listFaults, .renew, .moved:
            return
        }
        guard let boot = boots[connection] else { return }
        if let twins, twins.processes.contains(boot.node) {
            if let served = twins.served, served != boot.node {
                findings.violate("processes \(served) and \(boot.node) of one node are both served")
            }
            self.twins?.served = boot.node
        }
        let index = known.index(of: controller, default: KnownBoots())
        let before = known[index].latest[boot.node] ?? 0
        if boot.number < before, !hasDoubleHello(of: boot, known[index].hellos) {
            findings.violate("node \(boot.node) is taken to be in boot \(boot.number) after \(before)")
        }
        known[index].latest[boot.node, default: 0] = max(before, boot.number)
    }

    private func hasDoubleHello(of boot: Boot, _ hellos: HashTable<ConnectionID, Int>) -> Bool {
        hellos.keys.contains { hellos[$0] ?? 0 > 1 && boots[$0] == boot }
    }
}
