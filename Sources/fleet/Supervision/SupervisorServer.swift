import Bus
import FleetProtocol
import Runtime
import Stepping

/// The socket at which a supervisor is asked.
///
/// Everything it has is the loop's thread's. A request gets a ticket, which goes to the rules and comes back
/// with the answer.
actor SupervisorServer {
    /// Requests that may wait for their answers; another one is refused at once.
    private static let ticketLimit = 64
    /// Messages taken in one turn of the loop.
    private static let messagesPerTurn = 64

    /// What those who ask may take of the supervisor: each asks little, and reads the answer.
    private static let bounds = {
        var bounds = ConnectionBounds(connections: connectionLimit)
        (bounds.unreadBytes, bounds.allUnreadBytes) = (4 << 20, 16 << 20)
        return bounds
    }()
    /// Connections at a time.
    private static let connectionLimit = 128
    /// How often it looks whether a flood is over.
    private static let lookInterval = Duration.seconds(1)

    private let loop: Loop
    private let onRequest: @Sendable (SupervisorRequest, _ ticket: UInt64) -> Void
    private var socket: Socket?
    private var waiting: [UInt64: RoutingID] = [:]
    private var lastTicket: UInt64 = 0
    private var lostConnections = LostConnections()

    /// A server on a started loop, not yet open.
    init(on loop: Loop, onRequest: @escaping @Sendable (SupervisorRequest, UInt64) -> Void) {
        self.loop = loop
        self.onRequest = onRequest
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Begins to take requests.
    ///
    /// - Precondition: It is not open.
    func open(at endpoint: Endpoint) throws(BusError) {
        precondition(socket == nil, "the supervisor's socket is open already")
        var options = SocketOptions.defaults(for: .router)
        options.bounds = Self.bounds
        let socket = try Socket(.router, context: loop.context, options: options)
        try socket.bind(endpoint)
        loop.register(socket) { self.assumeIsolated { $0.drain() } }
        self.socket = socket
        look()
    }

    /// Gives memory back after a flood, and looks again later.
    private func look() {
        guard let socket else { return }
        _ = lostConnections.count(over: [socket])
        if lostConnections.wereLongAgo(at: SystemClock().now().monotonic) { Allocator.giveBack() }
        _ = loop.schedule(after: Self.lookInterval) { self.assumeIsolated { $0.look() } }
    }

    /// Gives the answer to a request; nothing if whoever asked has gone.
    func answer(_ ticket: UInt64, with reply: SupervisorReply) {
        guard let peer = waiting.removeValue(forKey: ticket) else { return }
        send(reply, to: peer)
    }

    private func drain() {
        guard let socket else { return }
        var frames = Frames()
        do {
            for _ in 0..<Self.messagesPerTurn {
                guard try socket.receive(into: &frames) else { return }
                take(frames)
            }
        } catch {
            preconditionFailure("the supervisor's socket fails on its own thread: \(error)")
        }
    }

    /// Takes a peer's id, the empty delimiter and a request; drops what has another shape.
    private func take(_ frames: borrowing Frames) {
        guard frames.count == 3, frames.byteCount(at: 1) == 0, let peer = frames.routingID(at: 0) else {
            return
        }
        guard waiting.count < Self.ticketLimit else {
            return send(SupervisorReply(failure: "busy: \(Self.ticketLimit) requests wait already"), to: peer)
        }
        do {
            let request = try SupervisorRequest(wireBytes: frames[2])
            lastTicket += 1
            waiting[lastTicket] = peer
            onRequest(request, lastTicket)
        } catch {
            send(SupervisorReply(failure: "not accepted: \(error)"), to: peer)
        }
    }

    /// A peer that has gone, or does not read, goes without: the next request will have its own answer.
    private func send(_ reply: SupervisorReply, to peer: RoutingID) {
        do {
            _ = try socket?.send(to: peer, delimited: reply.wireBytes)
        } catch {
            preconditionFailure("the supervisor's socket fails on its own thread: \(error)")
        }
    }
}
