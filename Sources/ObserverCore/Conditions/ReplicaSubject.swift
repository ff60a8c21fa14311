import FleetProtocol
import FleetReplica
import UserText

/// A device of a replica as the subject of a condition, or an event that concerns no device.
struct ReplicaSubject: ConditionSubject {
    /// The device with its names; nil if the event does not concern a device.
    let device: FleetEvent.Device?
    /// The outcome of a request for it that has just ended; nil if none ended.
    var outcome: Outcome?
    let replica: Replica
    /// Its row; nil for an unknown or removed device.
    private let row: ReplicaRow?

    /// The subject for a device of a replica.
    init(_ row: ReplicaRow, of replica: Replica) {
        device = replica.named(row)
        (self.row, self.replica) = (row, replica)
    }

    /// The subject for the device of an event, or for an event without a device.
    init(_ device: FleetEvent.Device?, of replica: Replica) {
        self.device = device
        row = device.flatMap { replica.row(of: $0.id) }
        self.replica = replica
    }

    var subjectID: DeviceID? { device?.id }
    var subjectName: String? { device?.name }
    var nodeName: NodeName? { device?.node }
    var subjectGroup: DeviceGroup? { row.flatMap(replica.group) }
    var acState: ACState? { row?.reported.state }
    var presenceKind: Presence.Kind? { row.map { replica.node(of: $0).presence(of: $0).kind } }
    var measurements: Measurements? { row?.measured?.measurements }
}
