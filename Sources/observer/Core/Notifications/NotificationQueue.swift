import FleetProtocol
import FleetReplica
import UserText

/// The events for which the command of `--notify` is called.
struct Notifier: Sendable {
    private let filter: EventFilter
    private var queue = NotificationQueue()

    /// A notifier for the devices that a filter matches.
    init(filter: EventFilter) { self.filter = filter }

    /// Handles an event of the fleet.
    mutating func handle(_ event: ObserverEvent, of replica: Replica, at now: MonotonicTime) {
        guard let notification = FleetNotification(event, of: replica, filter: filter) else { return }
        queue.add(notification, at: now)
    }

    /// Returns the notification for which the command must be called now.
    mutating func take(at now: MonotonicTime) -> FleetNotification? { queue.take(at: now) }
}

/// The notifications that wait for the command of `--notify`: several are combined into one.
///
/// A notification waits a second for others. After one was handed out, further ones wait until
/// ``interval`` has passed.
struct NotificationQueue: Sendable {
    /// The shortest time between two commands.
    static let interval: Duration = .seconds(10)
    /// The time for which the first notification waits for others.
    static let delay: Duration = .seconds(1)

    /// The first waiting notification; nil if none waits.
    private var first: FleetNotification?
    /// The number of waiting notifications of each kind, in the order of `FleetNotification.Kind.allCases`.
    private var counts = Array(repeating: 0, count: FleetNotification.Kind.allCases.count)
    private var due = MonotonicTime.zero

    /// An empty queue.
    init() {}

    /// Adds a notification.
    mutating func add(_ notification: FleetNotification, at now: MonotonicTime) {
        if first == nil {
            first = notification
            due = max(due, now.advanced(by: Self.delay))
        }
        guard let place = FleetNotification.Kind.allCases.firstIndex(of: notification.kind) else { return }
        counts[place] += 1
    }

    /// Returns the notification for which the command must be called now: the one that waits, or the numbers
    /// of those that wait.
    mutating func take(at now: MonotonicTime) -> FleetNotification? {
        guard let first, due <= now else { return nil }
        let total = counts.reduce(0, +)
        let summary = zip(FleetNotification.Kind.allCases, counts).compactMap(Self.text).joined(
            separator: ", ")
        self.first = nil
        counts = counts.map { _ in 0 }
        due = now.advanced(by: Self.interval)
        return total == 1 ? first : FleetNotification(.several, summary)
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
