import CSodium
import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization

/// The open connections: when there are too many, one gives way to a newcomer.
final class OpenConnections: Sendable {
    /// The place of one open connection.
    struct Place: Sendable {
        fileprivate let id: ConnectionTable<String>.ID
        fileprivate let connections: OpenConnections

        /// A request of it has arrived.
        func becameBusy() { connections.state.withLock { $0.table.becameBusy(id) } }

        /// The answer has begun.
        func beganSending() { connections.state.withLock { $0.table.beganSending(id) } }

        /// Every request of it has been answered.
        func becameIdle() { connections.state.withLock { $0.table.becameIdle(id) } }
    }

    private struct State {
        var table: ConnectionTable<String>
        var channels: [ConnectionTable<String>.ID: any Channel] = [:]
    }

    private let state: Mutex<State>
    private let proxies: [IPNetwork]

    /// - Parameter proxies: Their connections carry many clients, and are not bounded by address.
    init(atMost connections: Int, trusting proxies: [IPNetwork]) {
        state = Mutex(
            State(
                table: ConnectionTable(
                    connectionsAtMost: connections, perAddress: WebLimits.perAddress(of: connections))))
        self.proxies = proxies
    }

    /// Gives a connection a place, if need be that of another; nil where all others await their answers.
    func open(_ channel: any Channel) -> Place? {
        let peer = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        let address = peer.flatMap { peer in
            proxies.contains { $0.contains(peer) } ? nil : peer.subscriber
        }
        let (id, leaving) = state.withLock { state -> (ConnectionTable<String>.ID?, (any Channel)?) in
            guard case .accepted(let id, let closing) = state.table.open(from: address) else {
                return (nil, nil)
            }
            state.channels[id] = channel
            return (id, closing.flatMap { state.channels.removeValue(forKey: $0) })
        }
        if let leaving { Self.end(leaving) }
        guard let id else { return nil }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { state in
                state.table.close(id)
                state.channels[id] = nil
            }
        }
        return Place(id: id, connections: self)
    }

    /// Ends a connection without a farewell: over TLS its peer would have seconds to answer it.
    static func end(_ channel: any Channel) {
        channel.eventLoop.execute {
            let beforeTLS = try? channel.pipeline.syncOperations.context(handlerType: UnreadAnswers.self)
            if let beforeTLS { beforeTLS.close(promise: nil) } else { channel.close(promise: nil) }
        }
    }
}

/// Stops accepting while too many ended connections still hold their descriptors.
struct AcceptedConnections: AvailableConnectionsDelegate {
    let atMost: Int
    private var count = 0

    init(atMost: Int) {
        self.atMost = atMost
    }

    mutating func connectionOpened() { count += 1 }

    mutating func connectionClosed() { count -= 1 }

    func isAcceptingNewConnections() -> Bool { count < atMost }
}

/// What one connection may take of the gateway.
enum WebLimits {
    /// Bytes in a request's body; the largest that a client has to send is a page of settings.
    static let bodyBytes = 64 * 1024
    /// Bytes in a request's headers together, and in one of them.
    static let headerBytes = 16 * 1024
    /// Headers of a request.
    static let headers = 100
    /// How long a connection may say nothing before its request, or between two.
    static let idle: TimeAmount = .seconds(20)
    /// How long a request's headers may take to arrive, from the opening of the connection or their first
    /// byte on.
    static let headPatience: TimeAmount = .seconds(5)
    /// How long a request may take to arrive, from its headers' end on.
    static let requestPatience: TimeAmount = .seconds(10)
    /// How long a connection may read nothing of what waits for it; at most twice that, as it is looked at
    /// now and then.
    static let readPatience: TimeAmount = .seconds(15)
    /// Connections at a time, where the process may have that many descriptors.
    private static let connectionsAtMost = 4_096
    /// Descriptors for everything else: sockets to the fleet, files, and connections that are ending.
    private static let otherDescriptors = 128
    /// Connections that may be ending while others take their places.
    static let endingConnections = 32

    /// Connections at a time in a process with that limit of descriptors.
    static func connections(descriptors: Int) -> Int {
        max(16, min(connectionsAtMost, descriptors - otherDescriptors))
    }

    /// How many of them one address may have: half, so that no address keeps out all others.
    static func perAddress(of connections: Int) -> Int { connections / 2 }

    /// The connections' limits as the server takes them.
    static var http1: HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            idleTimeout: idle,
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: headerBytes, maxHeaderListSize: headerBytes, maxHeaderFieldCount: headers)
        )
    }
}

extension Request {
    /// The bytes of the body, of which ``WholeRequests`` has let no more through than it may have.
    func bodyBytes() async throws -> [UInt8] {
        Array(try await body.collect(upTo: WebLimits.bodyBytes).readableBytesView)
    }
}

/// Whom tokens stood for when the controller was asked last.
final class KnownVisitors: Sendable {
    /// Visitors that are kept; with one more it begins anew.
    private static let visitorsAtMost = 4_096

    private let visitors = Mutex<[[UInt8]: Access.Visitor]>([:])

    /// Whom a token stood for, where the gateway still follows their account.
    func visitor(with token: Token) -> Access.Visitor? {
        visitors.withLock { $0[token.bytes] }.flatMap { $0.mirror.hasEnded ? nil : $0 }
    }

    func note(_ visitor: Access.Visitor) {
        visitors.withLock {
            // Whoever is new may have taken an account's place; what was known of that one goes with it.
            if $0[visitor.credentials.token.bytes] == nil { $0 = $0.filter { !$0.value.mirror.hasEnded } }
            if $0.count >= Self.visitorsAtMost { $0.removeAll() }
            $0[visitor.credentials.token.bytes] = visitor
        }
    }

    func forget(_ token: Token) {
        visitors.withLock { $0[token.bytes] = nil }
    }
}

/// The sources of log-ins through the gateway, by which the controller tells them apart.
///
/// After a log-in a browser carries a mark for the user's address. With it the browser is a source of its
/// own, which wrong passwords from the same network do not slow down: only a log-in makes a mark.
struct LoginSources: Sendable {
    private static let markDays = 365

    private let proxies: [IPNetwork]
    private let isSecure: Bool
    private let key: [UInt8]

    /// - Parameters:
    ///   - proxies: Whose `X-Forwarded-For` is believed.
    ///   - isSecure: Whether browsers come over TLS.
    init(trusting proxies: [IPNetwork], isSecure: Bool) {
        self.proxies = proxies
        self.isSecure = isSecure
        var key = [UInt8](repeating: 0, count: Int(crypto_auth_KEYBYTES))
        randombytes_buf(&key, key.count)
        self.key = key
    }

    /// The sender of a request; nil where the system does not name the peer.
    func source(of request: Request, _ context: GatewayContext) -> LoginSource? {
        guard let peer = context.address.flatMap({ IPAddress($0) }) else { return nil }
        let forwarded = request.headers[values: .forwardedFor]
        let client = IPAddress.client(behind: peer, forwarded: forwarded, trusting: proxies)
        return LoginSource((client.site.map { "\($0) " } ?? "") + client.subscriber)
    }

    /// The source of a log-in under an address: a browser with its mark, or the request's sender.
    func source(of request: Request, _ context: GatewayContext, for email: Email) -> LoginSource? {
        let mark = mark(of: email)
        guard let shown = request.cookies[cookieName]?.value, Access.isSame(shown, as: mark) else {
            return source(of: request, context)
        }
        return LoginSource("browser-\(mark.prefix(32))")
    }

    /// The mark for an address, as a browser carries it.
    func cookie(of email: Email) -> Cookie {
        Cookie(
            name: cookieName, value: mark(of: email), maxAge: Self.markDays * 86_400, path: "/",
            secure: isSecure, httpOnly: true, sameSite: .strict)
    }

    private var cookieName: String { PageAccess.cookieName("sensibus-browser", isSecure: isSecure) }

    private func mark(of email: Email) -> String {
        let text = Array(email.address.utf8)
        var hash = [UInt8](repeating: 0, count: Int(crypto_auth_BYTES))
        crypto_auth(&hash, text, UInt64(text.count), key)
        return hash.hexadecimal
    }
}
