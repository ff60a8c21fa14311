import Bus
import ControllerCore
import FleetProtocol
import ProcessSupport

struct ControllerSockets {
    /// Descriptors that a controller needs at least: its own, and a few connections to each socket.
    static let neededDescriptors = 256
    /// Descriptors reserved for the store, the journal, messages to users and libzmq.
    private static let ownDescriptors = 192
    /// The maximum number of connections to one socket, at any limit on descriptors.
    private static let mostConnections = 8_192

    let telemetry: Socket
    let devices: Socket
    let clients: Socket
    let stream: Socket

    /// Creates and binds the sockets, each with that maximum of connections.
    init(connections: Int, context: Context, at place: (FleetSocket) throws -> SocketPlace) throws {
        func bound(
            _ kind: SocketKind, _ socket: FleetSocket, lingering linger: Duration = .zero
        ) throws -> Socket {
            var options = SocketOptions.ofController(socket, kind, connections: connections)
            options.linger = linger
            return try Self.bound(kind, options, context: context, at: place(socket))
        }
        telemetry = try bound(.sub, .telemetry)
        try telemetry.subscribe(prefix: Topic.telemetry)
        // The last messages name the cell that an account was moved to.
        devices = try bound(.router, .devices, lingering: .milliseconds(500))
        clients = try bound(.router, .clients, lingering: .milliseconds(500))
        stream = try bound(.xpub, .stream)
    }

    static func bound(
        _ kind: SocketKind, _ options: SocketOptions, context: Context, at place: SocketPlace
    ) throws(BusError) -> Socket {
        var options = options
        options.secure(place.security)
        options.bounds?.affinity = place.affinity
        let made = try Socket(kind, context: context, options: options)
        try made.bind(place.endpoint)
        return made
    }

    var all: [Socket] { [clients, devices, telemetry, stream] }

    /// The socket of a kind, which is one of the four.
    subscript(kind: FleetSocket) -> Socket {
        switch kind {
        case .clients: clients
        case .devices: devices
        case .telemetry: telemetry
        case .stream: stream
        case .supervisor, .join: preconditionFailure("\(kind) is not one of the four sockets")
        }
    }

    /// Returns the number of connections to each socket for a limit on descriptors. Replaced connections keep
    /// their descriptors for a moment, up to a quarter of the connections. So do closed ones, up to an
    /// eighth, until their messages were read.
    static func connections(within descriptors: Int) -> Int {
        let each = (descriptors - ownDescriptors) / 4
        return min(mostConnections, max(1, each * 8 / 11 - 1))
    }
}

/// Where a socket binds, and how it authenticates its peers.
struct SocketPlace {
    let endpoint: Endpoint
    var security = SocketSecurity.none
    /// The I/O thread, as a bit; the first one is that of the run directory's sockets.
    var affinity: UInt64 = 0b1
}

extension SocketOptions {
    /// Bytes of a frame on `stream`: a handshake, or a subscription to the longest topic. libzmq stores all
    /// subscriptions in a trie, with a node for each byte, and traverses all of it whenever a subscriber
    /// leaves.
    private static let subscriptionBytes = 80

    /// Concurrent subscriptions of one connection: a gateway has one for each account that it shows, and an
    /// observer one or two.
    private static let subscriptions = 512
    private static let subscribers = 1_024

    /// The queued bytes of one observer's subscriptions, about 110 for each beginning and each end.
    ///
    /// An observer can replace all its subscriptions at once, as a gateway does after the controller has
    /// stalled. All observers together have the same bound; the 512 bytes that each may have beyond it hold
    /// four.
    private static let unreadBytesOfObserver = 128 << 10

    /// Queued replies to one client that does not read: four times those to all of an account's requests.
    /// Their bytes are bounded by ``ConnectionBounds/unsentBytes``.
    private static let replies = 16_384

    /// Queued bytes from one client: 50,000 requests, as many as a controller may have open.
    private static let unreadBytesOfClient = 8 << 20

    /// Queued bytes from one node: a few seconds of the messages for a million devices.
    private static let unreadBytesOfNode = 32 << 20

    /// Queued updates for one observer that does not read: 3 KB each at most, so 60 MB.
    ///
    /// They bridge the moments in which libzmq's own thread cannot write. Beyond them, the connection and the
    /// observer's process buffer more, and its client 400,000 changes. An observer that lags further detects
    /// the gap, and pulls a snapshot.
    static let updatesPerObserver = 20_000

    /// The options of one of the controller's sockets, with a bound on its connections.
    static func ofController(_ socket: FleetSocket, _ kind: SocketKind, connections: Int) -> SocketOptions {
        var options = SocketOptions.defaults(for: kind)
        var bounds = ConnectionBounds(connections: connections)
        bounds.unreadBytes = socket == .clients ? unreadBytesOfClient : unreadBytesOfNode
        bounds.allUnreadBytes = 4 * bounds.unreadBytes
        if kind == .xpub {
            (options.maxMessageBytes, options.approvesSubscriptions) = (subscriptionBytes, true)
            options.sendHighWaterMark = updatesPerObserver
            bounds.connections = min(connections, subscribers)
            bounds.subscriptions = subscriptions
            (bounds.unreadBytes, bounds.allUnreadBytes) = (unreadBytesOfObserver, unreadBytesOfObserver)
        }
        if kind == .router { options.sendHighWaterMark = replies }
        options.bounds = bounds
        return options
    }
}

/// Refuses a hello of a node on this machine without the token of the node that it names. All other content
/// of a node's messages applies only to the connection and the boot ID of its hello.
struct NodeGate {
    let secret: NodeSecret

    /// Why a node may not say that hello; nil if its grant matches the secret.
    func refusal(ofHello message: NodeMessage) -> WireError? {
        guard case .hello(let hello) = message.body else { return nil }
        if let grant = hello.grant, secret.made(grant, for: hello.node, of: hello.account) { return nil }
        return .malformed("hello.grant", "the token of that node, account and range")
    }
}

/// Joins the messages of one turn to each peer of a ROUTER into frames, if the peer gets batches.
struct PeerFrames {
    private var writers: [(peer: ConnectionID, frame: FrameWriter)] = []
    private var places: [ConnectionID: Int] = [:]

    /// Adds an encoded message, and sends what is complete: a message that must be alone, or a full frame.
    mutating func add(
        _ message: [UInt8], to peer: ConnectionID, _ send: (ConnectionID, [UInt8]) throws -> Void
    ) rethrows {
        if peer.hasBatches {
            if let full = writers[place(of: peer)].frame.append(message) { try send(peer, full) }
        } else {
            // It must not overtake earlier messages to the same peer.
            if !places.isEmpty, let place = places[peer.withBatches] { try sendFrame(at: place, send) }
            try send(peer, message)
        }
    }

    /// Sends the remaining messages, to the peers in the order of their first.
    mutating func sendAll(_ send: (ConnectionID, [UInt8]) throws -> Void) rethrows {
        guard !writers.isEmpty else { return }
        for place in writers.indices { try sendFrame(at: place, send) }
        writers.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    private mutating func sendFrame(at place: Int, _ send: (ConnectionID, [UInt8]) throws -> Void) rethrows {
        if let frame = writers[place].frame.finish() { try send(writers[place].peer, frame) }
    }

    private mutating func place(of peer: ConnectionID) -> Int {
        if let last = writers.last, last.peer == peer { return writers.count - 1 }
        if let place = places[peer] { return place }
        places[peer] = writers.count
        writers.append((peer, FrameWriter()))
        return writers.count - 1
    }
}

extension ConnectionID {
    /// A bit that no routing ID sets: the last byte of its words is its length, at most 15.
    fileprivate static let batchMark: UInt64 = 1 << 63
    fileprivate static let remoteMark: UInt64 = 1 << 62

    /// The connection of a peer, whether the peer gets batches, and whether it is on the network. To the
    /// machine, a client's batches have another connection than its single requests. So each reply, also one
    /// that waits for the disk, returns with the mark of its request.
    init(_ peer: RoutingID, hasBatches: Bool = false, isRemote: Bool = false) {
        let marks = (hasBatches ? Self.batchMark : 0) | (isRemote ? Self.remoteMark : 0)
        self.init(high: peer.words.0, low: peer.words.1 | marks)
    }

    fileprivate var hasBatches: Bool { low & Self.batchMark != 0 }
    var isRemote: Bool { low & Self.remoteMark != 0 }

    fileprivate var withBatches: ConnectionID { ConnectionID(high: high, low: low | Self.batchMark) }
}

extension RoutingID {
    init(_ connection: ConnectionID) {
        self.init(
            words: (connection.high, connection.low & ~(ConnectionID.batchMark | ConnectionID.remoteMark)))
    }
}
