internal import CZMQ
internal import Glibc

/// The options of a socket for queueing, peer checks, reconnects and its end.
///
/// The options are set when the socket is made and never change: libzmq 4.3.4 can crash when a high-water
/// mark changes later. Durations are rounded up to whole milliseconds.
public struct SocketOptions: Hashable, Sendable {
    /// Heartbeats on a silent connection; without effect on inproc, which has no connection to lose.
    public struct Heartbeat: Hashable, Sendable {
        /// The time between heartbeats.
        public var interval: Duration
        /// The time without an answer to a heartbeat after which the connection is ended.
        public var timeout: Duration
        /// The time without a message after which the peer ends it; at most 6,553 s, in steps of 100 ms.
        public var timeToLive: Duration

        /// Heartbeats each `interval`, ending the connection after `timeout` here, `timeToLive` at the peer.
        public init(interval: Duration, timeout: Duration, timeToLive: Duration) {
            (self.interval, self.timeout, self.timeToLive) = (interval, timeout, timeToLive)
        }
    }

    /// Attempts to connect.
    public struct Reconnect: Hashable, Sendable {
        /// The first wait, before libzmq's addition of less than `interval`.
        public var interval: Duration
        /// The wait that doubling reaches; zero keeps to `interval`.
        ///
        /// libzmq 4.3.4 adds less than `interval` to each wait, so the longest one is below `maximum` plus
        /// `interval`. libzmq 4.3.5 adds nothing if there is a maximum.
        public var maximum: Duration

        /// The time limit for an answer of the peer's system to a tcp connection, before the next attempt.
        ///
        /// The system alone repeats its request after 1 s, 3 s, 7 s, and so on up to 63 s, so that a host
        /// that was unreachable for long would be connected to a minute late.
        public var timeout: Duration

        /// Waits from `interval`, doubling up to `maximum`, and attempts of `timeout` at most.
        public init(interval: Duration, maximum: Duration, timeout: Duration = .seconds(2)) {
            (self.interval, self.maximum, self.timeout) = (interval, maximum, timeout)
        }
    }

    /// The system's probes on a silent tcp connection.
    public struct TCPKeepAlive: Hashable, Sendable {
        /// The silence before the first probe, in whole seconds, at least one.
        public var idle: Duration
        /// The time between probes, in whole seconds, at least one.
        public var interval: Duration
        /// The unanswered probes that end the connection, at least one.
        public var count: Int

        /// Probes after `idle`, then each `interval`, and gives up after `count`.
        public init(idle: Duration, interval: Duration, count: Int) {
            (self.idle, self.interval, self.count) = (idle, interval, count)
        }
    }

    /// How long a closed socket still tries to send; zero drops queued messages.
    public var linger: Duration = .zero
    /// The maximum number of messages queued for a peer; 0 for no limit.
    public var sendHighWaterMark = 10_000
    /// The maximum number of messages queued from a peer; 0 for no limit.
    ///
    /// If a peer fills it, libzmq 4.3.4 stops reading the connection, and ends the process when that
    /// connection then breaks. By default there is no limit; ``bounds`` limits bytes instead.
    public var receiveHighWaterMark = 0
    /// The maximum number of bytes of a received frame; a peer that sends more is disconnected.
    public var maxMessageBytes = 65_536
    /// Limits on connections to an ipc or tcp endpoint; nil for none.
    ///
    /// inproc endpoints ignore them. A socket with bounds is bound once.
    public var bounds: ConnectionBounds?
    /// The time limit for the handshake of a connecting peer.
    public var handshakeInterval: Duration = .seconds(2)
    /// Heartbeats between libzmq peers; nil for none.
    ///
    /// Each heartbeat and its answer wake a thread at both ends, and both ends send them: four connections
    /// with a heartbeat each half second cost a hundred wake-ups a second. The end of a process is detected
    /// without heartbeats; they detect a peer that has stopped, within three seconds.
    public var heartbeat: Heartbeat? = Heartbeat(
        interval: .milliseconds(1_500), timeout: .milliseconds(1_500), timeToLive: .milliseconds(3_000))
    /// The waits between attempts to connect.
    public var reconnect = Reconnect(interval: .milliseconds(100), maximum: .milliseconds(400))
    /// Whether messages queue only for peers whose connection is complete.
    ///
    /// When a connection is lost, libzmq 4.3.4 then frees its unreceived messages, including the rest of a
    /// message whose first frame was received. That ends the process, so no SUB uses this option.
    public var immediate = false
    /// Whether a ROUTER reports a message for an unknown peer instead of dropping it silently.
    public var routerMandatory = false
    /// Whether an XPUB receives every subscription, and not only the first to a topic.
    public var everySubscription = false
    /// Whether an XPUB sends to a peer only under topics that were approved: ``Socket/approve(topic:)``.
    ///
    /// It receives every subscription then, and subscriptions alone have no effect.
    public var approvesSubscriptions = false
    /// The system's probes of a tcp connection; nil for the system's defaults.
    public var tcpKeepAlive: TCPKeepAlive? = TCPKeepAlive(idle: .seconds(10), interval: .seconds(5), count: 3)
    /// How peers are authenticated and messages encrypted.
    public var security = SocketSecurity.none
    /// How long ``Socket/sendWaiting(_:)`` waits for space; nil for no limit.
    public var sendTimeout: Duration? = .seconds(5)
    /// How long ``Socket/receiveWaiting(into:)`` waits for a message; nil for no limit.
    public var receiveTimeout: Duration? = .seconds(5)

    /// The default options, independent of the kind of socket.
    public init() {}
}

extension SocketOptions {
    /// Returns the default options for a kind of socket.
    ///
    /// - Parameter generator: Chooses the first wait before a reconnect, from 50 to 150 ms, so that the peers
    ///   of a server that restarts do not come back in one burst. What libzmq adds is the same in each
    ///   process.
    public static func defaults(
        for kind: SocketKind, using generator: inout some RandomNumberGenerator
    ) -> SocketOptions {
        var options = SocketOptions()
        options.reconnect.interval = .milliseconds(Int.random(in: 50...150, using: &generator))
        switch kind {
        case .router: options.routerMandatory = true
        case .dealer, .req, .push: options.immediate = true
        case .pub, .xpub: options.sendHighWaterMark = 100_000
        case .sub:
            // A SUB re-sends its subscriptions when it reconnects, and loses those above its send mark.
            options.sendHighWaterMark = 0
        case .rep, .pull, .pair: break
        }
        return options
    }

    /// Returns the default options for a kind of socket, with the system's randomness.
    public static func defaults(for kind: SocketKind) -> SocketOptions {
        var generator = SystemRandomNumberGenerator()
        return defaults(for: kind, using: &generator)
    }
}

/// The messaging pattern of a socket.
public enum SocketKind: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Sends each message to the peers subscribed to its prefix; drops it for a peer whose queue is full.
    case pub = "PUB"
    /// Receives the messages whose prefix it subscribed to.
    case sub = "SUB"
    /// A PUB that receives its peers' subscriptions: byte 1 and the prefix, or byte 0 to unsubscribe.
    case xpub = "XPUB"
    /// Receives messages after their sender's routing id, and sends to one peer by that id.
    case router = "ROUTER"
    /// Sends to its peers in turn and receives from all.
    case dealer = "DEALER"
    /// Sends a request, then receives its reply, in lock-step.
    case req = "REQ"
    /// Receives a request, then sends its reply, in lock-step.
    case rep = "REP"
    /// Sends to its peers in turn.
    case push = "PUSH"
    /// Receives from all its peers.
    case pull = "PULL"
    /// Sends to and receives from exactly one peer.
    case pair = "PAIR"

    /// The name as ZeroMQ writes it: `ROUTER`.
    public var description: String { rawValue }

    var number: Int32 {
        switch self {
        case .pub: ZMQ_PUB
        case .sub: ZMQ_SUB
        case .xpub: ZMQ_XPUB
        case .router: ZMQ_ROUTER
        case .dealer: ZMQ_DEALER
        case .req: ZMQ_REQ
        case .rep: ZMQ_REP
        case .push: ZMQ_PUSH
        case .pull: ZMQ_PULL
        case .pair: ZMQ_PAIR
        }
    }
}

extension Socket {
    /// Sets every option; before the first bind or connect only.
    func apply(_ options: SocketOptions) throws(BusError) {
        try set(ZMQ_LINGER, to: options.linger.wholeMilliseconds, name: "linger")
        try set(ZMQ_SNDHWM, to: Int32(clamping: options.sendHighWaterMark), name: "send mark")
        try set(ZMQ_RCVHWM, to: Int32(clamping: options.receiveHighWaterMark), name: "receive mark")
        // libzmq compares the size of an encrypted frame.
        let maxMessageBytes = Int64(options.maxMessageBytes + options.security.boxBytes)
        try setWide(ZMQ_MAXMSGSIZE, to: maxMessageBytes, name: "maximum message size")
        try setWide(ZMQ_AFFINITY, to: Int64(bitPattern: options.bounds?.affinity ?? 0), name: "affinity")
        try set(ZMQ_HANDSHAKE_IVL, to: options.handshakeInterval.wholeMilliseconds, name: "handshake")
        try set(ZMQ_CONNECT_TIMEOUT, to: options.reconnect.timeout.wholeMilliseconds, name: "connect timeout")
        try set(ZMQ_RECONNECT_IVL, to: options.reconnect.interval.wholeMilliseconds, name: "reconnect")
        try set(ZMQ_RECONNECT_IVL_MAX, to: options.reconnect.maximum.wholeMilliseconds, name: "backoff")
        try set(ZMQ_IMMEDIATE, to: options.immediate ? 1 : 0, name: "immediate")
        try set(ZMQ_SNDTIMEO, to: options.sendTimeout?.wholeMilliseconds ?? -1, name: "send timeout")
        try set(ZMQ_RCVTIMEO, to: options.receiveTimeout?.wholeMilliseconds ?? -1, name: "receive timeout")
        if kind == .router {
            try set(ZMQ_ROUTER_MANDATORY, to: options.routerMandatory ? 1 : 0, name: "mandatory routing")
        }
        if kind == .xpub {
            try set(ZMQ_XPUB_VERBOSE, to: options.everySubscription ? 1 : 0, name: "every subscription")
            try set(ZMQ_XPUB_MANUAL, to: options.approvesSubscriptions ? 1 : 0, name: "approvals")
        }
        try apply(options.security)
        if let heartbeat = options.heartbeat { try apply(heartbeat) }
        if let keepAlive = options.tcpKeepAlive { try apply(keepAlive) }
    }

    /// Sets the security of a socket; before the first bind or connect only. `ZMQ_ZAP_ENFORCE_DOMAIN` refuses
    /// peers while no authenticator is bound. Without it libzmq 4.3.4 admits everyone then.
    func apply(_ security: SocketSecurity) throws(BusError) {
        switch security {
        case .none: break
        case .server(let server):
            try set(ZMQ_CURVE_SERVER, to: 1, name: "CURVE server")
            try set(ZMQ_CURVE_SECRETKEY, to: server.keys.secretKey, name: "set the secret key")
            try set(ZMQ_ZAP_DOMAIN, to: Array(server.domain.utf8), name: "set the domain")
            try set(ZMQ_ZAP_ENFORCE_DOMAIN, to: 1, name: "enforced domain")
        case .client(let server, let keys):
            try set(ZMQ_CURVE_SERVERKEY, to: server.bytes, name: "set the server's key")
            try set(ZMQ_CURVE_PUBLICKEY, to: keys.publicKey.bytes, name: "set the public key")
            try set(ZMQ_CURVE_SECRETKEY, to: keys.secretKey, name: "set the secret key")
        }
    }

    private func apply(_ heartbeat: SocketOptions.Heartbeat) throws(BusError) {
        try set(ZMQ_HEARTBEAT_IVL, to: heartbeat.interval.wholeMilliseconds, name: "heartbeat interval")
        try set(ZMQ_HEARTBEAT_TIMEOUT, to: heartbeat.timeout.wholeMilliseconds, name: "heartbeat timeout")
        try set(ZMQ_HEARTBEAT_TTL, to: heartbeat.timeToLive.wholeMilliseconds, name: "heartbeat time to live")
    }

    private func apply(_ keepAlive: SocketOptions.TCPKeepAlive) throws(BusError) {
        try set(ZMQ_TCP_KEEPALIVE, to: 1, name: "keep-alive")
        try set(ZMQ_TCP_KEEPALIVE_IDLE, to: keepAlive.idle.wholeSeconds, name: "keep-alive idle")
        try set(ZMQ_TCP_KEEPALIVE_INTVL, to: keepAlive.interval.wholeSeconds, name: "keep-alive interval")
        try set(ZMQ_TCP_KEEPALIVE_CNT, to: Int32(clamping: keepAlive.count), name: "keep-alive count")
    }
}

/// One option at a time, in the shapes that libzmq has: 32 bits, 64 bits, bytes and texts. libzmq copies
/// within each call, so no pointer to a value outlives it.
extension Socket {
    func set(_ option: Int32, to value: Int32, name: String) throws(BusError) {
        var value = value
        let result = zmq_setsockopt(handle, option, &value, MemoryLayout<Int32>.size)
        try check(result, "set \(name) to \(value)")
    }

    func setWide(_ option: Int32, to value: Int64, name: String) throws(BusError) {
        var value = value
        let result = zmq_setsockopt(handle, option, &value, MemoryLayout<Int64>.size)
        try check(result, "set \(name) to \(value)")
    }

    func set(_ option: Int32, to bytes: [UInt8], name: String) throws(BusError) {
        let result = bytes.withUnsafeBytes { zmq_setsockopt(handle, option, $0.baseAddress, $0.count) }
        try check(result, name)
    }

    func read(_ option: Int32, name: String) throws(BusError) -> Int32 {
        var value: Int32 = 0
        var size = MemoryLayout<Int32>.size
        try check(zmq_getsockopt(handle, option, &value, &size), "read \(name)")
        return value
    }

    func readText(_ option: Int32, name: String) throws(BusError) -> String {
        // Longer than any endpoint: a tcp host is the longest part of one, with 253 bytes.
        var bytes = [UInt8](repeating: 0, count: 512)
        var size = bytes.count
        try check(zmq_getsockopt(handle, option, &bytes, &size), "read \(name)")
        // libzmq counts the terminating zero.
        return String(decoding: bytes.prefix(max(size - 1, 0)), as: UTF8.self)
    }
}
