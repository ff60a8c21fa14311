import FleetProtocol
import Stepping

/// A fleet that goes on with another scenario.
extension Supervision {
    mutating func read(hasCrashes: Bool) -> [Effect] {
        self.hasCrashes = hasCrashes
        return []
    }

    /// Nodes that run have heard of it from the controller, or soon will.
    mutating func change(
        to scenario: String, _ day: CloudDay, _ ticket: UInt64, at now: MonotonicTime
    ) -> [Effect] {
        guard phase == .starting || phase == .running else {
            return [answer(ticket, failure: "the fleet is ending")]
        }
        plan.change(to: scenario, hasCrashes: hasCrashes)
        cloud.begin(day, at: now)
        return [answer(ticket)]
    }
}
