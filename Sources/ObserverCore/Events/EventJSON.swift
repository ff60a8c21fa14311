import FleetProtocol
import Stepping
import Wording

/// Events for scripts: one JSON object a line, keys stable and in a stable order.
///
/// Every line has `at`, `kind`, `device`, `name` and `node` (null where there is none); each kind adds its
/// own. More may come, none is renamed.
public enum EventJSON {
    /// Appends the lines of an event.
    ///
    /// A node's presence is a line for each of its devices that the filter lets through, in the order of the
    /// controller's slots, and then one for the node, with `device` null.
    public static func append(
        _ event: ObserverEvent, of replica: Replica, filter: DeviceFilter, to output: inout [UInt8]
    ) {
        guard filter.matches(event) else { return }
        switch event.body {
        case .reported(let reported):
            var line = begin(event, "reported", reported.device)
            put(reported.state.state, into: &line)
            line.put("version", reported.state.version.value)
            line.put("incarnation", reported.state.incarnation.description)
            line.end(into: &output)
        case .presence(let device, let presence):
            var line = begin(event, "presence", device)
            put(presence, into: &line)
            line.end(into: &output)
        case .node(let change): append(change, event, of: replica, filter: filter, to: &output)
        case .outcome(let outcome): append(outcome, event, to: &output)
        case .notice(let notice):
            var line = begin(event, "notice", event.device)
            line.put("notice", notice.name)
            line.put("message", EventLine(event).words)
            line.end(into: &output)
        case .stale(let reason):
            var line = begin(event, "stale", nil)
            line.put("reason", reason.name)
            line.end(into: &output)
        case .resync(let resync):
            var line = begin(event, "resync", nil)
            line.put("devices", resync.devices)
            line.put("epoch", resync.position.epoch.value)
            line.put("sequence", resync.position.sequence.value)
            line.put("staleMs", resync.staleFor.wholeMilliseconds)
            line.end(into: &output)
        }
    }

    private static func begin(
        _ event: ObserverEvent, _ kind: String, _ device: ObserverEvent.Device?, node: NodeName? = nil
    ) -> JSONLine {
        var line = JSONLine()
        line.put("at", TimeText.iso8601(event.at))
        line.put("kind", kind)
        line.put("device", device?.id.description)
        line.put("name", device?.name)
        line.put("node", (device?.node ?? node)?.text)
        return line
    }

    private static func append(
        _ change: ObserverEvent.NodeChange, _ event: ObserverEvent, of replica: Replica, filter: DeviceFilter,
        to output: inout [UInt8]
    ) {
        replica.forEachRow(ofNode: change.node) { row in
            guard filter.matches(name: row.name, id: row.device) else { return }
            var line = begin(event, "presence", replica.named(row))
            let presence = Presence.joined(
                node: change.presence, isConnected: row.isConnected, connectedSince: row.connectedSince)
            put(presence, into: &line)
            line.end(into: &output)
        }
        var line = begin(event, "presence", nil, node: change.node)
        put(change.presence, into: &line)
        line.put("devices", change.devices)
        line.end(into: &output)
    }

    private static func append(
        _ end: ObserverEvent.Outcome, _ event: ObserverEvent, to output: inout [UInt8]
    ) {
        let report = end.report
        let state = report.outcome.state
        var line = begin(event, "outcome", end.device)
        line.put("requestID", report.requestID.description)
        line.put("outcome", report.outcome.name)
        line.put("state", state.map { object(of: $0.state) })
        line.put("version", state?.version.value)
        line.put("incarnation", state?.incarnation.description)
        line.put("attempts", report.attempts)
        line.put("latencyUs", report.timing.totalUs)
        line.put("actor", report.actor.address)
        switch report.outcome {
        case .rejected(let why): line.put("reason", why)
        case .undetermined(let reason): line.put("reason", "\(reason)")
        case .applied, .unchanged, .conflict, .cancelled, .expired, .unknown: break
        }
        line.end(into: &output)
    }

    private static func object(of state: ACState) -> JSONLine {
        var object = JSONLine()
        put(state, into: &object)
        return object
    }

    private static func put(_ state: ACState, into line: inout JSONLine) {
        line.put("on", state.isOn)
        line.put("mode", state.mode.name)
        line.put("targetTemperature", state.targetCelsius)
        line.put("fanLevel", state.fanLevel.name)
    }

    private static func put(_ presence: Presence, into line: inout JSONLine) {
        line.put("presence", presence.kind.name)
        line.put("reason", presence.reason?.name)
    }
}

extension ObserverEvent.Notice {
    /// Its word in JSON.
    var name: String {
        switch self {
        case .added: "added"
        case .removed: "removed"
        case .connection(.connecting): "connecting"
        case .connection(.established): "established"
        case .connection(.failed): "connectionError"
        case .signedOut: "signedOut"
        case .signedIn: "signedIn"
        }
    }
}
