import CSodium
import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import Synchronization
import UserText

/// The authentication of requests by the controller.
///
/// The gateway has no sessions of its own. A browser's cookie, a Bearer token and an API key are tokens of
/// the controller, which verifies the token of each request, so a revoked one is refused at once. A change
/// with a known token is sent without a verification, which saves a round trip: its command is one. The
/// gateway sends no answer before the controller has confirmed the token.
struct Access: Sendable {
    struct Caller: Sendable {
        let session: Session
        let credentials: Credentials
        let replica: AccountReplica

        var client: FleetClient { replica.client }

        /// The account services, for the user.
        var services: ServiceCaller { client.services(as: credentials) }
    }

    enum Refused: Error {
        case unknown
        /// The controller did not answer, or the gateway has no room for the account; with a message.
        case unavailable(String)
    }

    /// The timeout of the controller's answer.
    private static let timeout: Duration = .seconds(2)

    let cells: CellClients
    let replicas: AccountReplicas
    private let known = CallerCache()
    private let verifications = SharedVerifications()

    /// Returns the caller that the controller last reported for a token; nil for an unknown token. Only an
    /// answer of the controller to this caller, or ``caller(with:)-(CellToken)``, confirms the token.
    func formerCaller(with token: Token) -> Caller? { known.caller(with: token) }

    func caller(with text: String) async throws(Refused) -> Caller {
        guard let token = CellToken(text) else { throw .unknown }
        return try await caller(with: token)
    }

    func caller(with shown: CellToken) async throws(Refused) -> Caller {
        let result = await withCheckedContinuation { waiting in
            verify(shown) { waiting.resume(returning: $0) }
        }
        let caller = try result.get()
        RequestNote.current?.identify(caller.session.email)
        return caller
    }

    /// Calls a handler with the caller of a token, as the controller knows it after this call.
    func verify(_ shown: CellToken, then handle: @escaping @Sendable (SharedVerifications.Result) -> Void) {
        verifications.verify(
            shown,
            by: { shown in
                do throws(Refused) {
                    return .success(try await verifiedCaller(with: shown))
                } catch {
                    return .failure(error)
                }
            }, then: handle)
    }

    /// Requests the caller of a token from the controller.
    private func verifiedCaller(with shown: CellToken) async throws(Refused) -> Caller {
        let token = shown.token
        let (client, cell, session) = try await session(of: token, in: await cells.cell(of: shown.cell))
        // A controller speaks for its own cell only.
        guard cell == nil || session.cell == cell else { throw .unknown }
        let credentials = Credentials(user: session.email, token: token)
        // The replica outlives the caller's requests, and its requests must not extend the session.
        let replica = await replicas.replica(
            of: session.account, in: cell, as: credentials.unattended, with: client)
        guard let replica else {
            throw .unavailable(
                "too many accounts: \(ReplicaSlots.withDevices) are in use at this gateway. "
                    + "Try again in a minute")
        }
        let caller = Caller(session: session, credentials: credentials, replica: replica)
        known.store(caller)
        return caller
    }

    /// Requests the session of a token from the controller of a cell, or of the one that it names because the
    /// account was moved.
    private func session(
        of token: Token, in shown: CellName?
    ) async throws(Refused) -> (client: FleetClient, cell: CellName?, session: Session) {
        var cell = shown
        for _ in 0...CellClients.mostMoves {
            guard let client = await cells.client(of: cell) else {
                if let cell, await cells.isListed(cell) {
                    throw .unavailable("Cell \(cell) cannot be reached from here. Ask the operator.")
                }
                throw .unknown
            }
            do throws(FleetError) {
                return (client, cell, try await client.who(has: token, timeout: Self.timeout))
            } catch {
                if error.isAboutToken { known.remove(token) }
                switch error {
                case .refused(.unauthenticated): throw .unknown
                case .refused(.moved(let next)): cell = next
                default: throw .unavailable(error.description)
                }
            }
        }
        throw .unavailable("The cells do not agree where the account is. Try again.")
    }

    /// Returns the CSRF token that the page sends with changes; only the cookie's token yields it. It is a
    /// keyed hash of a fixed text, so it does not reveal the token.
    static func csrf(of token: Token) -> String {
        let text = Array("sensibus page".utf8)
        var hash = [UInt8](repeating: 0, count: Int(crypto_auth_BYTES))
        crypto_auth(&hash, text, UInt64(text.count), token.bytes)
        return hash.hexadecimal
    }

    /// Whether a text is the CSRF token of a token; compares in constant time.
    static func isCSRF(_ text: String, of token: Token) -> Bool { isSame(text, as: csrf(of: token)) }

    /// Whether two texts are equal; the time depends on their lengths alone.
    static func isSame(_ text: String, as other: String) -> Bool {
        let (given, right) = (Array(text.utf8), Array(other.utf8))
        return given.count == right.count && sodium_memcmp(given, right, right.count) == 0
    }
}

/// The reachability of the gateway: TLS, host names and trusted proxies.
struct Exposure: Sendable {
    let isSecure: Bool
    let isLocal: Bool
    let hosts: AllowedHosts
    let trustedProxies: [IPNetwork]
}

/// Refuses requests for a host name that is not the gateway's, and changes that a page of another origin
/// sends to a path that accepts a cookie.
final class OwnOrigin: Sendable {
    private let hosts: AllowedHosts
    /// The last allowed value of `Host`: almost all requests have the same one.
    private let lastAllowed = Mutex<String?>(nil)

    init(hosts: AllowedHosts) { self.hosts = hosts }

    func check(_ request: HTTPRequest) throws(HTTPError) {
        let authority = try allowedAuthority(request.authority)
        if ![.get, .head, .options].contains(request.method), !CrossOrigin.isShared(request.path ?? ""),
            isForeign(request, to: authority)
        {
            throw HTTPError(.forbidden, message: "request refused: it comes from another site")
        }
    }

    /// Returns the value of `Host` if the gateway answers requests for it.
    private func allowedAuthority(_ authority: String?) throws(HTTPError) -> String {
        if let authority, lastAllowed.withLock({ $0 == authority }) { return authority }
        guard let authority, AllowedHosts.host(of: authority) != nil else {
            throw HTTPError(
                .badRequest, message: "invalid Host: send one name or address, as in the request's URI")
        }
        guard hosts.allows(authority) else {
            throw HTTPError(
                .misdirectedRequest,
                message: "unknown name in Host: use the gateway's address, or start it with --public-name")
        }
        lastAllowed.withLock { $0 = authority }
        return authority
    }

    /// Whether a browser's headers show that a page of another origin sent the request; programs send none.
    private func isForeign(_ request: HTTPRequest, to authority: String) -> Bool {
        // Browsers send `none` for an address that the user typed.
        if let site = request.headerFields[.fetchSite], site != "same-origin", site != "none" { return true }
        guard let origin = request.headerFields[.origin] else { return false }
        return origin != "http://\(authority)" && origin != "https://\(authority)"
    }
}

extension HTTPResponse.Status {
    fileprivate static var misdirectedRequest: HTTPResponse.Status {
        HTTPResponse.Status(code: 421, reasonPhrase: "Misdirected Request")
    }
}

/// Allows pages of any origin to send requests to the API and to read its answers (CORS). Such requests are
/// authenticated by an API key, never by a cookie: browsers send no cookies where any origin is allowed, and
/// no route below these paths accepts a cookie for a change.
enum CrossOrigin {
    /// How long a browser may cache the answer to a preflight request, in seconds.
    private static let preflightSeconds = 600
    /// Headers that a request may have in addition to those that browsers always allow.
    private static let requestHeaders = "Accept, Authorization, Content-Type, Idempotency-Key"

    /// Whether pages of other origins may request a path.
    static func isShared(_ path: String) -> Bool { path.hasPrefix("/api/") || path.hasPrefix("/auth/") }

    static func share(_ response: inout Response) {
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.accessControlExposeHeaders] = "Retry-After"
    }

    /// Returns the answer to an OPTIONS request, such as the preflight request of a browser.
    static func preflight(_ path: String, _ methods: [APIRequest.Method]) -> Response {
        let names = (methods.contains(.get) ? methods + [.head] : methods).map(\.rawValue) + ["OPTIONS"]
        let allowed = names.joined(separator: ", ")
        var headers: HTTPFields = [.allow: allowed]
        if isShared(path) {
            headers[.accessControlAllowMethods] = allowed
            headers[.accessControlAllowHeaders] = requestHeaders
            headers[.accessControlMaxAge] = String(preflightSeconds)
        }
        return Response(status: .noContent, headers: headers)
    }
}

extension FleetError {
    /// Whether the controller does not know the token, or no longer has its account.
    fileprivate var isAboutToken: Bool {
        switch self {
        case .refused(.unauthenticated), .refused(.moved): true
        default: false
        }
    }
}
