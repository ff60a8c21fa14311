public import UserText

extension ListedDevice {
    /// The device of a row.
    public init(_ row: ReplicaRow, of replica: Replica) {
        let node = replica.node(of: row)
        self.init(
            id: row.device, name: row.name, reported: row.reported, presence: node.presence(of: row),
            asOf: row.asOf, group: replica.group(of: row), node: node.name, measured: row.measured,
            cause: row.cause, settings: replica.settings(of: row.device))
    }
}
