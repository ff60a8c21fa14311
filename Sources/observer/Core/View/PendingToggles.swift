import FleetProtocol
import FleetReplica

/// The toggles of this screen that have not ended as far as it knows, one per device. Until its toggle ends,
/// a device's row shows the expected state. It shows the reported state again if the toggle ends otherwise,
/// or after its time limit.
struct PendingToggles: Sendable {
    struct Entry: Sendable {
        let requestID: RequestID
        let device: DeviceID
        let expected: Bool
        var isCancelling = false
        /// The state after it was applied, which the row will soon show; nil before that.
        var applied: DeviceState?
        /// The time at which the row shows the reported state again in any case.
        var due: MonotonicTime
    }

    static let limit = 64
    /// The time beyond the command's timeout for its outcome to arrive; longer than the client waits.
    static let grace: Duration = .milliseconds(1_500)
    /// How long an applied toggle waits for its row.
    static let settling: Duration = .seconds(1)

    private(set) var entries: [Entry] = []
    private var random: SeededGenerator

    /// No toggles; the IDs of their requests come from the generator.
    init(random: SeededGenerator) { self.random = random }

    var isFull: Bool { entries.count >= Self.limit }
    subscript(device: DeviceID) -> Entry? { entries.first { $0.device == device } }

    /// Begins a toggle of a device in the state that its row shows; returns the command.
    mutating func begin(_ row: ReplicaRow, at now: Moment) -> Command {
        let command = Command(
            requestID: RequestID(at: now.wall, using: &random), device: row.device, kind: .toggle,
            expected: row.reported.expectation, timeout: Limits.defaultTimeout)
        entries.append(
            Entry(
                requestID: command.requestID, device: row.device, expected: !row.reported.state.isOn,
                due: now.monotonic.advanced(by: Limits.defaultTimeout + Self.grace)))
        return command
    }

    mutating func cancel(_ requestID: RequestID) { update(requestID) { $0.isCancelling = true } }
    mutating func resume(with requestID: RequestID) { update(requestID) { $0.isCancelling = false } }

    /// Handles an outcome; an applied toggle stays until its row shows it.
    mutating func end(_ requestID: RequestID, _ outcome: Outcome, at now: MonotonicTime) {
        guard case .applied(let state) = outcome else { return drop(requestID) }
        update(requestID) {
            $0.applied = state
            $0.due = min($0.due, now.advanced(by: Self.settling))
        }
    }

    mutating func drop(_ requestID: RequestID) { entries.removeAll { $0.requestID == requestID } }

    /// Removes the toggles whose rows show them, and those past their time limit.
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
