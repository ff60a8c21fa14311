import Bus
import ControllerCore
import FleetProtocol
import Logging
import ProcessSupport

/// Counts of refused messages and lost connections, for the log.
extension Server {
    private var allSockets: [Socket] { sockets.all + (network?.all ?? []) }

    func logRefused(at now: MonotonicTime) {
        let oversize = allSockets.map(\.counters.oversizeMessages).reduce(0, +)
        refused.count(
            .frames, times: Int(oversize - oversizeCounted), because: "more than \(Frames.limit) frames")
        oversizeCounted = oversize
        for (why, times) in controller.drainSuspicions() {
            refused.count(.node, times: times, because: why.text)
        }
        guard let counts = refused.report(at: now) else { return }
        logger.warning("messages were refused", metadata: counts)
    }

    func logConflicts() {
        for conflict in controller.drainConflicts() {
            logger.error(
                "two processes run as \(conflict.node), and the later one is refused: stop one of them",
                metadata: ["serving": "\(conflict.serving)", "refused": "\(conflict.refused)"])
        }
    }

    func logHistoryLosses() {
        for loss in controller.drainHistoryLosses() {
            logger.error(
                "a device knows a later request than the journal: unknown requests of the account are refused",
                metadata: [
                    "account": "\(loss.account)", "node": "\(loss.node)", "request": "\(loss.request)",
                    "upToMs": "\(loss.upTo.unixMilliseconds)",
                ])
        }
    }

    func countLostConnections(at now: MonotonicTime) {
        if let network { refused.count(.peer, times: network.takeDenials(), because: "unknown keys") }
        let lost = lostConnections.count(over: allSockets)
        refused.count(.crowd, times: lost.crowd, because: "too many connections")
        refused.count(.flood, times: lost.flood, because: "connections exceeded their bounds")
        if lostConnections.wereLongAgo(at: now) { Allocator.giveBack() }
    }
}
