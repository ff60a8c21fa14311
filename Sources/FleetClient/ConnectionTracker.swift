import Bus
import FleetReplica

/// Makes a connection's state of what a socket's monitor tells.
struct ConnectionTracker {
    /// Where the controller is looked for.
    let endpoint: Endpoint
    private(set) var state = ConnectionState.connecting

    init(endpoint: Endpoint) {
        self.endpoint = endpoint
    }

    /// The state after an event; nil when it is as before.
    mutating func observe(_ event: ConnectionEvent) -> ConnectionState? {
        guard let next = Self.state(after: event, at: endpoint), next != state else { return nil }
        state = next
        return next
    }

    /// A lost connection is made again at once; a try that failed stays so until one succeeds.
    private static func state(after event: ConnectionEvent, at endpoint: Endpoint) -> ConnectionState? {
        switch event {
        case .handshakeSucceeded: .established
        case .disconnected: .connecting
        case .connectRetried: .failed("nobody answers at \(endpoint); trying again")
        case .handshakeFailed: .failed("the peer at \(endpoint) does not speak our protocol; trying again")
        case .connected, .connectDelayed, .listening, .bindFailed, .accepted, .acceptFailed, .closed,
            .closeFailed, .stopped:
            nil
        }
    }
}
