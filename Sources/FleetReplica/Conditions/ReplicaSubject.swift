package import FleetProtocol
import UserText

/// A device of a replica as the subject of a condition, or an event that concerns no device.
package struct ReplicaSubject: ConditionSubject {
    /// The device with its names; nil if the event does not concern a device.
    package let device: FleetEvent.Device?
    /// The outcome of a request for it that has just ended; nil if none ended.
    package var outcome: Outcome?
    let replica: Replica
    /// Its row; nil for an unknown or removed device.
    private let row: ReplicaRow?

    /// The subject for a device of a replica.
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
