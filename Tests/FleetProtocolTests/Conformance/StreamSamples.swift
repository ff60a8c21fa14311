import FleetProtocol

extension StreamUpdate {
    static func samples(_ given: Given) -> [(name: String, value: StreamUpdate)] {
        let bodies: [(String, Body)] =
            [
                ("beat", .beat), ("reported", .reported(given.device, given.after)),
                ("connection lost", .connection(given.device, isConnected: false)),
                ("connection restored", .connection(given.device, isConnected: true)),
                (
                    "added",
                    .added(given.snapshotRow(given.device, given.before, name: "Bedroom 7", group: 512))
                ),
                (
                    "added, last switched by the app",
                    .added(given.snapshotRow(given.device, given.after, name: "Bedroom 7", by: .app))
                ),
                (
                    "added, with settings",
                    .added(
                        given.snapshotRow(
                            given.device, given.after, name: "Bedroom 7", by: .request, given.settings))
                ), ("settings", .settings(given.device, given.settings)),
                ("settings, all removed", .settings(given.device, DeviceSettings())),
                ("removed", .removed(given.device)), ("measured", .measured(given.measured)),
                ("group", .group(given.numberedGroups[1])),
                (
                    "update of a service",
                    .service(ServiceMessage(service: ServiceName(constant: "labels"), content: [8, 1]))
                ),
                (
                    "reports with every setting",
                    .reports(given.states.map { ReportedDevice(device: given.otherDevice, state: $0) })
                ),
                ("outcome of a request cancelled before its arrival", .outcome(given.tombstone)),
                ("reports of no device", .reports([])),
                (
                    "reports of a device switched by a timer",
                    .reports([ReportedDevice(device: given.device, state: given.after, cause: .timer)])
                ),
            ]
            + ChangeCause.allCases.dropFirst().map {
                ("reported, by \($0.name)", .reported(given.device, given.after, by: $0))
            }
            + CommandKind.allCases.map {
                ("outcome applied of \($0.name)", .outcome(given.report(.applied(given.after), of: $0)))
            }
            + given.presences.map { ("node \($0.text)", .node(given.snapshotNode($0), devices: 100)) }
            + given.outcomes.filter(\.isFinal).map { ("outcome \($0.text)", .outcome(given.report($0))) }
        let last = StreamUpdate(
            epoch: given.epoch, sequence: StreamSequence(206), at: given.at, body: .beat, isLast: true)
        return bodies.map { name, body in
            (name, StreamUpdate(epoch: given.epoch, sequence: StreamSequence(206), at: given.at, body: body))
        } + [("the last update of a stream", last)]
    }
}
