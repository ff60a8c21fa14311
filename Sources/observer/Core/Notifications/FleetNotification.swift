import FleetProtocol
import FleetReplica
import UserText

/// What a command of `--notify` is called for.
struct FleetNotification: Equatable, Sendable {
    enum Kind: String, CaseIterable, Hashable, Sendable {
        case offline
        case nodeLost = "node-lost"
        /// A toggle failed, or has no known outcome.
        case toggleFailed = "toggle-failed"
        case several
    }

    let kind: Kind
    /// The event in words, safe for a terminal; it begins with `Sensibus: `.
    let text: String
    /// The device; nil unless the notification is about a single one.
    let device: FleetEvent.Device?
    /// The node; nil if it is not known, or if there are several.
    let node: NodeName?

    init(_ kind: Kind, _ text: String, device: FleetEvent.Device? = nil, node: NodeName? = nil) {
        (self.kind, self.device, self.node) = (kind, device, node ?? device?.node)
        self.text = "Sensibus: \(text)"
    }

    /// The notification for an event; nil for an event of no kind, or about no device for which a condition
    /// holds. The devices of a lost node give one notification, not one for each.
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

    var environment: [(name: String, value: String)] {
        [
            ("SENSIBUS_EVENT", kind.rawValue), ("SENSIBUS_TEXT", text),
            ("SENSIBUS_DEVICE", device?.id.description ?? ""),
            ("SENSIBUS_NAME", device?.name.map { SafeText.of($0) } ?? ""),
            ("SENSIBUS_NODE", node?.text ?? ""),
        ]
    }
}

/// The notifications that wait for the command of `--notify`: several are combined into one. A notification
/// waits a second for others. After one was handed out, further ones wait until ``interval`` has passed.
struct NotificationQueue: Sendable {
    /// The shortest time between two commands.
    static let interval: Duration = .seconds(10)
    /// The time for which the first notification waits for others.
    static let delay: Duration = .seconds(1)

    private let filter: EventFilter
    private var first: FleetNotification?
    /// The number of waiting notifications of each kind.
    private var counts: [FleetNotification.Kind: Int] = [:]
    private var due = MonotonicTime.zero

    init(filter: EventFilter = .all) { self.filter = filter }

    mutating func handle(_ event: ObserverEvent, of replica: Replica, at now: MonotonicTime) {
        guard let notification = FleetNotification(event, of: replica, filter: filter) else { return }
        add(notification, at: now)
    }

    mutating func add(_ notification: FleetNotification, at now: MonotonicTime) {
        if first == nil {
            first = notification
            due = max(due, now.advanced(by: Self.delay))
        }
        counts[notification.kind, default: 0] += 1
    }

    /// Returns the notification for which the command must be called now: the one that waits, or the numbers
    /// of those that wait.
    mutating func take(at now: MonotonicTime) -> FleetNotification? {
        guard let first, due <= now else { return nil }
        let total = counts.values.reduce(0, +)
        let parts = FleetNotification.Kind.allCases.compactMap { Self.text($0, counts[$0] ?? 0) }
        (self.first, counts) = (nil, [:])
        due = now.advanced(by: Self.interval)
        return total == 1 ? first : FleetNotification(.several, parts.joined(separator: ", "))
    }

    private static func text(_ kind: FleetNotification.Kind, _ count: Int) -> String? {
        guard count > 0 else { return nil }
        return switch kind {
        case .offline: "\(Count.of(count, "device")) offline"
        case .nodeLost: "\(Count.of(count, "node")) lost"
        case .toggleFailed: "\(Count.of(count, "toggle")) failed"
        case .several: nil
        }
    }
}
