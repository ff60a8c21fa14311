import FleetProtocol
import Stepping

/// What `fleet status` shows of a fleet.
extension Supervision {
    /// The processes, in the order of their start.
    var rows: [FleetProcess] { processes.map(\.row) }

    /// What the fleet goes through, and since when.
    func summary(at now: MonotonicTime) -> FleetSummary {
        FleetSummary(scenario: plan.scenario, uptime: (startedAt ?? now).duration(to: now))
    }
}
