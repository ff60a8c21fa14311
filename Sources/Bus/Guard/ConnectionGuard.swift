internal import CGuard
internal import CZMQ
internal import Glibc

/// The bounds of one listening socket, with the information that its owner passes to them. It belongs to the
/// thread of its ``Socket``. The functions of `CGuard` that it calls may run on any thread.
final class ConnectionGuard {
    /// The number of known peers, beyond twice the number of connections, at which gone ones are forgotten.
    private static let peersBeyond = 256

    /// The listening descriptor, which libzmq takes over.
    let descriptor: Int32
    private let number: Int32
    private let boxBytes: Int
    /// The maximum size of a subscription: a byte, and the topic. libzmq has a node for each byte of a topic.
    private static let topicBytes = 256
    /// The maximum number of topics of one connection; 0 for no limit.
    private let topicLimit: Int
    /// The connections of peers that have sent something, for messages to them.
    private var connections: [RoutingID: PeerConnection] = [:]
    /// The hashes of the topics to which connections subscribe; no peer knows the key of the hash function.
    private var topics: [PeerConnection: Set<Int>] = [:]
    /// The connection of the last received message; nil if it is not known.
    private(set) var last: PeerConnection?

    /// Creates a listening socket at an endpoint; a file at the path of an ipc endpoint is replaced. Fails
    /// with `notSupported` if the guard does not receive libzmq's calls.
    init(listeningAt endpoint: Endpoint, _ bounds: ConnectionBounds, isEncrypted: Bool) throws(BusError) {
        guard guard_is_installed() else {
            throw BusError(.notSupported, context: "bind \(endpoint) with bounds, which libzmq bypasses")
        }
        descriptor = try ListeningSocket.descriptor(at: endpoint)
        boxBytes = isEncrypted ? SocketSecurity.curveBoxBytes : 0
        topicLimit = bounds.subscriptions
        var limits = guard_bounds(bounds)
        limits.is_encrypted = isEncrypted
        number = guard_listener(descriptor, &limits)
        guard number >= 0 else {
            Glibc.close(descriptor)
            throw BusError(errno: EMFILE, context: "bind \(endpoint)")
        }
    }

    deinit { guard_release(number) }

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

    static func cost(ofFrame bytes: Int) -> UInt64 { UInt64(bytes) + UInt64(GUARD_FRAME_BYTES) }

    /// Records that a message was received: the costs of its frames, without a ROUTER's routing id. The last
    /// frame knows the descriptor. Returns false if its connection was ended because it exceeded a bound, or
    /// by ``end(_:)``.
    func received(_ bytes: UInt64, in frame: UnsafeMutablePointer<zmq_msg_t>, from peer: RoutingID?) -> Bool {
        let descriptor = zmq_msg_get(frame, ZMQ_SRCFD)
        let sender = guard_handled(number, descriptor, bytes)
        let connection = PeerConnection(descriptor: descriptor, serial: sender.serial)
        last = sender.serial == 0 ? nil : connection
        guard !sender.is_cut else { return false }
        guard let peer, connections[peer] == nil else { return true }
        removeClosed()
        connections[peer] = connection
        return true
    }

    /// Counts the topic of the message received last, and ends its connection beyond the bound.
    ///
    /// libzmq also takes the later frames of a message for subscriptions. It delivers them as a part of the
    /// message, so a connection that sends such a message is ended.
    func countTopic(in frame: UnsafeMutablePointer<zmq_msg_t>, isAlone: Bool) {
        guard topicLimit > 0, let last else { return }
        let bytes = UnsafeRawBufferPointer(start: zmq_msg_data(frame), count: zmq_msg_size(frame))
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        var isAllowed = isAlone
        switch bytes.first {
        case 0: topics[last]?.remove(hasher.finalize())
        case 1:
            if topics[last] == nil { removeClosed() }
            topics[last, default: []].insert(hasher.finalize())
            isAllowed = isAllowed && bytes.count <= Self.topicBytes
        default: break
        }
        if !isAllowed || topics[last, default: []].count > topicLimit {
            topics[last] = nil
            _ = end(last)
        }
    }

    func end(_ connection: PeerConnection) -> Bool {
        guard_end(number, connection.descriptor, connection.serial)
    }

    var open: [PeerConnection] {
        // More may be accepted meanwhile.
        let most = guard_counts(number).open + 256
        let pairs = [guard_connection](unsafeUninitializedCapacity: Int(most)) { buffer, count in
            count = Int(guard_connections(number, buffer.baseAddress, most))
        }
        return pairs.map { PeerConnection(descriptor: $0.descriptor, serial: $0.serial) }
    }

    /// Records that nothing more was to be received, after ``progress`` was read.
    func emptied(since progress: guard_progress) { guard_emptied(number, progress) }

    /// Returns whether the connection of a peer exists, and has space for a message of a size.
    func mayReach(_ peer: RoutingID, bytes: Int) -> Bool {
        guard let connection = connections[peer] else { return true }
        return guard_may_send(number, connection.descriptor, connection.serial, wireBytes(ofFrame: bytes))
    }

    /// Returns whether that many bytes may be sent to a peer, and counts them if so.
    func beginSending(_ wireBytes: UInt64, to peer: RoutingID) -> Bool {
        guard let connection = connections[peer] else { return true }
        return guard_send_begins(number, connection.descriptor, connection.serial, wireBytes)
    }

    /// Reverts the count of ``beginSending(_:to:)``: libzmq did not accept the message.
    func sendingFailed(_ wireBytes: UInt64, to peer: RoutingID) {
        guard let connection = connections[peer] else { return }
        guard_send_failed(number, connection.descriptor, connection.serial, wireBytes)
    }

    /// The bytes that libzmq writes for a frame: flags, a length of one or eight bytes, and the content.
    func wireBytes(ofFrame bytes: Int) -> UInt64 {
        let content = bytes + boxBytes
        return UInt64(content + (content > 255 ? 9 : 2))
    }

    /// Removes what is known of connections that have gone, if there are many.
    private func removeClosed() {
        let most = 2 * Int(guard_counts(number).open) + Self.peersBeyond
        if connections.count > most { connections = connections.filter { isOpen($0.value) } }
        if topics.count > most { topics = topics.filter { isOpen($0.key) } }
    }

    private func isOpen(_ connection: PeerConnection) -> Bool {
        connection.serial != 0 && guard_serial(number, connection.descriptor) == connection.serial
    }
}

extension guard_bounds {
    fileprivate init(_ bounds: ConnectionBounds) {
        self.init(
            connections: UInt32(clamping: bounds.connections),
            partial_bytes: UInt64(clamping: bounds.partialBytes),
            unread_bytes: UInt64(clamping: bounds.unreadBytes),
            all_unread_bytes: UInt64(clamping: bounds.allUnreadBytes),
            unsent_bytes: UInt64(clamping: bounds.unsentBytes),
            all_unsent_bytes: UInt64(clamping: bounds.allUnsentBytes), is_encrypted: false)
    }
}

/// Limits on the connections to one ipc or tcp endpoint; 0 means unlimited.
///
/// libzmq has no such bounds: its high-water marks count messages, and a message may have any number of
/// frames. The bounds of received bytes include 64 bytes for each frame, which libzmq uses besides its
/// content. A connection that exceeds a bound is ended, and its unread messages are dropped, except for
/// subscriptions. Its peer may connect again.
public struct ConnectionBounds: Hashable, Sendable {
    /// Concurrent connections.
    ///
    /// A new one beyond that replaces the one that has been quiet for the longest time. Connections without
    /// a complete message are replaced first; with CURVE, those of peers that do not know the server's key
    /// before them.
    public var connections: Int
    /// Concurrent subscriptions of one connection to an XPUB with ``SocketOptions/approvesSubscriptions``.
    ///
    /// Subscriptions that have ended do not count. The socket counts them when it receives them: until then,
    /// ``unreadBytes`` limits them.
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
    /// The I/O thread that serves all connections: one bit, the lowest for the first thread.
    ///
    /// Zero, for any, only in a context with one.
    public var affinity: UInt64 = 0

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
    /// Connections that were ended because they exceeded a bound, or by the socket's owner.
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

    /// The connection of the message that was received last, even if that is closed by now.
    ///
    /// Nil without ``SocketOptions/bounds``, and for the unsubscriptions that libzmq generates.
    public var lastConnection: PeerConnection? { connections?.last }

    /// Ends a connection; its messages that were not received yet are dropped, except for subscriptions.
    ///
    /// The peer may connect again, as far as authentication admits it.
    ///
    /// - Returns: Whether the connection was open.
    @discardableResult
    public func end(_ connection: PeerConnection) -> Bool { connections?.end(connection) ?? false }

    /// Ends the open connections for which a condition holds, as ``end(_:)``.
    ///
    /// They include connections that have not sent a message yet, which no message has named.
    ///
    /// - Returns: The number of ended connections.
    @discardableResult
    public func endConnections(where isUnwanted: (PeerConnection) -> Bool) -> Int {
        connections?.open.count { isUnwanted($0) && end($0) } ?? 0
    }

    func bind(_ endpoint: Endpoint, within bounds: ConnectionBounds) throws(BusError) {
        precondition(connections == nil, "a socket with bounds is bound once")
        precondition(
            bounds.subscriptions == 0 || options.approvesSubscriptions,
            "libzmq hands over every subscription only for approval")
        // All connections of a listener belong to one thread.
        guard context.ioThreads == 1 || bounds.affinity.nonzeroBitCount == 1 else {
            throw BusError(.invalidArgument, context: "bind \(endpoint) with bounds and no single I/O thread")
        }
        let isEncrypted = try read(ZMQ_MECHANISM, name: "mechanism") == ZMQ_CURVE
        let connections = try ConnectionGuard(listeningAt: endpoint, bounds, isEncrypted: isEncrypted)
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
}

/// A connection to a bounded endpoint.
///
/// It stays the same value while the connection is open, and no later connection has an equal one.
public struct PeerConnection: Hashable, Sendable {
    /// The descriptor of the connection, which later ones reuse.
    let descriptor: Int32
    /// The number of the connection among those with its descriptor.
    let serial: UInt32
}
