import Bus

/// A socket with bounded connections, at a path that is removed with it.
final class BoundedSocket {
    let socket: Socket
    let endpoint: Endpoint
    private let directory: TemporaryDirectory
    private var frames = Frames()

    init(_ kind: SocketKind, _ bounds: ConnectionBounds) throws {
        directory = try TemporaryDirectory()
        endpoint = try .ipc(path: directory.path + "/socket")
        var options = SocketOptions.defaults(for: kind)
        options.bounds = bounds
        // A test of one bound has enough time for all else.
        options.handshakeInterval = .seconds(60)
        socket = try Socket(kind, context: Fixture.context, options: options)
        try socket.bind(endpoint)
    }

    deinit {
        socket.close()
    }

    /// A peer whose handshake is complete.
    func peer(_ kind: String = "DEALER") throws -> RawConnection {
        let peer = try RawConnection(to: endpoint)
        try peer.shakeHands(as: kind)
        return peer
    }

    /// Receives until a condition holds, for at most ten seconds.
    func receive(until isSo: () throws -> Bool) throws {
        try awaitThat {
            _ = try socket.receive(into: &frames)
            return try isSo()
        }
    }

    /// Receives a number of messages; returns the peer of the last.
    func receive(_ count: Int) throws -> RoutingID? {
        var peer: RoutingID?
        for _ in 0..<count { peer = try socket.nextFromPeer().peer }
        return peer
    }
}
