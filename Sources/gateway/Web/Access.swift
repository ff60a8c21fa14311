import CSodium
import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird

/// Who a request is from.
///
/// The gateway keeps no sessions: a browser's cookie, a Bearer token and an API key are each what the
/// controller knows, and it is asked with every request. So whatever ends there ends here at once. For
/// those who came before, what they want is begun while the controller is being asked, which saves a round
/// trip; nothing is answered before it has said who they are.
struct Access: Sendable {
    /// Whoever asks, and how the controller knows.
    struct Visitor: Sendable {
        let session: Session
        let credentials: Credentials
        let mirror: FleetMirror
    }

    /// Why nobody is let in.
    enum Refused: Error {
        /// The controller does not know the token.
        case unknown
        /// The controller cannot be asked; why, in words.
        case unavailable(String)
    }

    /// How long the controller may take to say who it is.
    private static let patience: Duration = .seconds(2)

    let client: FleetClient
    let mirrors: FleetMirrors
    private let known = KnownVisitors()

    init(client: FleetClient, mirrors: FleetMirrors) {
        self.client = client
        self.mirrors = mirrors
    }

    /// Whom a token stood for when the controller was asked last; nil where it never was.
    ///
    /// Nothing may be told them before ``visitor(with:)-(Token)`` has found that it is still so.
    func formerVisitor(with token: Token) -> Visitor? { known.visitor(with: token) }

    /// Whom a text of 64 hexadecimal digits stands for.
    ///
    /// - Throws: ``Refused``.
    func visitor(with text: String) async throws(Refused) -> Visitor {
        guard let token = Token(hexadecimal: text) else { throw .unknown }
        return try await visitor(with: token)
    }

    /// Whom a token stands for.
    ///
    /// - Throws: ``Refused``.
    func visitor(with token: Token) async throws(Refused) -> Visitor {
        let session: Session
        do throws(FleetError) {
            session = try await client.who(has: token, patience: Self.patience)
        } catch {
            if case .refused(.unauthenticated) = error {
                known.forget(token)
                throw .unknown
            }
            throw .unavailable(error.description)
        }
        let credentials = Credentials(user: session.email, token: token)
        // The mirror goes on after the visitor has left, which must not keep the session from ending.
        guard let mirror = await mirrors.mirror(of: session.account, as: credentials.unattended) else {
            throw .unavailable(
                "the gateway serves \(MirrorPlaces.withDevices) accounts already, all of them in use: "
                    + "try again in a minute")
        }
        let visitor = Visitor(session: session, credentials: credentials, mirror: mirror)
        known.note(visitor)
        return visitor
    }

    /// What the page shows with whatever changes something: nobody but who has the cookie's token can make
    /// it.
    ///
    /// It is a keyed hash of a fixed text, so it tells nothing of the token.
    static func csrf(of token: Token) -> String {
        let text = Array("sensibus page".utf8)
        var hash = [UInt8](repeating: 0, count: Int(crypto_auth_BYTES))
        crypto_auth(&hash, text, UInt64(text.count), token.bytes)
        return hash.hexadecimal
    }

    /// Whether that is the token's; it takes as long whatever it is.
    static func isCSRF(_ text: String, of token: Token) -> Bool { isSame(text, as: csrf(of: token)) }

    /// Whether two texts are the same; it takes as long for any two of one length.
    static func isSame(_ text: String, as other: String) -> Bool {
        let (given, right) = (Array(text.utf8), Array(other.utf8))
        return given.count == right.count && sodium_memcmp(given, right, right.count) == 0
    }
}

/// Who can reach the gateway, and by which names.
struct Exposure: Sendable {
    /// Whether browsers come over TLS.
    let isSecure: Bool
    /// Whether it is reached from this machine alone.
    let isLocal: Bool
    /// The names by which it may be asked.
    let hosts: AllowedHosts
    /// The peers whose `X-Forwarded-For` is believed.
    let trustedProxies: [IPNetwork]
}

/// Refuses requests for a host name that is not the gateway's, and changes that a page of another origin
/// sends to a path that accepts a cookie.
struct OwnOrigin: RouterMiddleware {
    let hosts: AllowedHosts

    @concurrent
    func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        guard let authority = request.head.authority, hosts.allows(authority) else {
            throw HTTPError(
                .misdirectedRequest,
                message: "unknown name in Host. Use the gateway's address, or start it with --public-name.")
        }
        if ![.get, .head, .options].contains(request.method), !CrossOrigin.isShared(request.uri.path),
            isForeign(request, to: authority)
        {
            throw HTTPError(.forbidden, message: "the request comes from another page")
        }
        return try await next(request, context)
    }

    /// Whether a browser says that another page has sent it; programs say nothing.
    private func isForeign(_ request: Request, to authority: String) -> Bool {
        // `none` is a user who typed an address.
        if let site = request.headers[.fetchSite], site != "same-origin", site != "none" { return true }
        guard let origin = request.headers[.origin] else { return false }
        return origin != "http://\(authority)" && origin != "https://\(authority)"
    }
}

extension HTTPResponse.Status {
    fileprivate static var misdirectedRequest: HTTPResponse.Status {
        HTTPResponse.Status(code: 421, reasonPhrase: "Misdirected Request")
    }
}

/// Allows pages of any origin to send requests to the API and to read its answers (CORS).
///
/// Such requests are authenticated by an API key, never by a cookie: browsers send no cookies where any
/// origin is allowed, and no route below these paths accepts a cookie for a change.
struct CrossOrigin: RouterMiddleware {
    /// How long a browser may cache the answer to a preflight request, in seconds.
    private static let preflightSeconds = 600
    /// Headers that a request may have in addition to those that browsers always allow.
    private static let requestHeaders = "Accept, Authorization, Content-Type, Idempotency-Key"

    /// Whether pages of other origins may request a path.
    static func isShared(_ path: String) -> Bool { path.hasPrefix("/api/") || path.hasPrefix("/auth/") }

    @concurrent
    func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        guard Self.isShared(request.uri.path) else { return try await next(request, context) }
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
        }
        response.headers[.accessControlAllowOrigin] = "*"
        response.headers[.accessControlExposeHeaders] = "Retry-After"
        return response
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

/// What browsers are told of everything that the gateway serves, errors among it.
struct SecurityHeaders: RouterMiddleware {
    /// Nothing but what the gateway itself serves, and nothing written into the page.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
        font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'
        """

    /// A year, in which browsers come over TLS alone.
    private static let strictTransport = "max-age=31536000"

    /// Whether browsers come over TLS.
    let isSecure: Bool

    @concurrent
    func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as any HTTPResponseError {
            response = try error.response(from: request, context: context)
        }
        response.headers[.contentSecurityPolicy] = Self.policy
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "no-referrer"
        response.headers[.crossOriginResourcePolicy] = "same-origin"
        if isSecure { response.headers[.strictTransportSecurity] = Self.strictTransport }
        // Whoever writes a link must not learn who has looked at it.
        response.headers[.dnsPrefetchControl] = "off"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return response
    }
}

extension HTTPField.Name {
    static let referrerPolicy = known("Referrer-Policy")
    static let crossOriginResourcePolicy = known("Cross-Origin-Resource-Policy")
    static let dnsPrefetchControl = known("X-DNS-Prefetch-Control")
    static let csrfToken = known("X-CSRF-Token")
    static let forwardedFor = known("X-Forwarded-For")
    static let lastEventID = known("Last-Event-ID")
    static let fetchSite = known("Sec-Fetch-Site")
    static let idempotencyKey = known("Idempotency-Key")
    static let totalCount = known("X-Total-Count")
    static let serviceWorkerAllowed = known("Service-Worker-Allowed")
    static let sensibusRelease = known("Sensibus-Release")

    private static func known(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no name of a field") }
        return name
    }
}
