/// How a socket authenticates its peers and encrypts what it sends them.
public enum SocketSecurity: Hashable, Sendable {
    /// Not at all: for ipc, which admits only processes of the same user, and for inproc.
    case none
    /// A server of CURVE, for sockets that bind: an ``Authenticator`` of the same context decides who may
    /// connect, and without one every peer is denied.
    case server(CurveServer)
    /// A client of CURVE, for sockets that connect: it knows the server's key, and shows its own.
    case client(server: CurvePublicKey, keys: CurveKeyPair)

    /// The bytes that CURVE adds to a frame: its command's name, a nonce, a tag and the flags.
    static let curveBoxBytes = 33

    var boxBytes: Int {
        switch self {
        case .none: 0
        case .server, .client: Self.curveBoxBytes
        }
    }
}

/// The key of a socket that binds, and the domain that it names to the ``Authenticator``.
public struct CurveServer: Hashable, Sendable {
    /// The keys of the server.
    public let keys: CurveKeyPair
    /// The domain, of 1 to 255 bytes.
    public let domain: String

    /// The security of a bound socket.
    ///
    /// - Throws: `invalidArgument` for a domain without bytes or with more than 255: libzmq 4.3.4 admits
    ///   every peer of a socket without a domain.
    public init(keys: CurveKeyPair, domain: String) throws(BusError) {
        guard 1...255 ~= domain.utf8.count else {
            throw BusError(
                .invalidArgument, context: "authenticate in a domain of \(domain.utf8.count) bytes")
        }
        (self.keys, self.domain) = (keys, domain)
    }
}

extension SocketOptions {
    /// The most bytes of a frame of a handshake: a client's INITIATE, with the kind of its socket.
    private static let handshakeBytes = 512

    /// Sets the security of a socket on the network, and heartbeats that detect a lost peer within 2 s.
    ///
    /// A connection may be lost without a sign there: with the power of a machine, or its network. A bound on
    /// frames is raised to what a handshake needs.
    public mutating func secure(_ security: SocketSecurity) {
        self.security = security
        guard security != .none else { return }
        maxMessageBytes = max(maxMessageBytes, Self.handshakeBytes)
        heartbeat = Heartbeat(
            interval: .milliseconds(500), timeout: .milliseconds(1_500), timeToLive: .milliseconds(1_500))
    }
}
