internal import CZMQ
internal import Glibc

/// A ZeroMQ socket.
///
/// It belongs to one thread for life: the thread that makes it binds, connects, sends, receives and closes
/// it. The type is not `Sendable`, so the compiler keeps it there; an actor that owns one must be pinned to
/// the thread of a ``Loop``. Only ``receiveWaiting(into:)`` and ``sendWaiting(_:)`` ever block.
public final class Socket {
    /// The most bytes of a subscription's prefix.
    ///
    /// libzmq 4.3.4 garbles those of 246 to 255 bytes on their way, and they never match.
    public static let prefixLimitBytes = 245

    /// The kind the socket was made as.
    public let kind: SocketKind

    /// What the socket carried and refused so far.
    ///
    /// Unchecked, because the check costs as much as a tenth of a message: one thread has the socket, and
    /// each access is a single read or a single addition that calls nothing, so no two can overlap.
    @exclusivity(unchecked)
    public internal(set) var counters = SocketCounters()

    /// Whether libzmq said that there is nothing to receive, having heard all its news, and nothing was done
    /// with the socket since: then only its descriptor tells of more.
    ///
    /// Unchecked as the counters are.
    @exclusivity(unchecked)
    var hasNoNews = false

    /// libzmq's socket, to do something with; nil once closed.
    ///
    /// Whatever is done may hear news, so that the descriptor does not tell of it any more.
    var handle: UnsafeMutableRawPointer? {
        hasNoNews = false
        return open
    }

    /// libzmq's socket, which only the owning thread uses; nil once closed.
    @exclusivity(unchecked)
    private var open: UnsafeMutableRawPointer?

    /// The options it was made with, for those that libzmq cannot be asked about.
    let options: SocketOptions

    /// The number of the monitor that hears of this socket; 0 for none.
    var monitorNumber: UInt64 = 0

    /// The files of the ipc endpoints it is bound to.
    private var boundFiles: [BoundFile] = []

    /// Bounds its connections; nil without ``SocketOptions/bounds``, and until it is bound.
    ///
    /// Unchecked as the counters are.
    @exclusivity(unchecked)
    var connections: ConnectionGuard?

    /// Kept so that the context outlives its sockets.
    let context: Context

    /// Makes a socket with its options; nothing is bound or connected yet.
    ///
    /// - Parameters:
    ///   - kind: What the socket does.
    ///   - context: The process's context.
    ///   - options: How it queues and reconnects; ``SocketOptions/defaults(for:)`` when nil.
    /// - Throws: `contextTerminated`, `tooManySockets`, or `invalidArgument` for an option out of bounds.
    public init(_ kind: SocketKind, context: Context, options: SocketOptions? = nil) throws(BusError) {
        self.kind = kind
        self.context = context
        self.options = options ?? .defaults(for: kind)
        self.open = try context.makeSocket(kind)
        try apply(self.options)
    }

    /// Closes the socket, on whichever thread lets go of it last.
    ///
    /// For an actor's that may be any. The last release comes after every use, and nobody else has the
    /// socket.
    deinit {
        close()
    }

    /// Whether ``close()`` was called.
    public var isClosed: Bool { open == nil }

    /// Closes the socket; what is queued is still sent for as long as its linger says.
    ///
    /// The files of the ipc endpoints it is bound to go at once. A second call does nothing. A ``Loop``
    /// forgets a closed socket by itself.
    public func close() {
        guard let handle else { return }
        open = nil
        removeFiles { _ in true }
        zmq_close(handle)
        connections = nil
    }

    /// Takes connections at an endpoint.
    ///
    /// A second bind on an ipc path silently takes it from the first: hold a lock file for each path. When
    /// the socket has a ``Monitor``, libzmq 4.3.4 may overwrite the error number of a failed bind; the
    /// monitor's `bindFailed` has the right one.
    ///
    /// At an ipc path only processes of the user's own get a connection (`SO_PEERCRED`), whatever the file's
    /// mode; those of others are hung up on before anything is read.
    ///
    /// - Throws: `addressInUse`, `addressNotAvailable`, `permissionDenied`, `notFound` when the directory of
    ///   an ipc path does not exist, `socketClosed` or `contextTerminated`.
    public func bind(_ endpoint: Endpoint) throws(BusError) {
        try prepare(for: endpoint)
        if endpoint.ipcPath != nil {
            try set(ZMQ_IPC_FILTER_UID, to: Int32(bitPattern: geteuid()), name: "user of peers")
        }
        if let bounds = options.bounds, let path = endpoint.ipcPath {
            try bind(endpoint, at: path, within: bounds)
        } else {
            try check(zmq_bind(handle, endpoint.description), "bind \(endpoint)")
        }
        if let file = endpoint.ipcPath.flatMap(BoundFile.init) { boundFiles.append(file) }
    }

    /// Connects to an endpoint, now or as soon as a peer is there, and again whenever it is lost.
    ///
    /// - Throws: `invalidArgument` for a wildcard, `socketClosed` or `contextTerminated`.
    public func connect(_ endpoint: Endpoint) throws(BusError) {
        try prepare(for: endpoint)
        try check(zmq_connect(handle, endpoint.description), "connect \(endpoint)")
    }

    /// Takes no more connections at an endpoint and ends those taken there.
    ///
    /// - Throws: `notFound` when the socket is not bound there, `socketClosed` or `contextTerminated`.
    public func unbind(_ endpoint: Endpoint) throws(BusError) {
        try check(zmq_unbind(handle, endpoint.description), "unbind \(endpoint)")
        removeFiles { $0.path == endpoint.ipcPath }
    }

    /// Ends the connection to an endpoint; messages queued for it are lost.
    ///
    /// With ``SocketOptions/immediate``, what is sent next may still go to the connection that is ending,
    /// and be lost although the send says `sent`, even if the socket has connected again meanwhile. Where
    /// that matters, close the socket and make another.
    ///
    /// - Throws: `notFound` when the socket is not connected there, `socketClosed` or `contextTerminated`.
    public func disconnect(_ endpoint: Endpoint) throws(BusError) {
        try check(zmq_disconnect(handle, endpoint.description), "disconnect \(endpoint)")
    }

    /// Asks the publishers for messages that begin with a prefix; the empty prefix asks for all.
    ///
    /// It is effective once the publisher has heard of it: messages sent before are lost. libzmq sends it
    /// over a new connection only while the socket is being used, which a ``Loop`` does by waiting for it.
    ///
    /// - Throws: `invalidArgument` for more than ``prefixLimitBytes`` bytes and on a socket other than SUB,
    ///   `socketClosed` or `contextTerminated`.
    public func subscribe(prefix: [UInt8]) throws(BusError) {
        try checkPrefix(prefix, "subscribe")
        try set(ZMQ_SUBSCRIBE, to: prefix, name: "subscribe")
    }

    /// Asks the publishers for messages that begin with a text in UTF-8, as ``subscribe(prefix:)-([UInt8])``.
    public func subscribe(prefix: String) throws(BusError) {
        try subscribe(prefix: Array(prefix.utf8))
    }

    /// Takes back one earlier subscription to the same prefix.
    ///
    /// - Throws: `invalidArgument` for more than ``prefixLimitBytes`` bytes and on a socket other than SUB,
    ///   `socketClosed` or `contextTerminated`.
    public func unsubscribe(prefix: [UInt8]) throws(BusError) {
        try checkPrefix(prefix, "unsubscribe")
        try set(ZMQ_UNSUBSCRIBE, to: prefix, name: "unsubscribe")
    }

    /// Takes back one earlier subscription to a text in UTF-8, as ``unsubscribe(prefix:)-([UInt8])``.
    public func unsubscribe(prefix: String) throws(BusError) {
        try unsubscribe(prefix: Array(prefix.utf8))
    }

    /// Where the socket was last bound or connected, with the port the system chose for a wildcard; nil
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

    /// Lets libzmq use IPv6 where the endpoint asks for it.
    private func prepare(for endpoint: Endpoint) throws(BusError) {
        if endpoint.isIPv6 { try set(ZMQ_IPV6, to: 1, name: "IPv6") }
    }

    func checkPrefix(_ prefix: [UInt8], _ operation: String) throws(BusError) {
        guard prefix.count > Self.prefixLimitBytes else { return }
        let sizes = "\(prefix.count) bytes where \(Self.prefixLimitBytes) are the limit"
        throw BusError(.invalidArgument, context: "\(operation) to a prefix of \(sizes)")
    }

    /// Throws what the failed call left behind, unless it succeeded.
    func check(_ result: Int32, _ operation: @autoclosure () -> String) throws(BusError) {
        guard result != 0 else { return }
        throw failure(zmq_errno(), operation())
    }

    /// The error of a failed call on this socket.
    func failure(_ errno: Int32, _ operation: String) -> BusError {
        BusError(errno: isClosed ? ENOTSOCK : errno, context: "\(operation) (\(kind) socket)")
    }
}

/// What became of a message that was offered to a socket.
///
/// A message is taken whole or not at all, whatever its number of frames.
@frozen public enum SendResult: Hashable, Sendable {
    /// The socket took the message. It may still be lost on the way: only a reply proves delivery.
    case sent
    /// There is no room: the peer's queue is full or, except on PUB, XPUB and ROUTER, there is no peer.
    case wouldBlock
    /// A ROUTER has no peer of that routing id.
    case unroutable
}

/// How many messages a socket carried and refused since it was made.
///
/// A message counts once, whatever its number of frames. What a PUB drops for a slow peer is not known
/// to libzmq's caller and so not counted.
public struct SocketCounters: Hashable, Sendable {
    /// Messages the socket took.
    public internal(set) var sentMessages: UInt64 = 0
    /// Messages handed to the caller.
    public internal(set) var receivedMessages: UInt64 = 0
    /// Messages refused with `SendResult.wouldBlock`.
    public internal(set) var wouldBlockMessages: UInt64 = 0
    /// Messages refused with `SendResult.unroutable`.
    public internal(set) var unroutableMessages: UInt64 = 0
    /// Messages received and dropped for having more than ``Frames/limit`` frames.
    public internal(set) var oversizeMessages: UInt64 = 0
    /// Messages received and dropped because their connection was ended, beyond ``SocketOptions/bounds``.
    public internal(set) var floodMessages: UInt64 = 0

    /// Counters of a socket that carried nothing yet.
    public init() {}
}
