import FleetProtocol
import FleetReplica
import UserText

/// Events as JSON for scripts: one object per line, with stable keys in a stable order. Every line has `at`,
/// `kind`, `device`, `name` and `node`, which may be null, and the keys of its kind. Keys may be added, and
/// are never renamed.
enum EventJSON {
    /// Appends the lines of an event. A node's presence has a line for each of its devices that passes the
    /// filter, in the order of the controller's slots, and then a line for the node, with a null `device`.
    /// Measurements have a line for each device.
    static func append(
        _ event: ObserverEvent, of replica: Replica, filter: EventFilter, to output: inout [UInt8]
    ) {
        guard filter.matches(event, of: replica) else { return }
        switch event.body {
        case .fleet(.reported(let reported)):
            let version: JSONObject = [
                "version": reported.state.version.value,
                "incarnation": reported.state.incarnation.description,
                "cause": reported.state.causeWord(reported.cause),
            ]
            append(event.at, "reported", reported.device, reported.state.state.members + version, to: &output)
        case .fleet(.presence(let device, let presence)):
            append(event.at, "presence", device, members(of: presence), to: &output)
        case .fleet(.node(let change)): append(change, event, of: replica, filter: filter, to: &output)
        case .fleet(.outcome(let outcome)):
            append(event.at, "outcome", outcome.device, members(of: outcome), to: &output)
        case .fleet(.added), .fleet(.removed), .fleet(.connection), .notice:
            let message = EventLine(event).text
            let members: JSONObject = ["notice": event.body.noticeName, "message": message]
            append(event.at, "notice", event.device, members, to: &output)
        case .fleet(.stale(let reason)):
            append(event.at, "stale", nil, ["reason": reason.name], to: &output)
        case .fleet(.resync(let resync)): append(event.at, "resync", nil, members(of: resync), to: &output)
        case .fleet(.settings(let device, let settings)):
            append(event.at, "settings", device, settings.members, to: &output)
        case .fleet(.service(let message)):
            append(event.at, "service", nil, ["service": message.service.text], to: &output)
        case .fleet(.measured(let devices)):
            for measured in devices {
                let device = replica.named(measured.device)
                guard filter.matches(device, of: replica) else { continue }
                append(event.at, "measured", device, measured.measurements.members, to: &output)
            }
        }
    }

    /// Appends a line with the state of each device that passes the filter, in the order of the controller's
    /// slots.
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
        _ at: WallTime, _ kind: String, _ device: FleetEvent.Device?, node: NodeName? = nil,
        _ members: JSONObject, to output: inout [UInt8]
    ) {
        let common: JSONObject = [
            "at": TimeText.iso8601(at), "kind": kind, "device": device?.id.description, "name": device?.name,
            "node": (device?.node ?? node)?.text,
        ]
        output += JSONWriter.bytes(of: common + members)
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
        let members = members(of: change.presence) + ["devices": change.devices]
        append(event.at, "presence", nil, node: change.node, members, to: &output)
    }

    static func members(of presence: Presence) -> JSONObject {
        ["presence": presence.kind.name, "reason": presence.reason?.name]
    }

    private static func members(of end: FleetEvent.Outcome) -> JSONObject {
        let reason: JSONObject =
            switch end.report.outcome {
            case .rejected(let why): ["reason": why]
            case .undetermined(let reason): ["reason": "\(reason)"]
            case .applied, .unchanged, .conflict, .cancelled, .expired, .unknown: [:]
            }
        return ["requestID": end.report.requestID.description] + end.report.endMembers + reason
    }

    private static func members(of resync: FleetEvent.Resync) -> JSONObject {
        [
            "devices": resync.devices, "epoch": resync.position.epoch.value,
            "sequence": resync.position.sequence.value, "staleMs": resync.staleFor.wholeMilliseconds,
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

/// The JSON lines of a node's presence, one for each of its devices. There may be a million lines, so their
/// common part is formatted once.
struct PresenceLines {
    private let start: [UInt8]
    /// The part after the name, for a device with a connection of its own and for one without.
    private let ends: (connected: [UInt8], disconnected: [UInt8])

    init(of change: FleetEvent.NodeChange, in event: ObserverEvent) {
        func end(isConnected: Bool) -> [UInt8] {
            // The lines do not contain the time of the change.
            let presence = Presence.joined(
                node: change.presence, isConnected: isConnected, connectedSince: change.presence.since)
            let members = ["node": change.node.text] + EventJSON.members(of: presence)
            return Array(",".utf8) + JSONWriter.bytes(of: members).dropFirst() + Array("\n".utf8)
        }
        let common: JSONObject = ["at": TimeText.iso8601(event.at), "kind": "presence"]
        start = JSONWriter.bytes(of: common).dropLast() + Array(",\"device\":\"".utf8)
        ends = (end(isConnected: true), end(isConnected: false))
    }

    func append(_ row: ReplicaRow, to output: inout [UInt8]) {
        output += start
        row.device.append(to: &output)
        output += "\",\"name\":".utf8
        JSONWriter.append(quoted: row.name, to: &output)
        output += row.isConnected ? ends.connected : ends.disconnected
    }
}
