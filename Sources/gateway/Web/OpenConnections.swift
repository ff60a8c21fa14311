import CSodium
import FleetClient
import FleetProtocol
import FoundationEssentials
import GatewayCore
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import UserText

/// The table of open connections: at its limit, a new connection displaces another one.
final class OpenConnections: Sendable {
    struct Place: Sendable {
        fileprivate let id: ConnectionTable.ID
        fileprivate let connections: OpenConnections

        /// Records that a request has arrived.
        func becameBusy() { connections.state.withLock { $0.table.becameBusy(id) } }

        /// Records that the answer has begun.
        func beganSending() { connections.state.withLock { $0.table.beganSending(id) } }

        /// Records that every request has been answered.
        func becameIdle() { connections.state.withLock { $0.table.becameIdle(id) } }
    }

    private struct State {
        var table: ConnectionTable
        var channels: [ConnectionTable.ID: any Channel] = [:]
    }

    private let state: Mutex<State>
    private let proxies: [IPNetwork]

    /// Trusted proxies carry many clients, so they have no limit per address.
    init(atMost connections: Int, trusting proxies: [IPNetwork]) {
        state = Mutex(
            State(
                table: ConnectionTable(
                    connectionsAtMost: connections, perAddress: WebLimits.perAddress(of: connections))))
        self.proxies = proxies
    }

    /// Returns a place for a connection, if need be that of another; nil if all others await their answers.
    func open(_ channel: any Channel) -> Place? {
        let peer = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        let address = peer.flatMap { peer in
            proxies.contains { $0.contains(peer) } ? nil : peer.subscriber
        }
        let (id, leaving) = state.withLock { state -> (ConnectionTable.ID?, (any Channel)?) in
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

    /// Closes a connection without TLS's `close_notify`, whose answer the channel would await for seconds.
    static func end(_ channel: any Channel) {
        channel.eventLoop.execute {
            let beforeTLS = try? channel.pipeline.syncOperations.context(handlerType: UnreadResponses.self)
            if let beforeTLS { beforeTLS.close(promise: nil) } else { channel.close(promise: nil) }
        }
    }
}

/// Stops accepting while too many ended connections still hold their descriptors.
struct AcceptedConnections: AvailableConnectionsDelegate {
    let atMost: Int
    private var count = 0

    init(atMost: Int) { self.atMost = atMost }

    mutating func connectionOpened() { count += 1 }

    mutating func connectionClosed() { count -= 1 }

    func isAcceptingNewConnections() -> Bool { count < atMost }
}

enum WebLimits {
    /// The maximum size of a request's body in bytes; the largest that clients send is a page of settings.
    static let bodyBytes = 64 * 1024
    /// The maximum size of all headers of a request, and of one header, in bytes.
    static let headerBytes = 16 * 1024
    static let headers = 100
    /// The timeout of a connection whose peer sends nothing, before the first request or between two.
    static let idle: TimeAmount = .seconds(20)
    /// The timeout of a request's headers, from the opening of the connection or from their first byte.
    static let headTimeout: TimeAmount = .seconds(5)
    /// The timeout of a request's body, from the end of its headers.
    static let requestTimeout: TimeAmount = .seconds(10)
    /// The interval at which ``UnreadResponses`` checks that a peer reads its answers; a stalled connection
    /// ends after one to two intervals.
    static let readTimeout: TimeAmount = .seconds(15)
    /// The maximum number of connections, if the limit of descriptors permits it.
    private static let connectionsAtMost = 4_096
    /// The descriptors reserved for sockets to the fleet, files, and connections that are closing.
    private static let otherDescriptors = 128
    /// The descriptors that a gateway needs at least: its own, and 16 connections.
    static let neededDescriptors = otherDescriptors + 16
    /// The maximum number of closing connections whose places others have taken.
    static let closingConnections = 32

    static func connections(descriptors: Int) -> Int {
        min(connectionsAtMost, descriptors - otherDescriptors)
    }

    /// The maximum number of connections of one address: half, so that it cannot exclude all others.
    static func perAddress(of connections: Int) -> Int { connections / 2 }

    static var http1: HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            idleTimeout: idle,
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: headerBytes, maxHeaderListSize: headerBytes, maxHeaderFieldCount: headers)
        )
    }
}

extension Request {
    /// Returns the bytes of the body; ``WholeRequests`` has already rejected larger ones.
    func bodyBytes() async throws -> [UInt8] {
        Array(try await body.collect(upTo: WebLimits.bodyBytes).readableBytesView)
    }

    /// Decodes the JSON of the body; nil if it is malformed.
    func form<Form: Decodable>(_ type: Form.Type = Form.self) async throws -> Form? {
        let body = Data(try await bodyBytes())
        return try? JSONDecoder().decode(type, from: body)
    }
}

/// The sources of log-ins through the gateway, for the controller's delays after failed attempts. A log-in
/// sets a cookie with a mark for the user's email address. A browser with a mark is a separate source, so
/// wrong passwords from the same network do not delay it. Only a log-in creates a mark.
struct LoginSources: Sendable {
    private static let markDays = 365

    private let proxies: [IPNetwork]
    private let isSecure: Bool
    private let key: [UInt8]

    /// The `X-Forwarded-For` of the proxies is trusted.
    init(trusting proxies: [IPNetwork], isSecure: Bool) {
        (self.proxies, self.isSecure) = (proxies, isSecure)
        var key = [UInt8](repeating: 0, count: Int(crypto_auth_KEYBYTES))
        randombytes_buf(&key, key.count)
        self.key = key
    }

    /// Returns the network source of a request; nil if the system does not report the peer's address.
    func source(of request: Request, _ context: GatewayContext) -> LoginSource? {
        guard let peer = context.address.flatMap({ IPAddress($0) }) else { return nil }
        let forwarded = request.headers[values: .forwardedFor]
        let client = IPAddress.client(behind: peer, forwarded: forwarded, trusting: proxies)
        return LoginSource((client.site.map { "\($0) " } ?? "") + client.subscriber)
    }

    /// Returns the source of a log-in with an email address: the browser's mark, or the network source.
    func source(of request: Request, _ context: GatewayContext, for email: Email) -> LoginSource? {
        let mark = mark(of: email)
        guard let shown = request.cookies[cookieName]?.value, Access.isSame(shown, as: mark) else {
            return source(of: request, context)
        }
        return LoginSource("browser-\(mark.prefix(32))")
    }

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
