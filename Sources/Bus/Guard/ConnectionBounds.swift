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
    public init(connections: Int) {
        self.connections = connections
    }
}
