import ControllerCore
import FleetProtocol

/// Which life of a node the controller believes to be alive.
extension Ledger {
    mutating func heard(_ message: NodeMessage, at connection: ConnectionID, in life: Int) {
        guard case .hello = message.body else { return }
        beliefs[life, default: Belief()].hellos[connection, default: 0] += 1
    }

    /// What the controller tells a node says whether it takes it for alive.
    ///
    /// Whoever is dead says nothing more, so one hello of theirs that is heard late is not believed. That two
    /// are is let pass: the network doubles messages here, and between processes none is.
    mutating func noteBelief(_ message: ControllerMessage, to connection: ConnectionID, of life: Int) {
        switch message.body {
        case .pong(helloWanted: false), .pull: break
        case .pong, .command, .configure, .abort, .fault, .taken, .heal, .scenario, .retire, .listFaults,
            .renew:
            return
        }
        guard let boot = boots[connection] else { return }
        let belief = beliefs.place(of: life, default: Belief())
        let before = beliefs[belief].boots[boot.node] ?? 0
        if boot.number < before, !hasHeardTwice(of: boot, beliefs[belief].hellos) {
            violate("node \(boot.node) is believed to be in boot \(boot.number), and was in \(before)")
        }
        beliefs[belief].boots[boot.node, default: 0] = max(before, boot.number)
    }

    private func hasHeardTwice(of boot: NodeBoot, _ hellos: Book<ConnectionID, Int>) -> Bool {
        hellos.keys.contains { hellos[$0] ?? 0 > 1 && boots[$0] == boot }
    }
}
