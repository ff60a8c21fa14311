import Bus
import ControllerSupport
import FleetProtocol
import Logging
import ProcessSupport

/// The controller's sockets on the network. Each is a CURVE server with its own name as domain, so a key
/// connects only to the sockets of its role. They are apart from the sockets of the run directory: what
/// arrives here always has a key.
final class NetworkServer {
    /// The I/O threads of a context with such sockets: one for the run directory, one for encryption.
    static let ioThreads = 2
    /// The second of them, as the bit of the sockets' affinity.
    private static let affinity: UInt64 = 0b10
    /// The most bytes of a frame on `join`, whose requests have 40.
    private static let joinBytes = 512
    /// The most bytes from one peer of `join` that wait to be read.
    private static let joinUnreadBytes = 8 << 10

    let address: NetworkAddress
    let registry: PeerRegistry
    let sockets: ControllerSockets
    let join: Socket
    var stream: StreamSocket
    private let authenticator: Authenticator
    private let keys: CurveKeyPair
    private var probe: StrangerProbe?
    private var deniedCounted: UInt64 = 0
    /// The keys of the connections that have sent something, by socket.
    private var senders: [FleetSocket: [PeerConnection: CurvePublicKey]] = [:]

    /// Binds the sockets, after what decides about their peers.
    init(
        at address: NetworkAddress, in directory: RunDirectory, connections: Int, loop: Loop, logger: Logger
    ) throws {
        let files = try PeerFiles(of: directory)
        let keys = try files.serverKeys()
        let registry = try PeerRegistry(files, secret: try directory.nodeSecret(), logger: logger)
        authenticator = try Authenticator(on: loop) { registry.admits($0) }
        let place = { (socket: FleetSocket) throws in
            SocketPlace(
                endpoint: try address.endpoint(of: socket),
                security: .server(try CurveServer(keys: keys, domain: socket.rawValue)),
                affinity: Self.affinity)
        }
        sockets = try ControllerSockets(connections: connections, context: loop.context, at: place)
        var options = SocketOptions.ofController(.join, .router, connections: connections)
        options.maxMessageBytes = Self.joinBytes
        options.bounds?.unreadBytes = Self.joinUnreadBytes
        options.bounds?.allUnreadBytes = 16 * Self.joinUnreadBytes
        join = try ControllerSockets.bound(.router, options, context: loop.context, at: place(.join))
        stream = StreamSocket(sockets.stream)
        (self.address, self.registry, self.keys) = (address, registry, keys)
    }

    var all: [Socket] { sockets.all + [join] }

    private func socket(_ kind: FleetSocket) -> Socket { kind == .join ? join : sockets[kind] }

    /// Follows the list of peers, and checks that strangers stay outside; then calls `ready`, or `failed`. It
    /// calls `lost` with the boot ID of a node whose key was revoked.
    func begin(
        on loop: Loop, ready: @escaping () -> Void, failed: @escaping (any Error) -> Void,
        lost: @escaping (BootID) -> Void
    ) throws {
        registry.onRevoke = { [unowned self] keys, boots in
            endConnections(of: keys)
            boots.forEach(lost)
        }
        try registry.watch(on: loop)
        probe = try StrangerProbe(of: address.reached, serverKey: keys.publicKey, on: loop) { [self] result in
            probe = nil
            switch result {
            case .success: ready()
            case .failure(let error): failed(error)
            }
        }
    }

    /// The peer that sent the last message to a socket; nil if its key was revoked, or has another role. The
    /// connection of such a peer is ended.
    func sender(of frames: borrowing Frames, to kind: FleetSocket) -> Peer? {
        let connection = socket(kind).lastConnection
        guard let key = frames.senderKey, let peer = registry[key, at: kind] else {
            if let connection { socket(kind).end(connection) }
            return nil
        }
        if let connection, senders[kind]?[connection] != key { record(connection, of: key, at: kind) }
        return peer
    }

    private func record(_ connection: PeerConnection, of key: CurvePublicKey, at kind: FleetSocket) {
        senders[kind, default: [:]][connection] = key
        // Most of many have ended. Open ones are recorded again with their next message; a revocation before
        // that ends them, as those that have not sent anything.
        let open = socket(kind).connectionCounts.open
        guard senders[kind]?.count ?? 0 > 2 * open + 256 else { return }
        senders[kind] = [connection: key]
    }

    /// Ends the connections of keys, and those that have not sent anything: an honest peer connects again.
    private func endConnections(of keys: Set<CurvePublicKey>) {
        for kind in FleetSocket.onNetwork where kind != .join {
            let known = senders[kind, default: [:]]
            socket(kind).endConnections { connection in known[connection].map(keys.contains) ?? true }
            senders[kind] = known.filter { !keys.contains($0.value) }
        }
    }

    /// The denials of handshakes since the last call.
    func takeDenials() -> Int {
        defer { deniedCounted = authenticator.denied }
        return Int(authenticator.denied - deniedCounted)
    }

    /// The reply to a message on `join`; nil if it has another shape.
    func reply(toJoin frames: borrowing Frames, at now: WallTime) -> (peer: RoutingID, reply: JoinReply)? {
        guard frames.count == 3, frames.byteCount(at: 1) == 0, let peer = frames.routingID(at: 0),
            let key = frames.senderKey
        else { return nil }
        do throws(WireError) {
            let request = try JoinRequest(wireBytes: frames.array(at: 2))
            return (peer, registry.join(key, with: request.token, at: now))
        } catch {
            return (peer, .refusal(.invalid(error.description)))
        }
    }

    func close() {
        for socket in all { socket.close() }
        authenticator.close()
    }
}

/// Connects once to each socket of the network with a key that no list has, and expects to be denied. libzmq
/// admits everyone if its authenticator is missing or set up wrongly, and no call reports that.
final class StrangerProbe {
    struct Failure: Error, CustomStringConvertible {
        let socket: FleetSocket
        let wasAdmitted: Bool

        var description: String {
            wasAdmitted
                ? "a peer without a key was admitted to the socket \(socket.rawValue): not listening"
                : "it could not be checked that peers without a key are denied at \(socket.rawValue)"
        }
    }

    private static let limit = Duration.seconds(10)

    private let loop: Loop
    private let ended: (Result<Void, Failure>) -> Void
    private var sockets: [FleetSocket: Socket] = [:]
    private var timer: TimerID?

    init(
        of address: NetworkAddress, serverKey: CurvePublicKey, on loop: Loop,
        _ ended: @escaping (Result<Void, Failure>) -> Void
    ) throws {
        (self.loop, self.ended) = (loop, ended)
        for (socket, kind) in [
            (FleetSocket.clients, SocketKind.dealer), (.devices, .dealer), (.stream, .sub),
            (.telemetry, .pub),
        ] {
            var options = SocketOptions.defaults(for: kind)
            options.secure(.client(server: serverKey, keys: try .generate()))
            let stranger = try Socket(kind, context: loop.context, options: options)
            try stranger.monitor(.handshakes).onEvent(on: loop) { [self] event, _ in
                saw(event, at: socket)
            }
            try stranger.connect(try address.endpoint(of: socket))
            // The loop handles libzmq's commands for a socket while it polls it.
            loop.register(stranger) {}
            sockets[socket] = stranger
        }
        timer = loop.schedule(after: Self.limit) { [self] in
            if let socket = sockets.keys.first { end(.failure(Failure(socket: socket, wasAdmitted: false))) }
        }
    }

    private func saw(_ event: ConnectionEvent, at socket: FleetSocket) {
        switch event {
        case .handshakeFailed(.denied(status: 400)):
            sockets.removeValue(forKey: socket).map(close)
            if sockets.isEmpty { end(.success(())) }
        case .handshakeSucceeded: end(.failure(Failure(socket: socket, wasAdmitted: true)))
        default: break
        }
    }

    private func end(_ result: Result<Void, Failure>) {
        guard let timer else { return }
        loop.cancel(timer)
        self.timer = nil
        sockets.values.forEach(close)
        sockets = [:]
        ended(result)
    }

    /// Closes a socket after the event that it reported, which its monitor is still handing over.
    private func close(_ socket: Socket) {
        loop.unregister(socket)
        _ = loop.schedule(after: .zero) { socket.close() }
    }
}
