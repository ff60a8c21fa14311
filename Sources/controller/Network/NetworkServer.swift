import Bus
import FleetProtocol
import FleetTime
import Logging
import ProcessSupport

/// The controller's sockets on the network.
///
/// Each is a CURVE server with its own name as domain, so a key connects only to the sockets of its role. They
/// are apart from the sockets of the run directory: what arrives here always has a key.
final class NetworkServer {
    /// The I/O threads of a context with such sockets: one for the run directory, one for encryption.
    static let ioThreads = 2
    /// The most bytes of a frame on `join`, whose requests have 40.
    private static let joinBytes = 512

    let address: NetworkAddress
    let registry: PeerRegistry
    let sockets: ControllerSockets
    let join: Socket
    var stream: StreamSocket
    private let authenticator: Authenticator
    private let keys: CurveKeyPair
    private var probe: StrangerProbe?
    /// The denials that the log has counted.
    private var deniedCounted: UInt64 = 0

    /// Binds the sockets, after what decides about their peers.
    ///
    /// - Throws: `damagedKey` or `system` if the files cannot be read, or `BusError` if a port cannot be bound.
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
                security: .server(try CurveServer(keys: keys, domain: socket.rawValue)))
        }
        sockets = try ControllerSockets(connections: connections, context: loop.context, at: place)
        var options = SocketOptions.ofController(.join, .router, connections: connections)
        options.maxMessageBytes = Self.joinBytes
        join = try ControllerSockets.bound(.router, options, context: loop.context, at: place(.join))
        stream = StreamSocket(sockets.stream)
        (self.address, self.registry, self.keys) = (address, registry, keys)
        try files.record(address)
    }

    /// All sockets.
    var all: [Socket] { sockets.all + [join] }

    /// Follows the list of peers, and checks that strangers stay outside; then calls `ready`, or `failed`.
    func begin(on loop: Loop, ready: @escaping () -> Void, failed: @escaping (any Error) -> Void) throws {
        try registry.watch(on: loop)
        probe = try StrangerProbe(of: address.reached, serverKey: keys.publicKey, on: loop) { [self] result in
            probe = nil
            switch result {
            case .success: ready()
            case .failure(let error): failed(error)
            }
        }
    }

    /// The peer that sent a message to a socket; nil if its key was revoked, or has another role.
    func sender(of frames: borrowing Frames, to socket: FleetSocket) -> Peer? {
        registry[frames.senderKey, at: socket]
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
