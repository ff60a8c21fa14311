/// A connection to a bounded endpoint.
///
/// It stays the same value while the connection is open, and no later connection has an equal one.
public struct PeerConnection: Hashable, Sendable {
    /// The descriptor of the connection, which later ones reuse.
    let descriptor: Int32
    /// The number of the connection among those with its descriptor.
    let serial: UInt32
}

extension Socket {
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
}
