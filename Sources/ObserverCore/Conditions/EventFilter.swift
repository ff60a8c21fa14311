import FleetProtocol

/// Which events are told: those of which a condition holds, and those that concern no single device.
public struct EventFilter: Sendable, Equatable {
    /// Lets everything through.
    public static let all = EventFilter(nil)

    /// The condition; nil lets everything through.
    public let condition: Condition?

    /// The filter of a condition.
    public init(_ condition: Condition?) {
        self.condition = condition
    }

    /// Whether it lets an event through.
    ///
    /// Of a device that is gone its names still count. Of measurements each device is asked for by itself,
    /// and of a node's presence too.
    public func matches(_ event: ObserverEvent, of replica: Replica) -> Bool {
        guard let condition else { return true }
        let subject: ConditionSubject
        switch event.body {
        case .outcome(let outcome):
            var ended = ConditionSubject(outcome.device, of: replica)
            ended.outcome = outcome.report.outcome
            subject = ended
        case .reported, .presence, .settings, .node, .notice, .stale, .resync, .measured:
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
    func matches(_ device: ObserverEvent.Device, of replica: Replica) -> Bool {
        guard let condition else { return true }
        return condition.holds(of: ConditionSubject(device, of: replica))
    }
}
