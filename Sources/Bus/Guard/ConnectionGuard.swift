internal import CGuard
internal import CZMQ
internal import Glibc

/// The bounds of one listening Unix socket, and what its owner has to tell them.
///
/// It belongs to the thread of its ``Socket``. The functions of `CGuard` that it calls may run on any thread.
final class ConnectionGuard {
    /// A connection of a ROUTER's peer: its descriptor, and which of those with this number it is.
    private struct Connection {
        let descriptor: Int32
        let serial: UInt32
    }

    /// Connections that wait for libzmq's thread to accept them.
    private static let backlog: Int32 = 256
    /// Peers known beyond twice as many as there are connections, before those that have gone are forgotten.
    private static let peersBeyond = 256

    /// The listening descriptor, until libzmq has it.
    let descriptor: Int32
    private let number: Int32
    /// The connections of peers that sent something, for what is sent to them.
    private var connections: [RoutingID: Connection] = [:]

    /// Makes a listening socket at a path, in place of what is there.
    ///
    /// - Throws: `addressInUse`, `permissionDenied`, `notFound` or `tooManySockets`; `notSupported` where
    ///   libzmq's calls do not arrive at the guard.
    init(listeningAt path: String, _ bounds: ConnectionBounds) throws(BusError) {
        let operation = "bind ipc://\(path)"
        guard guard_is_installed() else {
            throw BusError(.notSupported, context: "\(operation) with bounds, which libzmq passes by")
        }
        unlink(path)
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw BusError(errno: errno, context: operation) }
        var limits = guard_bounds(bounds)
        guard Self.bind(descriptor, to: path), listen(descriptor, Self.backlog) == 0 else {
            let failure = BusError(errno: errno, context: operation)
            Glibc.close(descriptor)
            throw failure
        }
        number = guard_listener(descriptor, &limits)
        guard number >= 0 else {
            Glibc.close(descriptor)
            throw BusError(errno: EMFILE, context: operation)
        }
    }

    deinit { guard_release(number) }

    /// What became of the connections.
    var counts: ConnectionCounts {
        let read = guard_counts(number)
        var counts = ConnectionCounts()
        counts.open = Int(read.open)
        (counts.accepted, counts.refused) = (read.accepted, read.refused)
        (counts.displaced, counts.ended) = (read.displaced, read.ended)
        return counts
    }

    /// What came and went so far, for ``emptied(since:)``.
    var progress: guard_progress { guard_progress(number) }

    /// The bytes that a frame takes while it waits.
    static func cost(ofFrame bytes: Int) -> UInt64 { UInt64(bytes) + UInt64(GUARD_FRAME_BYTES) }

    /// Notes that a message was received.
    ///
    /// - Parameters:
    ///   - bytes: The sum of its frames' costs, without a ROUTER's routing id.
    ///   - frame: Its last frame, which knows the descriptor.
    ///   - peer: The ROUTER's peer; nil for other sockets.
    /// - Returns: False where its connection was ended because it went beyond a bound.
    func received(_ bytes: UInt64, in frame: UnsafeMutablePointer<zmq_msg_t>, from peer: RoutingID?) -> Bool {
        let descriptor = zmq_msg_get(frame, ZMQ_SRCFD)
        guard !guard_taken(number, descriptor, bytes) else { return false }
        guard let peer, connections[peer] == nil else { return true }
        forgetGone()
        connections[peer] = Connection(descriptor: descriptor, serial: guard_serial(number, descriptor))
        return true
    }

    /// Notes that there was nothing more to receive, after ``progress`` was read.
    func emptied(since progress: guard_progress) { guard_emptied(number, progress) }

    /// Whether the connection of a peer is there, and has room for a message of a size.
    func mayReach(_ peer: RoutingID, bytes: Int) -> Bool {
        guard let connection = connections[peer] else { return true }
        return guard_may_send(number, connection.descriptor, connection.serial, UInt64(bytes))
    }

    /// Whether a message of a size may be sent to a peer; its bytes are counted then.
    func beginSending(_ bytes: Int, to peer: RoutingID) -> Bool {
        guard let connection = connections[peer] else { return true }
        return guard_send_begins(number, connection.descriptor, connection.serial, UInt64(bytes))
    }

    /// Takes back what ``beginSending(_:to:)`` counted: libzmq did not take the message.
    func sendingFailed(_ bytes: Int, to peer: RoutingID) {
        guard let connection = connections[peer] else { return }
        guard_send_failed(number, connection.descriptor, connection.serial, UInt64(bytes))
    }

    /// Forgets peers whose connections have gone, when there are many.
    private func forgetGone() {
        guard connections.count > 2 * Int(guard_counts(number).open) + Self.peersBeyond else { return }
        connections = connections.filter { _, connection in
            connection.serial != 0 && guard_serial(number, connection.descriptor) == connection.serial
        }
    }

    /// Binds a descriptor; `errno` says why not.
    private static func bind(_ descriptor: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // An endpoint's path is at most ``Endpoint/ipcPathLimitBytes`` bytes, so a zero byte follows it.
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}

extension guard_bounds {
    fileprivate init(_ bounds: ConnectionBounds) {
        self.init(
            connections: UInt32(clamping: bounds.connections), frames: UInt32(clamping: bounds.frames),
            subscriptions: UInt64(clamping: bounds.subscriptions),
            partial_bytes: UInt64(clamping: bounds.partialBytes),
            unread_bytes: UInt64(clamping: bounds.unreadBytes),
            all_unread_bytes: UInt64(clamping: bounds.allUnreadBytes),
            unsent_bytes: UInt64(clamping: bounds.unsentBytes),
            all_unsent_bytes: UInt64(clamping: bounds.allUnsentBytes))
    }
}

/// Limits on the connections to one ipc endpoint; 0 means unlimited.
///
/// libzmq has no such bounds: its high-water marks count messages, and a message may have any number of
/// frames. A connection that goes beyond one of them is ended, and what it sent and was not received yet is
/// dropped, unless it is a subscription. Its peer may connect again.
public struct ConnectionBounds: Hashable, Sendable {
    /// Connections at a time.
    ///
    /// A new one beyond that takes the place of the one that has been quiet the longest. Connections without
    /// a complete message go first.
    public var connections: Int
    /// Frames of one message; one of more than ``Frames/limit`` frames is dropped before that.
    public var frames = 64
    /// Topics to which one connection subscribes at a time.
    ///
    /// Subscriptions that have ended do not count. With this bound frames have 256 bytes at most.
    public var subscriptions = 0
    /// Bytes of a message whose last frame has not come yet.
    public var partialBytes = 128 << 10
    /// Bytes of one connection's complete messages that were not received from the socket yet.
    public var unreadBytes = 16 << 20
    /// The same over all connections; beyond that each may have one 256th of ``unreadBytes``.
    public var allUnreadBytes = 64 << 20
    /// Bytes sent to one peer of a ROUTER that the system did not take yet, because the peer does not read.
    ///
    /// The socket refuses messages beyond that with ``SendResult/wouldBlock``.
    public var unsentBytes = 4 << 20
    /// The same over all peers; beyond that each may have one 256th of ``unsentBytes``.
    public var allUnsentBytes = 64 << 20

    /// Bounds for a number of connections.
    public init(connections: Int) { self.connections = connections }
}

/// Counts of the connections to a bounded endpoint, by their end.
public struct ConnectionCounts: Hashable, Sendable {
    /// Connections that are open.
    public internal(set) var open = 0
    /// Connections that were accepted.
    public internal(set) var accepted: UInt64 = 0
    /// Connections that were closed at once for want of room or of a descriptor.
    public internal(set) var refused: UInt64 = 0
    /// Connections that were ended to make room for a new one.
    public internal(set) var displaced: UInt64 = 0
    /// Connections that were ended because they went beyond a bound.
    public internal(set) var ended: UInt64 = 0

    /// Counts of an endpoint without connections.
    public init() {}
}

extension Socket {
    /// What became of the connections to the endpoint it is bound to; zeros without ``SocketOptions/bounds``.
    public var connectionCounts: ConnectionCounts { connections?.counts ?? ConnectionCounts() }

    /// Whether a message of a size, sent to a peer of a ROUTER now, might reach it.
    ///
    /// False where the peer's connection has gone, or has too much unsent: then no answer need be worked out.
    /// Always true without ``SocketOptions/bounds``.
    public func mayReach(_ peer: RoutingID, bytes: Int) -> Bool {
        connections?.mayReach(peer, bytes: bytes) ?? true
    }

    /// Takes connections at the path of an ipc endpoint, and bounds them.
    func bind(_ endpoint: Endpoint, at path: String, within bounds: ConnectionBounds) throws(BusError) {
        precondition(connections == nil, "a socket with bounds is bound once")
        let connections = try ConnectionGuard(listeningAt: path, bounds)
        do throws(BusError) {
            try set(ZMQ_USE_FD, to: connections.descriptor, name: "the listening descriptor")
            try check(zmq_bind(handle, endpoint.description), "bind \(endpoint)")
        } catch {
            // From the bind on the descriptor is libzmq's; before it is ours.
            Glibc.close(connections.descriptor)
            throw error
        }
        self.connections = connections
    }

    /// Sends to one peer of a ROUTER unless it has too much unsent already.
    @inline(__always)
    func sendBounded(
        _ bytes: Int, to peer: RoutingID, _ send: () throws(BusError) -> SendResult
    ) throws(BusError) -> SendResult {
        guard let connections else { return try send() }
        guard connections.beginSending(bytes, to: peer) else {
            counters.wouldBlockMessages += 1
            return .wouldBlock
        }
        let result = try send()
        if result != .sent { connections.sendingFailed(bytes, to: peer) }
        return result
    }
}
