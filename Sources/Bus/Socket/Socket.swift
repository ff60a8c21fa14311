internal import CZMQ
internal import Glibc

/// A ZeroMQ socket.
///
/// It belongs to one thread for life: the thread that creates it binds, connects, sends, receives and closes
/// it. The type is not `Sendable`, so the compiler enforces that; an actor that owns a socket must be pinned
/// to the thread of a ``Loop``. Only ``receiveWaiting(into:)`` and ``sendWaiting(_:)`` block.
///
/// ```swift
/// let push = try Socket(.push, context: context)
/// let pull = try Socket(.pull, context: context)
/// try pull.bind(Endpoint.inproc("work"))
/// try push.connect(Endpoint.inproc("work"))
/// ```
public final class Socket {
    /// The maximum number of bytes of a subscription's prefix.
    ///
    /// libzmq 4.3.4 corrupts prefixes of 246 to 255 bytes on their way, and they never match.
    public static let prefixLimitBytes = 245

    /// The kind of the socket.
    public let kind: SocketKind

    /// The numbers of messages that the socket sent, received and refused so far.
    ///
    /// Unchecked, because the check costs as much as a tenth of a message: one thread has the socket, and
    /// each access is a single read or a single addition that calls nothing, so no two can overlap.
    @exclusivity(unchecked)
    public internal(set) var counters = SocketCounters()

    /// Whether libzmq, after handling all its internal commands, reported no message, and no call on the
    /// socket followed: then its descriptor signals the next one. Unchecked as the counters are.
    @exclusivity(unchecked)
    var isDrained = false

    /// libzmq's socket, for a call on it; nil once closed. Any call may consume the descriptor's pending
    /// signal, so each access clears ``isDrained``.
    var handle: UnsafeMutableRawPointer? {
        isDrained = false
        return open
    }

    /// libzmq's socket, which only the owning thread uses; nil once closed.
    @exclusivity(unchecked)
    private var open: UnsafeMutableRawPointer?

    /// The options the socket was made with, for those that libzmq cannot report.
    let options: SocketOptions

    /// The number of the socket's monitor; 0 without one.
    var monitorNumber: UInt64 = 0
    private var boundFiles: [BoundFile] = []

    /// Bounds its connections; nil without ``SocketOptions/bounds``, and until it is bound. Unchecked as the
    /// counters are.
    @exclusivity(unchecked)
    var connections: ConnectionGuard?

    /// The context, retained so that it outlives its sockets.
    let context: Context

    /// Creates a socket with its options, neither bound nor connected.
    ///
    /// - Parameter options: The options; ``SocketOptions/defaults(for:)`` when nil.
    /// - Throws: `contextTerminated`, `tooManySockets`, or `invalidArgument` for an option out of bounds.
    public init(_ kind: SocketKind, context: Context, options: SocketOptions? = nil) throws(BusError) {
        (self.kind, self.context) = (kind, context)
        self.options = options ?? .defaults(for: kind)
        self.open = try context.makeSocket(kind)
        try apply(self.options)
    }

    /// Closes the socket, on the thread that releases the last reference. For an actor's socket that may be
    /// any thread. The last release follows every use, so the socket is not used elsewhere then.
    deinit { close() }

    /// Whether ``close()`` was called.
    public var isClosed: Bool { open == nil }

    /// Closes the socket; libzmq still sends queued messages, for at most the linger time.
    ///
    /// The files of its bound ipc endpoints are removed at once. A second call does nothing. A ``Loop``
    /// unregisters a closed socket before its next wait.
    public func close() {
        guard let handle else { return }
        open = nil
        removeFiles { _ in true }
        zmq_close(handle)
        connections = nil
    }

    /// Binds the socket to an endpoint, where it accepts connections.
    ///
    /// A second bind on an ipc path silently takes it from the first: hold a lock file for each path. When
    /// the socket has a ``Monitor``, libzmq 4.3.4 may overwrite the error number of a failed bind; the
    /// monitor's `bindFailed` has the right one.
    ///
    /// An ipc endpoint accepts only processes of the same user (`SO_PEERCRED`), for any mode of the file.
    /// Connections of other users are closed before anything is read.
    ///
    /// - Throws: `addressInUse`, `addressNotAvailable`, `permissionDenied`, `notFound` when the directory of
    ///   an ipc path does not exist, `socketClosed` or `contextTerminated`.
    public func bind(_ endpoint: Endpoint) throws(BusError) {
        try prepare(for: endpoint)
        if endpoint.ipcPath != nil {
            try set(ZMQ_IPC_FILTER_UID, to: Int32(bitPattern: geteuid()), name: "user of peers")
        }
        if let bounds = options.bounds, !endpoint.isInproc {
            try bind(endpoint, within: bounds)
        } else {
            try check(zmq_bind(handle, endpoint.description), "bind \(endpoint)")
        }
        if let file = endpoint.ipcPath.flatMap(BoundFile.init) { boundFiles.append(file) }
    }

    /// Connects to an endpoint, now or as soon as a peer listens, and again after each loss.
    ///
    /// - Throws: `invalidArgument` for a wildcard, `socketClosed` or `contextTerminated`.
    public func connect(_ endpoint: Endpoint) throws(BusError) {
        try prepare(for: endpoint)
        try check(zmq_connect(handle, endpoint.description), "connect \(endpoint)")
    }

    /// Unbinds an endpoint; the connections accepted there end at the next use of the socket.
    ///
    /// Until then their peers send without an error, and the messages are lost.
    ///
    /// - Throws: `notFound` when the socket is not bound there, `socketClosed` or `contextTerminated`.
    public func unbind(_ endpoint: Endpoint) throws(BusError) {
        try check(zmq_unbind(handle, endpoint.description), "unbind \(endpoint)")
        removeFiles { $0.path == endpoint.ipcPath }
    }

    /// Ends the connection to an endpoint; messages queued for it are lost.
    ///
    /// With ``SocketOptions/immediate``, the next messages may still be queued for the ending connection.
    /// They are lost although `send` returns `sent`, even if the socket has reconnected since. To avoid that,
    /// close the socket and make another.
    ///
    /// - Throws: `notFound` when the socket is not connected there, `socketClosed` or `contextTerminated`.
    public func disconnect(_ endpoint: Endpoint) throws(BusError) {
        try check(zmq_disconnect(handle, endpoint.description), "disconnect \(endpoint)")
    }

    /// Subscribes to messages that begin with a prefix; the empty prefix matches all messages.
    ///
    /// A subscription takes effect when the publisher receives it: messages sent before are lost. libzmq
    /// sends it over a new connection only during calls on the socket, which a ``Loop`` makes while it polls
    /// it.
    ///
    /// - Throws: `invalidArgument` for more than ``prefixLimitBytes`` bytes and on a socket other than SUB,
    ///   `socketClosed` or `contextTerminated`.
    public func subscribe(prefix: [UInt8]) throws(BusError) {
        try checkPrefix(prefix, "subscribe")
        try set(ZMQ_SUBSCRIBE, to: prefix, name: "subscribe")
    }

    /// Subscribes to messages that begin with a text in UTF-8, as ``subscribe(prefix:)-([UInt8])``.
    public func subscribe(prefix: String) throws(BusError) { try subscribe(prefix: Array(prefix.utf8)) }

    /// Removes one earlier subscription to the same prefix.
    ///
    /// - Throws: `invalidArgument` for more than ``prefixLimitBytes`` bytes and on a socket other than SUB,
    ///   `socketClosed` or `contextTerminated`.
    public func unsubscribe(prefix: [UInt8]) throws(BusError) {
        try checkPrefix(prefix, "unsubscribe")
        try set(ZMQ_UNSUBSCRIBE, to: prefix, name: "unsubscribe")
    }

    /// Removes one earlier subscription to a text in UTF-8, as ``unsubscribe(prefix:)-([UInt8])``.
    public func unsubscribe(prefix: String) throws(BusError) { try unsubscribe(prefix: Array(prefix.utf8)) }

    /// The endpoint of the last bind or connect, with the port that the system chose for a wildcard; nil
    /// before.
    ///
    /// - Throws: `socketClosed` or `contextTerminated`.
    public var lastEndpoint: Endpoint? {
        get throws(BusError) {
            let text = try readText(ZMQ_LAST_ENDPOINT, name: "last endpoint")
            return text.isEmpty ? nil : try Endpoint(text)
        }
    }

    /// Removes files of bound endpoints, which libzmq 4.3.4 leaves behind.
    private func removeFiles(where isUnused: (BoundFile) -> Bool) {
        for file in boundFiles where isUnused(file) { file.remove() }
        boundFiles.removeAll(where: isUnused)
    }

    private func prepare(for endpoint: Endpoint) throws(BusError) {
        if endpoint.isIPv6 { try set(ZMQ_IPV6, to: 1, name: "IPv6") }
    }

    func checkPrefix(_ prefix: [UInt8], _ operation: String) throws(BusError) {
        guard prefix.count > Self.prefixLimitBytes else { return }
        let sizes = "\(prefix.count) bytes where \(Self.prefixLimitBytes) are the limit"
        throw BusError(.invalidArgument, context: "\(operation) to a prefix of \(sizes)")
    }

    /// Throws the error of libzmq's last call if its result is not 0.
    func check(_ result: Int32, _ operation: @autoclosure () -> String) throws(BusError) {
        guard result != 0 else { return }
        throw failure(zmq_errno(), operation())
    }

    func failure(_ errno: Int32, _ operation: String) -> BusError {
        BusError(errno: isClosed ? ENOTSOCK : errno, context: "\(operation) (\(kind) socket)")
    }
}

/// The result of a `send` on a socket.
///
/// A socket accepts all frames of a message or none.
@frozen public enum SendResult: Hashable, Sendable {
    /// The socket accepted the message. It may still be lost on the way: only a reply proves delivery.
    case sent
    /// The peer's queue is full or, except on PUB, XPUB and ROUTER, the socket has no peer.
    case wouldBlock
    /// A ROUTER has no peer of that routing id.
    case unroutable
}

/// The numbers of messages that a socket sent, received and refused since its creation.
///
/// A message counts once, with any number of frames. libzmq does not report the messages that a PUB
/// drops for a slow peer, so they are not counted.
public struct SocketCounters: Hashable, Sendable {
    /// Messages that the socket accepted.
    public internal(set) var sentMessages: UInt64 = 0
    /// Messages delivered to the caller.
    public internal(set) var receivedMessages: UInt64 = 0
    /// Messages refused with `SendResult.wouldBlock`.
    public internal(set) var wouldBlockMessages: UInt64 = 0
    /// Messages refused with `SendResult.unroutable`.
    public internal(set) var unroutableMessages: UInt64 = 0
    /// Messages received and dropped for having more than ``Frames/limit`` frames.
    public internal(set) var oversizeMessages: UInt64 = 0
    /// Messages received and dropped because their connection was ended, beyond ``SocketOptions/bounds``.
    public internal(set) var floodMessages: UInt64 = 0

    /// Counters at zero.
    public init() {}
}
