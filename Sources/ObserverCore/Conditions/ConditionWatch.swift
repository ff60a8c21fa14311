import FleetProtocol
public import FleetReplica

/// Waits for a condition to hold somewhere in a fleet.
///
/// It holds as soon as one device is all of it. What it says of devices by their names, such as
/// `device "Bedroom 7" on`, is true or not whichever device is looked at, so that a condition can be about
/// several. Of what may be out of date nothing is concluded, but an outcome is one whenever it comes.
public struct ConditionWatch: Sendable {
    /// Where a condition holds.
    public enum Answer: Sendable, Equatable {
        /// Of that device.
        case device(FleetEvent.Device)
        /// Of the fleet: no device is more concerned than another.
        case fleet
    }

    /// What is waited for.
    public let condition: Condition

    private let hasSubject: Bool
    private let names: Set<Condition.DeviceName>
    /// The devices of each name, as of the table's revisions.
    private var devices: [Condition.DeviceName: [DeviceID]] = [:]
    private var revisions: DeviceTable.Revisions?

    /// A wait for that condition.
    public init(for condition: Condition) {
        self.condition = condition
        hasSubject = condition.hasSubject
        names = Set(condition.namedDevices)
    }

    /// Takes an event that the replica has told of: where the condition holds now; nil while nowhere.
    public mutating func take(_ event: ObserverEvent, of replica: Replica) -> Answer? {
        switch event.body {
        case .fleet(.outcome(let outcome)):
            var subject = ConditionSubject(outcome.device, of: replica)
            subject.outcome = outcome.report.outcome
            return holds(of: subject) ? answer(subject) : nil
        case .fleet(.resync), .fleet(.node): return replica.isWhole ? look(in: replica) : nil
        case .fleet(.measured(let measured)):
            guard replica.isWhole else { return nil }
            for one in measured {
                let subject = ConditionSubject(replica.named(one.device), of: replica)
                if holds(of: subject) { return answer(subject) }
            }
            return nil
        case .fleet(.reported), .fleet(.presence), .fleet(.settings), .fleet(.added), .fleet(.removed),
            .fleet(.connection), .notice:
            guard replica.isWhole, let device = event.device else { return nil }
            let subject = ConditionSubject(device, of: replica)
            if names.contains(where: subject.isNamed) { return look(in: replica) }
            return holds(of: subject) ? answer(subject) : nil
        case .fleet(.stale), .fleet(.service): return nil
        }
    }

    /// Takes that time has passed: devices may have come or been called otherwise without an event.
    public mutating func tick(_ replica: Replica) -> Answer? {
        guard replica.isWhole, revisions != replica.devices.revisions else { return nil }
        return look(in: replica)
    }

    /// Looks at every device.
    private mutating func look(in replica: Replica) -> Answer? {
        refresh(replica)
        guard hasSubject else {
            return holds(of: ConditionSubject(nil, of: replica)) ? answer(of: replica) : nil
        }
        for row in replica.devices.rows where !row.isGone {
            let subject = ConditionSubject(row, of: replica)
            if holds(of: subject) { return answer(subject) }
        }
        return nil
    }

    private func holds(of subject: ConditionSubject) -> Bool {
        condition.holds(of: subject) { name, word in
            devices[name, default: []].contains { device in
                subject.replica.row(of: device).map {
                    ConditionSubject($0, of: subject.replica).isAt(word)
                } ?? false
            }
        }
    }

    /// Where only named devices decide, the one is told, if it is one.
    private func answer(_ subject: ConditionSubject) -> Answer {
        guard hasSubject, let device = subject.device else { return answer(of: subject.replica) }
        return .device(device)
    }

    private func answer(of replica: Replica) -> Answer {
        let found = names.flatMap { devices[$0, default: []] }
        guard let only = found.first, found.count == 1 else { return .fleet }
        return .device(replica.named(only))
    }

    /// Looks up whom the names mean, where devices came, went or were called otherwise.
    private mutating func refresh(_ replica: Replica) {
        guard revisions != replica.devices.revisions else { return }
        revisions = replica.devices.revisions
        guard !names.isEmpty else { return }
        devices = [:]
        for row in replica.devices.rows where !row.isGone {
            let subject = ConditionSubject(row, of: replica)
            for name in names where subject.isNamed(name) { devices[name, default: []].append(row.device) }
        }
    }
}
