import FleetProtocol
import FleetReplica
import FleetTime

/// The toggles that this screen has asked for and whose end it has not seen, one a device.
///
/// Until then the device's row shows what is expected. It goes back at once when the toggle ended otherwise,
/// and when the time for it is over.
struct PendingToggles: Sendable {
    /// One of them.
    struct Entry: Sendable {
        let requestID: RequestID
        let device: DeviceID
        /// Whether the device is expected to be on.
        let expected: Bool
        /// Whether it is being taken back.
        var isCancelling = false
        /// The version at which it was applied, once that is known: the row will have it in a moment.
        var applied: DeviceState?
        /// When the row goes back whatever was heard.
        var due: MonotonicTime
    }

    /// How many there are at most.
    static let limit = 64
    /// How long beyond the command's own time its end is waited for: longer than the client does.
    static let grace: Duration = .milliseconds(1_500)
    /// How long an applied toggle waits for the row.
    static let settling: Duration = .seconds(1)

    private(set) var entries: [Entry] = []
    /// The source of request IDs.
    private var random: SeededGenerator

    /// No toggles; the IDs of their requests come from the generator.
    init(random: SeededGenerator) {
        self.random = random
    }

    var isFull: Bool { entries.count >= Self.limit }

    subscript(device: DeviceID) -> Entry? { entries.first { $0.device == device } }

    /// Begins a toggle of a device that is as its row shows; returns the command.
    mutating func begin(_ row: ReplicaRow, at now: Moment) -> Command {
        let command = Command(
            requestID: RequestID(at: now.wall, using: &random), device: row.device, kind: .toggle,
            expected: row.reported.expectation, patience: Limits.defaultPatience)
        entries.append(
            Entry(
                requestID: command.requestID, device: row.device, expected: !row.reported.state.isOn,
                due: now.monotonic.advanced(by: Limits.defaultPatience + Self.grace)))
        return command
    }

    /// Notes that one is being taken back.
    mutating func cancel(_ requestID: RequestID) { update(requestID) { $0.isCancelling = true } }

    /// Notes that taking one back did not come about.
    mutating func goOn(with requestID: RequestID) { update(requestID) { $0.isCancelling = false } }

    /// Takes how one ended; an applied one stays until its row shows it.
    mutating func end(_ requestID: RequestID, _ outcome: Outcome, at now: MonotonicTime) {
        guard case .applied(let state) = outcome else { return drop(requestID) }
        update(requestID) {
            $0.applied = state
            $0.due = min($0.due, now.advanced(by: Self.settling))
        }
    }

    mutating func drop(_ requestID: RequestID) { entries.removeAll { $0.requestID == requestID } }

    /// Lets those go whose row shows them, and those whose time is over.
    mutating func settle(by replica: Replica, at now: MonotonicTime) {
        entries.removeAll { entry in
            if entry.due <= now { return true }
            guard let applied = entry.applied else { return false }
            guard let row = replica.row(of: entry.device) else { return true }
            return row.reported.incarnation != applied.incarnation || row.reported.version >= applied.version
        }
    }

    private mutating func update(_ requestID: RequestID, _ change: (inout Entry) -> Void) {
        guard let place = entries.firstIndex(where: { $0.requestID == requestID }) else { return }
        change(&entries[place])
    }
}
