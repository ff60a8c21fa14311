import FleetProtocol
public import FleetReplica

extension PodHistory {
    /// Takes what a replica says that has happened.
    ///
    /// - Parameter replica: The one that said so, as it is then.
    public mutating func note(_ event: FleetEvent, of replica: Replica) {
        switch event.body {
        case .reported(let reported):
            note(
                reported.state, of: reported.device.id, from: replica.row(of: reported.device.id)?.before,
                by: reported.cause, at: event.at)
        case .outcome(let end): note(end.report, from: end.before, at: event.at)
        case .settings(let device, let settings): note(settings, of: device.id, at: event.at)
        case .measured(let devices):
            for measured in devices { note(measured.measurements, of: measured.device, at: event.at) }
        case .removed(let device): forget(device.id)
        case .presence, .node, .added, .connection, .stale, .resync: break
        }
    }
}
