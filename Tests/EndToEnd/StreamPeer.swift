import Bus
import FleetProtocol
import ProcessSupport
import TestSupport
import Testing

/// A peer of a fleet's `clients` and `stream` that uses only the contract.
final class StreamPeer {
    private static let timeout = Duration.seconds(5)

    private let place: FleetPlace
    private let context: Context
    private let clients: Socket
    private var subscribers: [Socket] = []

    /// A peer of a fleet; call ``end()`` when done.
    init(_ place: FleetPlace) throws {
        (self.place, context) = (place, try Context())
        var options = SocketOptions.defaults(for: .dealer)
        options.secure(place[.clients].security)
        options.receiveTimeout = Self.timeout.slowed
        clients = try Socket(.dealer, context: context, options: options)
        try clients.connect(place[.clients].endpoint(.clients))
    }

    /// Closes its sockets.
    func end() {
        for socket in subscribers + [clients] { socket.close() }
        context.terminate()
    }

    /// Requests a ticket.
    func ticket(_ session: StoredSession) throws -> StreamTicket {
        let request = ClientRequest(correlation: 1, token: session.token, body: .streamTicket)
        _ = try clients.sendWaiting([[], request.wireBytes])
        var frames = Frames()
        try #require(try clients.receiveWaiting(into: &frames))
        guard case .streamTicket(let ticket) = try ClientReply(wireBytes: frames.array(at: 1)).body else {
            throw NoTicket()
        }
        return ticket
    }

    /// A subscriber to those prefixes.
    func subscriber(to prefixes: [[UInt8]]) throws -> Socket {
        var options = SocketOptions.defaults(for: .sub)
        options.secure(place[.stream].security)
        options.receiveTimeout = .milliseconds(100)
        let socket = try Socket(.sub, context: context, options: options)
        subscribers.append(socket)
        for prefix in prefixes { try socket.subscribe(prefix: prefix) }
        try socket.connect(place[.stream].endpoint(.stream))
        return socket
    }

    /// The messages that a subscriber receives within a time.
    func received(by socket: Socket, for time: Duration) throws -> [(topic: [UInt8], update: StreamUpdate)] {
        let clock = ContinuousClock()
        let end = clock.now + time
        var received: [(topic: [UInt8], update: StreamUpdate)] = []
        var frames = Frames()
        repeat {
            while try socket.receiveWaiting(into: &frames) {
                received.append((frames.array(at: 0), try StreamUpdate(wireBytes: frames.array(at: 1))))
                if clock.now > end { break }
            }
        } while clock.now < end
        return received
    }

    /// The controller sent another reply.
    private struct NoTicket: Error {}
}
