internal import CGuard
internal import CZMQ
internal import Glibc

/// The bounds of one listening Unix socket, with the information that its owner passes to them.
///
/// It belongs to the thread of its ``Socket``. The functions of `CGuard` that it calls may run on any thread.
final class ConnectionGuard {
    /// A connection of a ROUTER's peer: its descriptor, and its serial number for that descriptor.
    private struct Connection {
        let descriptor: Int32
        let serial: UInt32
    }

    /// The maximum number of connections that wait for libzmq's thread to accept them.
    private static let backlog: Int32 = 256
    /// The number of known peers, beyond twice the number of connections, at which gone ones are forgotten.
    private static let peersBeyond = 256

    /// The listening descriptor, which libzmq takes over.
    let descriptor: Int32
    private let number: Int32
    /// The connections of peers that have sent something, for messages to them.
    private var connections: [RoutingID: Connection] = [:]

    /// Creates a listening socket at a path, replacing an existing file.
    ///
    /// - Throws: `addressInUse`, `permissionDenied`, `notFound` or `tooManySockets`; `notSupported` if the
    ///   guard does not receive libzmq's calls.
    init(listeningAt path: String, _ bounds: ConnectionBounds) throws(BusError) {
        let operation = "bind ipc://\(path)"
        guard guard_is_installed() else {
            throw BusError(.notSupported, context: "\(operation) with bounds, which libzmq bypasses")
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

    /// The counts of the connections.
    var counts: ConnectionCounts {
        let read = guard_counts(number)
        var counts = ConnectionCounts()
        counts.open = Int(read.open)
        (counts.accepted, counts.refused) = (read.accepted, read.refused)
        (counts.displaced, counts.ended) = (read.displaced, read.ended)
        return counts
    }

    /// The bytes received and the connections gone so far, for ``emptied(since:)``.
    var progress: guard_progress { guard_progress(number) }

    /// Returns the bytes that a queued frame takes.
    static func cost(ofFrame bytes: Int) -> UInt64 { UInt64(bytes) + UInt64(GUARD_FRAME_BYTES) }

    /// Records that a message was received.
    ///
    /// - Parameters:
    ///   - bytes: The sum of its frames' costs, without a ROUTER's routing id.
    ///   - frame: Its last frame, which knows the descriptor.
    ///   - peer: The ROUTER's peer; nil for other sockets.
    /// - Returns: False if its connection was ended because it exceeded a bound.
    func received(_ bytes: UInt64, in frame: UnsafeMutablePointer<zmq_msg_t>, from peer: RoutingID?) -> Bool {
        let descriptor = zmq_msg_get(frame, ZMQ_SRCFD)
        guard !guard_handled(number, descriptor, bytes) else { return false }
        guard let peer, connections[peer] == nil else { return true }
        removeClosed()
        connections[peer] = Connection(descriptor: descriptor, serial: guard_serial(number, descriptor))
        return true
    }

    /// Records that nothing more was to be received, after ``progress`` was read.
    func emptied(since progress: guard_progress) { guard_emptied(number, progress) }

    /// Returns whether the connection of a peer exists, and has space for a message of a size.
    func mayReach(_ peer: RoutingID, bytes: Int) -> Bool {
        guard let connection = connections[peer] else { return true }
        return guard_may_send(number, connection.descriptor, connection.serial, UInt64(bytes))
    }

    /// Returns whether a message of a size may be sent to a peer, and counts its bytes if so.
    func beginSending(_ bytes: Int, to peer: RoutingID) -> Bool {
        guard let connection = connections[peer] else { return true }
        return guard_send_begins(number, connection.descriptor, connection.serial, UInt64(bytes))
    }

    /// Reverts the count of ``beginSending(_:to:)``: libzmq did not accept the message.
    func sendingFailed(_ bytes: Int, to peer: RoutingID) {
        guard let connection = connections[peer] else { return }
        guard_send_failed(number, connection.descriptor, connection.serial, UInt64(bytes))
    }

    /// Removes peers whose connections have gone, if there are many.
    private func removeClosed() {
        guard connections.count > 2 * Int(guard_counts(number).open) + Self.peersBeyond else { return }
        connections = connections.filter { _, connection in
            connection.serial != 0 && guard_serial(number, connection.descriptor) == connection.serial
        }
    }

    /// Binds a descriptor; returns false with the reason in `errno`.
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
/// frames. A connection that exceeds a bound is ended, and its unread messages are dropped, except for
/// subscriptions. Its peer may connect again.
public struct ConnectionBounds: Hashable, Sendable {
    /// Concurrent connections.
    ///
    /// A new one beyond that replaces the one that has been quiet for the longest time. Connections without
    /// a complete message are replaced first.
    public var connections: Int
    /// Frames of one message; one of more than ``Frames/limit`` frames is dropped before that.
    public var frames = 64
    /// Concurrent subscriptions of one connection.
    ///
    /// Subscriptions that have ended do not count. With this bound frames have 256 bytes at most.
    public var subscriptions = 0
    /// Bytes of a message whose last frame has not arrived yet.
    public var partialBytes = 128 << 10
    /// Bytes of one connection's complete messages that were not received from the socket yet.
    public var unreadBytes = 16 << 20
    /// The same over all connections; beyond that each may have one 256th of ``unreadBytes``.
    public var allUnreadBytes = 64 << 20
    /// Bytes sent to one peer of a ROUTER that the system did not accept yet, because the peer does not read.
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
    /// Connections that were closed at once because of the limit, or because no descriptor was left.
    public internal(set) var refused: UInt64 = 0
    /// Connections that were ended to make room for a new one.
    public internal(set) var displaced: UInt64 = 0
    /// Connections that were ended because they exceeded a bound.
    public internal(set) var ended: UInt64 = 0

    /// Counts of an endpoint without connections.
    public init() {}
}

extension Socket {
    /// The counts of connections to the bound endpoint; zeros without ``SocketOptions/bounds``.
    public var connectionCounts: ConnectionCounts { connections?.counts ?? ConnectionCounts() }

    /// Returns whether a message of a size, sent to a peer of a ROUTER now, might reach it.
    ///
    /// False if the peer's connection has gone, or has too many unsent bytes: no answer need be computed.
    /// Always true without ``SocketOptions/bounds``.
    public func mayReach(_ peer: RoutingID, bytes: Int) -> Bool {
        connections?.mayReach(peer, bytes: bytes) ?? true
    }

    /// Binds an ipc endpoint, and limits its connections.
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

    /// Sends to one peer of a ROUTER unless it has too many unsent bytes.
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
