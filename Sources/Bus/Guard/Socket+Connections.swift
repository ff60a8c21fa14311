internal import CZMQ
internal import Glibc

extension Socket {
    /// What became of the connections to the endpoint it is bound to; zeros without ``SocketOptions/bounds``.
    public var connectionCounts: ConnectionCounts {
        connections?.counts ?? ConnectionCounts()
    }

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
