import CZMQ
import RawPeers

@testable import Bus

/// A socket with bounded connections, at a path that is removed with it, or at a tcp port of this machine.
final class BoundedSocket {
    /// Where a socket listens.
    enum Transport: CaseIterable, Sendable {
        case ipc, tcp
    }

    let socket: Socket
    let endpoint: Endpoint
    /// The server's keys under CURVE.
    let keys: CurveKeyPair?
    private let directory: TemporaryDirectory
    private var frames = Frames()

    init(
        _ kind: SocketKind, _ bounds: ConnectionBounds, over transport: Transport = .ipc,
        keys: CurveKeyPair? = nil, context: Context? = nil, _ change: (inout SocketOptions) -> Void = { _ in }
    ) throws {
        self.keys = keys
        directory = try TemporaryDirectory()
        var options = SocketOptions.defaults(for: kind)
        options.bounds = bounds
        // A test of one bound has enough time for all else.
        options.handshakeInterval = .seconds(60)
        change(&options)
        socket = try Socket(kind, context: context ?? Fixture.context, options: options)
        if let keys {
            // Without an authenticator and its domain: every key is admitted.
            try socket.set(ZMQ_CURVE_SERVER, to: 1, name: "server")
            try socket.set(ZMQ_CURVE_SECRETKEY, to: keys.secretKey, name: "secret key")
            let most = Int64(options.maxMessageBytes + SocketSecurity.curveBoxBytes)
            try socket.setWide(ZMQ_MAXMSGSIZE, to: most, name: "maximum message size")
        }
        switch transport {
        case .ipc: try socket.bind(.ipc(path: directory.path + "/socket"))
        case .tcp: try socket.bind(.tcp(host: "127.0.0.1", port: 0))
        }
        guard let last = try socket.lastEndpoint else { throw NothingReceived() }
        endpoint = last
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

    /// A peer whose handshake under CURVE is complete.
    func encryptedPeer(_ kind: String = "DEALER", properties: [UInt8] = []) throws -> RawCurvePeer {
        guard let keys else { throw NothingReceived() }
        let peer = try RawCurvePeer(to: endpoint, server: keys.publicKey)
        try peer.greet()
        try peer.introduce()
        try peer.initiate(as: kind, properties)
        return peer
    }

    /// A peer that uses libzmq.
    func client(_ kind: SocketKind) throws -> Socket {
        var options = SocketOptions.defaults(for: kind)
        if let server = keys?.publicKey {
            options.security = .client(server: server, keys: try .generate())
        }
        let client = try Socket(kind, context: Fixture.context, options: options)
        try client.connect(endpoint)
        return client
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
