public import Bus

/// The result of one attempt to connect to a fleet on another machine.
public enum ConnectionCheck: Equatable, Sendable {
    /// The fleet admits the key.
    case admitted
    /// The fleet does not admit the key.
    case denied
    /// A peer answers there, and has another key or speaks another protocol.
    case wrongPeer
    /// Nothing answers there.
    case noAnswer

    /// Connects to a socket, with a thread and a context of its own, and waits for the result.
    ///
    /// - Parameters:
    ///   - endpoint: A ROUTER of the fleet.
    ///   - security: The keys of the fleet and of this machine.
    ///   - timeout: The time after which nothing counts as answering.
    /// - Throws: `BusError` if no socket can be created.
    public static func run(
        at endpoint: Endpoint, security: SocketSecurity, timeout: Duration
    ) async throws -> ConnectionCheck {
        try await Loop.withThread(name: "check") { loop in
            var options = SocketOptions.defaults(for: .dealer)
            options.secure(security)
            let (events, feed) = AsyncStream.makeStream(of: ConnectionEvent.self)
            let socket = try await AsyncSocket(.dealer, on: loop, options: options) { socket in
                try socket.monitor().onEvent(on: loop) { event, _ in feed.yield(event) }
                try socket.connect(endpoint)
                loop.schedule(after: timeout) { feed.finish() }
            }
            var result = ConnectionCheck.noAnswer
            for await event in events {
                guard let next = ConnectionCheck(after: event) else { continue }
                result = next
                if next != .wrongPeer { break }
            }
            await socket.close()
            return result
        }
    }

    /// The result that an event shows; nil if it shows none.
    private init?(after event: ConnectionEvent) {
        switch event {
        case .handshakeSucceeded: self = .admitted
        case .handshakeFailed(.denied): self = .denied
        case .connected, .handshakeFailed, .disconnected: self = .wrongPeer
        default: return nil
        }
    }
}
