package import FleetProtocol
public import UserText

/// Detects the first time that a condition holds in a fleet.
///
/// The condition holds as soon as one device satisfies it. Terms with a device's name, such as `device
/// "Bedroom 7" on`, have the same result for every device, so a condition can be about several devices. The
/// watch does not evaluate a replica that may be out of date; only outcomes count at any time.
public struct ConditionWatch: Sendable {
    /// The subject for which a condition holds.
    public enum Match: Sendable, Equatable {
        /// The condition holds for that device.
        case device(FleetEvent.Device)
        /// The condition holds for the fleet, not for a single device.
        case fleet
    }

    /// The condition to wait for.
    public let condition: Condition

    private let hasSubject: Bool
    private let names: Set<Condition.DeviceName>
    /// The devices with each name, at ``revisions``.
    private var devices: [Condition.DeviceName: [DeviceID]] = [:]
    private var revisions: DeviceTable.Revisions?

    /// A watch for that condition.
    public init(for condition: Condition) {
        self.condition = condition
        hasSubject = condition.hasSubject
        names = Set(condition.namedDevices)
    }

    /// Evaluates the condition after an event of the replica: the subject for which it holds; nil if for
    /// none.
    public mutating func handle(_ event: ObserverEvent, of replica: Replica) -> Match? {
        switch event.body {
        case .fleet(.outcome(let outcome)):
            var subject = ReplicaSubject(outcome.device, of: replica)
            subject.outcome = outcome.report.outcome
            return holds(of: subject) ? answer(subject) : nil
        case .fleet(.resync), .fleet(.node): return replica.isWhole ? look(in: replica) : nil
        case .fleet(.measured(let measured)):
            guard replica.isWhole else { return nil }
            for one in measured {
                let subject = ReplicaSubject(replica.named(one.device), of: replica)
                if holds(of: subject) { return answer(subject) }
            }
            return nil
        case .fleet(.reported), .fleet(.presence), .fleet(.settings), .fleet(.added), .fleet(.removed),
            .fleet(.connection), .notice:
            guard replica.isWhole, let device = event.device else { return nil }
            let subject = ReplicaSubject(device, of: replica)
            if names.contains(where: subject.isNamed) { return look(in: replica) }
            return holds(of: subject) ? answer(subject) : nil
        case .fleet(.stale), .fleet(.service): return nil
        }
    }

    /// Evaluates the condition again if devices were added or renamed without an event.
    public mutating func tick(_ replica: Replica) -> Match? {
        guard replica.isWhole, revisions != replica.devices.revisions else { return nil }
        return look(in: replica)
    }

    private mutating func look(in replica: Replica) -> Match? {
        refresh(replica)
        guard hasSubject else {
            return holds(of: ReplicaSubject(nil, of: replica)) ? answer(of: replica) : nil
        }
        for row in replica.devices.rows where !row.isRemoved {
            let subject = ReplicaSubject(row, of: replica)
            if holds(of: subject) { return answer(subject) }
        }
        return nil
    }

    private func holds(of subject: ReplicaSubject) -> Bool {
        condition.holds(of: subject) { name, word in
            devices[name, default: []].contains { device in
                subject.replica.row(of: device).map {
                    ReplicaSubject($0, of: subject.replica).isAt(word)
                } ?? false
            }
        }
    }

    /// Returns the subject; for a condition on named devices only, the named device if there is exactly one.
    private func answer(_ subject: ReplicaSubject) -> Match {
        guard hasSubject, let device = subject.device else { return answer(of: subject.replica) }
        return .device(device)
    }

    private func answer(of replica: Replica) -> Match {
        let found = names.flatMap { devices[$0, default: []] }
        guard let only = found.first, found.count == 1 else { return .fleet }
        return .device(replica.named(only))
    }

    /// Looks up the named devices again if devices were added, removed or renamed.
    private mutating func refresh(_ replica: Replica) {
        guard revisions != replica.devices.revisions else { return }
        revisions = replica.devices.revisions
        guard !names.isEmpty else { return }
        devices = [:]
        for row in replica.devices.rows where !row.isRemoved {
            let subject = ReplicaSubject(row, of: replica)
            for name in names where subject.isNamed(name) { devices[name, default: []].append(row.device) }
        }
    }
}

/// A device of a replica as the subject of a condition, or an event that concerns no device.
package struct ReplicaSubject: ConditionSubject {
    package let device: FleetEvent.Device?
    /// The outcome of a request for it that has just ended; nil if none ended.
    package var outcome: Outcome?
    let replica: Replica
    /// Its row; nil for an unknown or removed device.
    private let row: ReplicaRow?

    package init(_ row: ReplicaRow, of replica: Replica) {
        device = replica.named(row)
        (self.row, self.replica) = (row, replica)
    }

    /// The subject for the device of an event, or for an event without a device.
    package init(_ device: FleetEvent.Device?, of replica: Replica) {
        self.device = device
        row = device.flatMap { replica.row(of: $0.id) }
        self.replica = replica
    }

    package var subjectID: DeviceID? { device?.id }
    package var subjectName: String? { device?.name }
    package var nodeName: NodeName? { device?.node }
    package var subjectGroup: DeviceGroup? { row.flatMap(replica.group) }
    package var acState: ACState? { row?.reported.state }
    package var presenceKind: Presence.Kind? { row.map { replica.node(of: $0).presence(of: $0).kind } }
    package var measurements: Measurements? { row?.measured?.measurements }
}
