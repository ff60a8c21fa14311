import CSodium
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird

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
