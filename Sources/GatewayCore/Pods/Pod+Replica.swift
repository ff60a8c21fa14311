import FleetProtocol
public import ObserverCore

extension Pod {
    /// A pod as a replica has its row, with what is remembered of its changes.
    public init(_ row: ReplicaRow, of replica: Replica, _ history: PodHistory) {
        self.init(
            device: row.device, name: row.name, reported: row.reported, asOf: row.asOf,
            presence: replica.node(of: row).presence(of: row), group: replica.group(of: row),
            measured: row.measured, settings: replica.settings(of: row.device),
            changes: history.changeTimes(of: row.device))
    }

    /// The pod of that id, as a path has it; nil where there is none.
    public static func find(_ id: String, in replica: Replica, _ history: PodHistory) -> Pod? {
        guard let device = DeviceID(id), let row = replica.row(of: device) else { return nil }
        return Pod(row, of: replica, history)
    }

    /// All pods of a replica, in the order of the controller's slots.
    public static func all(of replica: Replica, _ history: PodHistory) -> [Pod] {
        var pods: [Pod] = []
        pods.reserveCapacity(replica.deviceCount)
        replica.forEachRow { pods.append(Pod($0, of: replica, history)) }
        return pods
    }
}
