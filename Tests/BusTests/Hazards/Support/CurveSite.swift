import Glibc
import Synchronization
import Testing

@testable import Bus

/// A CURVE server at a free port of 127.0.0.1, in a context of its own, with what decides who may connect.
///
/// The server belongs to the calling thread; the authenticator to one of its own.
final class CurveSite {
    /// What decides.
    enum Handler {
        case none, admitting, denying, ended, silent

        init(_ handler: OpenCurveTests.Handler) {
            switch handler {
            case .none: self = .none
            case .denying: self = .denying
            case .ended: self = .ended
            case .silent: self = .silent
            }
        }
    }

    /// The time after which the sender of a message counts as not admitted.
    private static let timeout = Duration.milliseconds(700)

    let keys: CurveKeyPair
    let context: Context
    private let server: Socket
    private let allowed: AllowedKeys

    private init(context: Context, keys: CurveKeyPair, server: Socket, allowed: AllowedKeys) {
        (self.context, self.keys, self.server, self.allowed) = (context, keys, server, allowed)
    }

    /// Runs work with a site, at a port of this machine or at another endpoint, and ends the site.
    static func run<Value>(
        handler: Handler, at endpoint: Endpoint? = nil,
        _ secure: (Socket, CurveKeyPair) throws -> Void = CurveSite.secure,
        _ work: (CurveSite) throws -> Value
    ) throws -> Value {
        let context = try Context()
        defer { context.terminate() }
        let loop = try Loop.start(name: "zap", context: context)
        defer {
            loop.stop()
            while !loop.hasEnded { sched_yield() }
        }
        let allowed = AllowedKeys(all: handler == .admitting)
        try begin(handler, on: loop, allowed)
        let keys = try CurveKeyPair.generate()
        var options = SocketOptions.defaults(for: .router)
        options.receiveTimeout = timeout
        let server = try Socket(.router, context: context, options: options)
        defer { server.close() }
        try secure(server, keys)
        try server.bind(endpoint ?? .tcp(host: "127.0.0.1", port: 0))
        return try work(CurveSite(context: context, keys: keys, server: server, allowed: allowed))
    }

    private static func secure(_ socket: Socket, with keys: CurveKeyPair) throws {
        try socket.apply(.server(CurveServer(keys: keys, domain: "bus")))
    }

    private static func begin(_ handler: Handler, on loop: Loop, _ allowed: AllowedKeys) throws {
        guard handler != .none else { return }
        allowed.run(handler, on: loop)
        try awaitThat { allowed.hasBegun }
    }

    /// Where the server is bound.
    var endpoint: Endpoint {
        get throws { try #require(try server.lastEndpoint) }
    }

    /// The addresses of the peers that the authenticator was asked about.
    var askedAddresses: [String] { allowed.addresses }

    /// Admits a key from now on.
    func admit(_ key: CurvePublicKey) { allowed.add(key) }

    /// A new socket that connects to the server.
    func connect(as security: SocketSecurity) throws -> Socket {
        var options = SocketOptions.defaults(for: .dealer)
        (options.security, options.immediate) = (security, false)
        let socket = try Socket(.dealer, context: context, options: options)
        try socket.connect(endpoint)
        return socket
    }

    /// Whether a message of the socket reaches the server.
    func hears(_ socket: Socket) throws -> Bool { try sender(of: socket) != nil }

    /// The key and the address that a message of the socket has at the server; nil if it does not arrive.
    func sender(of socket: Socket) throws -> (key: CurvePublicKey?, address: String?)? {
        _ = try socket.send([1])
        var frames = Frames()
        guard try server.receiveWaiting(into: &frames) else { return nil }
        return (frames.senderKey, frames.senderAddress)
    }

    /// Whether a message of a new socket reaches the server.
    func isAdmitted(as security: SocketSecurity) throws -> Bool {
        let socket = try connect(as: security)
        defer { socket.close() }
        return try hears(socket)
    }
}

/// The keys that a site admits, and its authenticator.
final class AllowedKeys: @unchecked Sendable {
    private let all: Bool
    private let keys = Mutex<Set<CurvePublicKey>>([])
    private let asked = Mutex<[String]>([])
    private let begun = Atomic(false)
    /// Only the loop's thread uses them.
    private var authenticator: Authenticator?
    private var silent: Socket?

    init(all: Bool) { self.all = all }

    var hasBegun: Bool { begun.load(ordering: .acquiring) }

    func add(_ key: CurvePublicKey) { keys.withLock { _ = $0.insert(key) } }

    /// The address of each peer that was asked about.
    var addresses: [String] { asked.withLock { $0 } }

    func admits(_ peer: Authenticator.Peer) -> Bool {
        asked.withLock { $0.append(peer.address) }
        return all || keys.withLock { $0.contains(peer.key) }
    }

    /// Makes the handler on the loop's thread.
    func run(_ handler: CurveSite.Handler, on loop: Loop) {
        loop.perform { [self] in
            do {
                if handler == .silent {
                    // Bound and never read; the loop closes it when it ends.
                    let socket = try Socket(.rep, context: loop.context)
                    try socket.bind(.inproc("zeromq.zap.01"))
                    silent = socket
                } else {
                    authenticator = try Authenticator(on: loop) { [self] in admits($0) }
                    if handler == .ended { authenticator?.close() }
                }
                begun.store(true, ordering: .releasing)
            } catch {
                fatalError("no handler: \(error)")
            }
        }
    }
}
