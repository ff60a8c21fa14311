import FleetProtocol
import FleetReplica
import UserText

/// A filter for events: those for whose device a condition holds, and those without a single device.
struct EventFilter: Sendable, Equatable {
    static let all = EventFilter(nil)

    let condition: Condition?

    init(_ condition: Condition?) { self.condition = condition }

    /// Whether an event passes. For a removed device, terms with its name and ID are still evaluated. For
    /// measurements and for a node's presence, the caller checks each device separately.
    func matches(_ event: ObserverEvent, of replica: Replica) -> Bool {
        guard let condition else { return true }
        let subject: ReplicaSubject
        if case .fleet(.outcome(let outcome)) = event.body {
            var ended = ReplicaSubject(outcome.device, of: replica)
            ended.outcome = outcome.report.outcome
            subject = ended
        } else {
            guard let device = event.device else { return true }
            subject = ReplicaSubject(device, of: replica)
        }
        return condition.holds(of: subject)
    }

    func matches(_ row: ReplicaRow, of replica: Replica) -> Bool {
        guard let condition else { return true }
        return condition.holds(of: ReplicaSubject(row, of: replica))
    }

    func matches(_ device: FleetEvent.Device, of replica: Replica) -> Bool {
        guard let condition else { return true }
        return condition.holds(of: ReplicaSubject(device, of: replica))
    }
}
