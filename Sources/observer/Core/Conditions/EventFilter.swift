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
        guard case .fleet(.outcome(let outcome)) = event.body else {
            return event.device.map { matches($0, of: replica) } ?? true
        }
        var subject = ReplicaSubject(outcome.device, of: replica)
        subject.outcome = outcome.report.outcome
        return condition.holds(of: subject)
    }

    func matches(_ row: ReplicaRow, of replica: Replica) -> Bool {
        condition?.holds(of: ReplicaSubject(row, of: replica)) ?? true
    }

    func matches(_ device: FleetEvent.Device, of replica: Replica) -> Bool {
        condition?.holds(of: ReplicaSubject(device, of: replica)) ?? true
    }
}
