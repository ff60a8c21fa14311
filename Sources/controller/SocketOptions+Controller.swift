import Bus
import Runtime

extension SocketOptions {
    /// Bytes of a frame on `stream`: a handshake, or a subscription to the longest topic.
    ///
    /// libzmq has a trie of all subscriptions, with a node for each of their bytes, and goes through all of
    /// it whenever a subscriber leaves.
    private static let subscriptionBytes = 80

    /// Subscriptions of one connection at a time: a gateway has one for each account that it shows, and an
    /// observer one or two.
    private static let subscriptions = 512

    /// The most connections to `stream`.
    private static let subscribers = 1_024

    /// Bytes of one observer's subscriptions that wait, about 110 for each beginning and each end.
    ///
    /// All that it may have can be replaced at once: a gateway does that when the controller has stood still.
    /// Those of all observers together have the same bound; the 512 bytes that each may have beyond it are
    /// room for four.
    private static let unreadBytesOfObserver = 128 << 10

    /// Replies that wait for one client that does not read: four times those to all of an account's requests.
    ///
    /// Their bytes are bounded by ``ConnectionBounds/unsentBytes``.
    private static let replies = 16_384

    /// Bytes that wait from one client: 50,000 requests, as many as a controller has open.
    private static let unreadBytesOfClient = 8 << 20

    /// Bytes that wait from one node: a few seconds of all that a million devices tell.
    private static let unreadBytesOfNode = 32 << 20

    /// Updates that wait for one observer that does not read: of 3 KB at most, so 60 MB.
    ///
    /// They bridge only the moments in which libzmq's own thread does not come to write: behind it an
    /// observer's process takes what is on the connection, and its client 400,000 changes more. Who is away
    /// for longer sees the gap, and pulls.
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
