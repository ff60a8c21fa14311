import FleetProtocol
import FleetReplica
import UserText

/// What a command of `--notify` is called for.
struct FleetNotification: Equatable, Sendable {
    /// The kinds of notifications.
    enum Kind: String, CaseIterable, Hashable, Sendable {
        case offline
        /// A node is lost or has left, with all its devices.
        case nodeLost = "node-lost"
        /// A toggle failed, or has no known outcome.
        case toggleFailed = "toggle-failed"
        /// More than one event.
        case several
    }

    /// The kind.
    let kind: Kind
    /// The event in words, safe for a terminal; it begins with `Sensibus: `.
    let text: String
    /// The device; nil unless the notification is about a single one.
    let device: FleetEvent.Device?
    /// The node; nil if it is not known, or if there are several.
    let node: NodeName?

    /// A notification of those values.
    init(_ kind: Kind, _ text: String, device: FleetEvent.Device? = nil, node: NodeName? = nil) {
        (self.kind, self.device, self.node) = (kind, device, node ?? device?.node)
        self.text = "Sensibus: \(text)"
    }

    /// The notification for an event; nil for an event of no kind, or about no device for which a condition
    /// holds.
    ///
    /// The devices of a lost node give one notification, not one for each.
    init?(_ event: ObserverEvent, of replica: Replica, filter: EventFilter) {
        guard case .fleet(let body) = event.body, filter.matches(event, of: replica) else { return nil }
        let text = EventLine(event).text
        switch body {
        case .presence(let device, let presence):
            guard case .offline = presence.kind else { return nil }
            self.init(.offline, text, device: device)
        case .node(let change):
            guard case .offline = change.presence.kind else { return nil }
            var isWanted = false
            replica.forEachRow(ofNode: change.node) { row in
                isWanted = isWanted || filter.matches(row, of: replica)
            }
            guard isWanted else { return nil }
            self.init(.nodeLost, text, node: change.node)
        case .outcome(let end):
            guard end.report.command == .toggle, EventLine.Tone(of: end.report.outcome) == .failure else {
                return nil
            }
            self.init(.toggleFailed, text, device: end.device)
        case .reported, .added, .removed, .connection, .stale, .resync, .measured, .settings, .service:
            return nil
        }
    }

    /// The environment variables of the command.
    var environment: [(name: String, value: String)] {
        [
            ("SENSIBUS_EVENT", kind.rawValue), ("SENSIBUS_TEXT", text),
            ("SENSIBUS_DEVICE", device?.id.description ?? ""),
            ("SENSIBUS_NAME", device?.name.map { SafeText.of($0) } ?? ""),
            ("SENSIBUS_NODE", node?.text ?? ""),
        ]
    }
}
