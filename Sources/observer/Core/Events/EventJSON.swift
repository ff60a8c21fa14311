import FleetProtocol
import FleetReplica
import UserText

/// Events as JSON for scripts: one object per line, with stable keys in a stable order.
///
/// Every line has `at`, `kind`, `device`, `name` and `node`, which may be null, and the keys of its kind.
/// Keys may be added, and are never renamed.
enum EventJSON {
    /// Appends the lines of an event.
    ///
    /// A node's presence has a line for each of its devices that passes the filter, in the order of the
    /// controller's slots, and then a line for the node, with a null `device`. Measurements have a line for
    /// each device.
    static func append(
        _ event: ObserverEvent, of replica: Replica, filter: EventFilter, to output: inout [UInt8]
    ) {
        guard filter.matches(event, of: replica) else { return }
        switch event.body {
        case .fleet(.reported(let reported)):
            let version: [JSONValue.Member] = [
                .init("version", .unsigned(reported.state.version.value)),
                .init("incarnation", .text(reported.state.incarnation)),
                .init("cause", .text(reported.state.causeWord(reported.cause))),
            ]
            append(event, "reported", reported.device, reported.state.state.members + version, to: &output)
        case .fleet(.presence(let device, let presence)):
            append(event, "presence", device, members(of: presence), to: &output)
        case .fleet(.node(let change)): append(change, event, of: replica, filter: filter, to: &output)
        case .fleet(.outcome(let outcome)):
            append(event, "outcome", outcome.device, members(of: outcome), to: &output)
        case .fleet(.added), .fleet(.removed), .fleet(.connection), .notice:
            let message = EventLine(event).text
            let members: [JSONValue.Member] = [
                .init("notice", .text(event.body.noticeName)), .init("message", .string(message)),
            ]
            append(event, "notice", event.device, members, to: &output)
        case .fleet(.stale(let reason)):
            append(event, "stale", nil, [.init("reason", .string(reason.name))], to: &output)
        case .fleet(.resync(let resync)): append(event, "resync", nil, members(of: resync), to: &output)
        case .fleet(.settings(let device, let settings)):
            append(event, "settings", device, settings.members, to: &output)
        case .fleet(.service(let message)):
            append(event, "service", nil, [.init("service", .string(message.service.text))], to: &output)
        case .fleet(.measured(let devices)):
            for measured in devices {
                let device = replica.named(measured.device)
                guard filter.matches(device, of: replica) else { continue }
                append(event, "measured", device, measured.measurements.members, to: &output)
            }
        }
    }

    /// Appends a line with the state of each device that passes the filter, in the order of the controller's
    /// slots.
    ///
    /// - Parameter at: The time at which the replica was complete.
    static func appendSnapshot(
        of replica: Replica, at: WallTime, filter: EventFilter, to output: inout [UInt8]
    ) {
        replica.forEachRow { row in
            guard filter.matches(row, of: replica) else { return }
            let members = ListedDevice(row, of: replica).members
            append(at, "snapshot", replica.named(row), members, to: &output)
        }
    }

    private static func append(
        _ event: ObserverEvent, _ kind: String, _ device: FleetEvent.Device?, node: NodeName? = nil,
        _ members: [JSONValue.Member], to output: inout [UInt8]
    ) {
        append(event.at, kind, device, node: node, members, to: &output)
    }

    private static func append(
        _ at: WallTime, _ kind: String, _ device: FleetEvent.Device?, node: NodeName? = nil,
        _ members: [JSONValue.Member], to output: inout [UInt8]
    ) {
        let common: [JSONValue.Member] = [
            .init("at", .string(TimeText.iso8601(at))), .init("kind", .string(kind)),
            .init("device", .text(device?.id)), .init("name", .text(device?.name)),
            .init("node", .text((device?.node ?? node)?.text)),
        ]
        JSONValue.object(common + members).append(to: &output)
        output.append(UInt8(ascii: "\n"))
    }

    private static func append(
        _ change: FleetEvent.NodeChange, _ event: ObserverEvent, of replica: Replica, filter: EventFilter,
        to output: inout [UInt8]
    ) {
        let lines = PresenceLines(of: change, in: event)
        replica.forEachRow(ofNode: change.node) { row in
            if filter.matches(row, of: replica) { lines.append(row, to: &output) }
        }
        let count = JSONValue.Member("devices", .integer(Int64(change.devices)))
        append(event, "presence", nil, node: change.node, members(of: change.presence) + [count], to: &output)
    }

    static func members(of presence: Presence) -> [JSONValue.Member] {
        [.init("presence", .string(presence.kind.name)), .init("reason", .text(presence.reason?.name))]
    }

    private static func members(of end: FleetEvent.Outcome) -> [JSONValue.Member] {
        let request = JSONValue.Member("requestID", .text(end.report.requestID))
        let reason: [JSONValue.Member] =
            switch end.report.outcome {
            case .rejected(let why): [.init("reason", .string(why))]
            case .undetermined(let reason): [.init("reason", .string("\(reason)"))]
            case .applied, .unchanged, .conflict, .cancelled, .expired, .unknown: []
            }
        return [request] + end.report.endMembers + reason
    }

    private static func members(of resync: FleetEvent.Resync) -> [JSONValue.Member] {
        [
            .init("devices", .integer(Int64(resync.devices))),
            .init("epoch", .unsigned(resync.position.epoch.value)),
            .init("sequence", .unsigned(resync.position.sequence.value)),
            .init("staleMs", .integer(resync.staleFor.wholeMilliseconds)),
        ]
    }
}

extension ObserverEvent.Body {
    /// The name of the notice in JSON; nil for other kinds of event.
    fileprivate var noticeName: String? {
        switch self {
        case .fleet(.added): "added"
        case .fleet(.removed): "removed"
        case .fleet(.connection(.connecting)): "connecting"
        case .fleet(.connection(.established)): "established"
        case .fleet(.connection(.failed)): "connectionError"
        case .notice(.signedOut): "signedOut"
        case .notice(.signedIn): "signedIn"
        case .notice(.held): "held"
        case .notice(.history): "history"
        case .fleet(.reported), .fleet(.presence), .fleet(.node), .fleet(.outcome), .fleet(.stale),
            .fleet(.resync), .fleet(.measured), .fleet(.settings), .fleet(.service):
            nil
        }
    }
}
