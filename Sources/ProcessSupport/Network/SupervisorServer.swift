public import Bus
public import FleetProtocol

/// The socket on which a supervisor receives requests. Its state is isolated to the loop's thread. Each
/// request gets a ticket, which the rules return with the reply.
public actor SupervisorServer {
    /// The limit of unanswered requests; another one is refused at once.
    private static let ticketLimit = 64
    /// Messages received in one turn of the loop.
    private static let messagesPerTurn = 64

    /// Limits of the socket: connections, and bytes of messages that the supervisor has not received yet.
    private static let bounds = {
        var bounds = ConnectionBounds(connections: connectionLimit)
        (bounds.unreadBytes, bounds.allUnreadBytes) = (4 << 20, 16 << 20)
        return bounds
    }()
    private static let connectionLimit = 128
    private static let lookInterval = Duration.seconds(1)

    private let loop: Loop
    private let onRequest: @Sendable (SupervisorRequest, _ ticket: UInt64) -> Void
    private let everySecond: @Sendable () -> Void
    private var socket: Socket?
    private var waiting: [UInt64: RoutingID] = [:]
    private var lastTicket: UInt64 = 0
    private var lostConnections = LostConnections()

    /// A server that is not open yet.
    ///
    /// - Parameters:
    ///   - loop: The thread of the server.
    ///   - onRequest: Handles a request, and later answers its ticket.
    ///   - everySecond: Called about once a second while the socket is open.
    public init(
        on loop: Loop, onRequest: @escaping @Sendable (SupervisorRequest, UInt64) -> Void,
        everySecond: @escaping @Sendable () -> Void = {}
    ) {
        (self.loop, self.onRequest, self.everySecond) = (loop, onRequest, everySecond)
    }

    /// The loop, whose thread runs all code isolated to the server.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Listens at the supervisor's endpoint, once.
    public func open(at endpoint: Endpoint) throws(BusError) {
        precondition(socket == nil, "the supervisor's socket is open already")
        var options = SocketOptions.defaults(for: .router)
        options.bounds = Self.bounds
        let socket = try Socket(.router, context: loop.context, options: options)
        try socket.bind(endpoint)
        loop.register(socket) { self.assumeIsolated { $0.drain() } }
        self.socket = socket
        look()
    }

    /// Returns memory to the system some time after a flood of connections, and schedules the next check.
    private func look() {
        guard let socket else { return }
        _ = lostConnections.count(over: [socket])
        if lostConnections.wereLongAgo(at: SystemClock().now().monotonic) { Allocator.giveBack() }
        everySecond()
        _ = loop.schedule(after: Self.lookInterval) { self.assumeIsolated { $0.look() } }
    }

    /// Sends the reply to a request; does nothing if no unanswered request has that ticket.
    public func answer(_ ticket: UInt64, with reply: SupervisorReply) {
        guard let peer = waiting.removeValue(forKey: ticket) else { return }
        send(reply, to: peer)
    }

    private func drain() {
        guard let socket else { return }
        var frames = Frames()
        do {
            for _ in 0..<Self.messagesPerTurn {
                guard try socket.receive(into: &frames) else { return }
                receive(frames)
            }
        } catch {
            preconditionFailure("the supervisor's socket fails on its own thread: \(error)")
        }
    }

    /// Handles a message of peer ID, empty delimiter and request; drops a message of any other shape.
    private func receive(_ frames: borrowing Frames) {
        guard frames.count == 3, frames.byteCount(at: 1) == 0, let peer = frames.routingID(at: 0) else {
            return
        }
        guard waiting.count < Self.ticketLimit else {
            return send(SupervisorReply(failure: "busy: \(Self.ticketLimit) requests are waiting"), to: peer)
        }
        do {
            let request = try SupervisorRequest(wireBytes: frames[2])
            lastTicket += 1
            waiting[lastTicket] = peer
            onRequest(request, lastTicket)
        } catch {
            send(SupervisorReply(failure: "invalid request: \(error)"), to: peer)
        }
    }

    /// Sends a reply, and drops it if the peer has gone or does not read; a later request gets its own.
    private func send(_ reply: SupervisorReply, to peer: RoutingID) {
        do {
            _ = try socket?.send(to: peer, delimited: reply.wireBytes)
        } catch {
            preconditionFailure("the supervisor's socket fails on its own thread: \(error)")
        }
    }
}
