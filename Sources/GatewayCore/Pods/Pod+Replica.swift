public import FleetProtocol
public import FleetReplica

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

    /// The unit that the people of an account read: degrees Fahrenheit where every air conditioner is set to
    /// them, and there is one.
    public static func temperatureUnit(of replica: Replica) -> TemperatureUnit {
        func isRead(_ unit: TemperatureUnit) -> Bool {
            replica.firstRow { row in
                let model = replica.group(of: row)?.model ?? .sky
                return row.reported.state.temperatureUnit == unit && model.switchesAirConditioner
            } != nil
        }
        return !isRead(.celsius) && isRead(.fahrenheit) ? .fahrenheit : .celsius
    }

    /// All pods of a replica, in the order of the controller's slots.
    public static func all(of replica: Replica, _ history: PodHistory) -> [Pod] {
        var pods: [Pod] = []
        pods.reserveCapacity(replica.deviceCount)
        replica.forEachRow { pods.append(Pod($0, of: replica, history)) }
        return pods
    }
}

extension StateChange {
    /// How a device came to the state in a replica, at the time at which the controller received it.
    public init(toStateOf row: ReplicaRow) {
        self.init(
            of: row.device, to: row.reported, from: row.before, by: row.cause, at: row.asOf)
    }
}
