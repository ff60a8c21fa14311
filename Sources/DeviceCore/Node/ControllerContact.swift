import FleetProtocol

/// A node's contact with the controller: when to send the next heartbeat, and when to send a hello.
struct ControllerContact: Sendable {
    enum Heartbeat {
        case hello, ping
    }

    /// The due time of the next heartbeat; no timer event, so that it does not wait for earlier ones.
    private(set) var heartbeatDue: MonotonicTime
    /// The epoch of the controller that received the hello; nil if none has.
    private var greetedEpoch: Epoch?
    /// Whether the controller has refused this process, because another one of the node is alive.
    private var isRefused = false

    /// The contact of a node that starts, whose first heartbeat is due at once.
    init(at now: MonotonicTime) { heartbeatDue = now }

    /// Returns the heartbeat that is due, and schedules the next; nil if none is due.
    mutating func heartbeat(at now: MonotonicTime) -> Heartbeat? {
        guard heartbeatDue <= now else { return nil }
        heartbeatDue = now.advanced(by: Limits.beatInterval)
        return greetedEpoch == nil ? .hello : .ping
    }

    mutating func refuse() { isRefused = true }

    /// Whether to send a hello over a new connection at once. A refused process waits for a lease: a
    /// restarted controller must meet the other one first.
    mutating func mayGreet(at now: MonotonicTime) -> Bool {
        if isRefused { heartbeatDue = now.advanced(by: Limits.lease) }
        return !isRefused
    }

    /// Handles the reply to a heartbeat; returns whether the controller needs a hello.
    mutating func receivePong(of epoch: Epoch, isHelloWanted: Bool) -> Bool {
        if !isHelloWanted { isRefused = false }
        defer { greetedEpoch = max(greetedEpoch ?? .zero, epoch) }
        return isHelloWanted || greetedEpoch.map { epoch > $0 } ?? false
    }

    /// Makes the next heartbeat a hello, because another node holds some of the devices.
    mutating func claimAgain() { greetedEpoch = nil }
}

/// The requests of a node's hello, by which a controller recognizes a journal from an earlier time. The last
/// one is later than any copy of the journal that lacks it. The newest one remains if the last one is an old
/// request that a device has judged late.
struct JudgedRequests: Sendable {
    private var last: RequestID?
    private var newest: RequestID?

    /// The state after a start: of earlier requests, only the newest is known.
    init(newest: RequestID?) { (last, self.newest) = (newest, newest) }

    mutating func record(_ request: RequestID) {
        last = request
        newest = max(newest ?? request, request)
    }

    /// The requests, at most `Limits.judgedRequests`.
    var list: [RequestID] { [last, newest == last ? nil : newest].compactMap(\.self) }
}
