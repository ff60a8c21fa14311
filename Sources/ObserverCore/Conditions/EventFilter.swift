import FleetProtocol
public import FleetReplica

/// Which events are told: those of which a condition holds, and those that concern no single device.
public struct EventFilter: Sendable, Equatable {
    /// Lets everything through.
    public static let all = EventFilter(nil)

    /// The condition; nil lets everything through.
    public let condition: Condition?

    /// The filter of a condition.
    public init(_ condition: Condition?) { self.condition = condition }

    /// Whether it lets an event through.
    ///
    /// Of a device that is gone its names still count. Of measurements each device is asked for by itself,
    /// and of a node's presence too.
    public func matches(_ event: ObserverEvent, of replica: Replica) -> Bool {
        guard let condition else { return true }
        let subject: ConditionSubject
        if case .fleet(.outcome(let outcome)) = event.body {
            var ended = ConditionSubject(outcome.device, of: replica)
            ended.outcome = outcome.report.outcome
            subject = ended
        } else {
            guard let device = event.device else { return true }
            subject = ConditionSubject(device, of: replica)
        }
        return condition.holds(of: subject)
    }

    /// Whether it lets a device through.
    public func matches(_ row: ReplicaRow, of replica: Replica) -> Bool {
        guard let condition else { return true }
        return condition.holds(of: ConditionSubject(row, of: replica))
    }

    /// Whether it lets a device through that may be unknown.
    func matches(_ device: FleetEvent.Device, of replica: Replica) -> Bool {
        guard let condition else { return true }
        return condition.holds(of: ConditionSubject(device, of: replica))
    }
}
