import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import UserText

/// Access to paths that both programs and the page read: by an API key if the request has one, otherwise by
/// the page's cookie.
struct AnyAccess: ServiceAccess {
    let keys: KeyAccess
    let page: PageAccess

    func caller(_ request: Request) async throws -> Access.Caller {
        try await access(for: request).caller(request)
    }

    func author(_ request: Request) async throws -> Access.Caller {
        try await access(for: request).author(request)
    }

    private func access(for request: Request) -> any ServiceAccess {
        let isKeyShown =
            FormFields(request.uri.query ?? "")["apiKey"] != nil || request.headers[.authorization] != nil
        return isKeyShown ? keys : page
    }
}

/// The authentication of requests for sites, command queues and the roster.
protocol ServiceAccess: Sendable {
    /// Returns the caller who sends a request; throws status 401 or 403, and 503 without a controller.
    func caller(_ request: Request) async throws -> Access.Caller

    /// Returns the caller who sends a request, if the request is protected against forgery by another page.
    func author(_ request: Request) async throws -> Access.Caller
}

/// The authentication of programs: by a key in `apiKey=`, or by a token in `Authorization: Bearer`. Browsers
/// attach neither of them automatically, so these requests need no CSRF token.
struct KeyAccess: ServiceAccess {
    let access: Access

    func caller(_ request: Request) async throws -> Access.Caller {
        let shown = APICredentials(
            apiKey: FormFields(request.uri.query ?? "")["apiKey"],
            authorization: request.headers[.authorization])
        do throws(APIError) {
            return try await caller(with: shown)
        } catch {
            throw HTTPError(HTTPResponse.Status(code: error.status), message: error.message)
        }
    }

    func author(_ request: Request) async throws -> Access.Caller { try await caller(request) }

    func caller(with credentials: APICredentials) async throws(APIError) -> Access.Caller {
        let token = try credentials.token()
        do throws(Access.Refused) {
            return try await access.caller(with: token)
        } catch {
            switch error {
            case .unknown: throw credentials.refusal
            case .unavailable: throw .unavailable
            }
        }
    }
}

/// Refuses requests without a valid API key or session token, and adds the caller to the context of others.
struct KeyNeeded: RouterMiddleware {
    let keys: KeyAccess

    @concurrent
    func handle(_ request: Request, context: GatewayContext, next: Next) async throws -> Response {
        var context = context
        context.caller = try await keys.caller(request)
        return try await next(request, context)
    }
}

/// The authentication of the page's own requests: by a cookie that scripts cannot read and, for changes, by a
/// CSRF token.
struct PageAccess: ServiceAccess {
    let access: Access
    /// Whether browsers connect over TLS, which makes the cookies `Secure`.
    let isSecure: Bool
    let sources: LoginSources

    private var cookieName: String { Self.cookieName("sensibus", isSecure: isSecure) }

    /// A cookie's name; over TLS the prefix `__Host-` binds it to this host, whatever the path.
    static func cookieName(_ name: String, isSecure: Bool) -> String { isSecure ? "__Host-\(name)" : name }

    /// Returns the caller whose session token is in the cookie.
    func caller(_ request: Request) async throws -> Access.Caller {
        guard let text = request.cookies[cookieName]?.value else { throw HTTPError(.unauthorized) }
        do throws(Access.Refused) {
            return try await access.caller(with: text)
        } catch {
            switch error {
            case .unknown: throw HTTPError(.unauthorized)
            case .unavailable(let why): throw HTTPError(.serviceUnavailable, message: why)
            }
        }
    }

    /// Returns the caller whose token is in the cookie, after checks of the origin and the CSRF token.
    func author(_ request: Request) async throws -> Access.Caller {
        try Self.checkOrigin(of: request)
        let caller = try await caller(request)
        guard let proof = request.headers[.csrfToken], Access.isCSRF(proof, of: caller.credentials.token)
        else { throw HTTPError(.forbidden, message: "request refused: it does not come from the page") }
        return caller
    }

    /// Refuses requests without `Origin`, or with a `Sec-Fetch-Site` other than `same-origin`. ``OwnOrigin``
    /// has already refused foreign values of `Origin`.
    static func checkOrigin(of request: Request) throws {
        guard request.headers[.origin] != nil, request.headers[.fetchSite] ?? "same-origin" == "same-origin"
        else { throw HTTPError(.forbidden, message: "request refused: it comes from another site") }
    }

    /// The answer to a log-in: the session as JSON, with its cookie and the browser's mark.
    func loginResponse(_ session: Session, _ token: Token) -> Response {
        var response = WebResponse.json(Self.json(session, token))
        response.setCookie(cookie(for: CellToken(token, in: session.cell)))
        response.setCookie(sources.cookie(of: session.email))
        return response
    }

    /// A session as JSON, with the CSRF token that the page sends with changes.
    static func json(_ session: Session, _ token: Token) -> JSONObject {
        [
            "email": session.email.address, "role": session.role.name, "account": session.account.name,
            "csrf": Access.csrf(of: token),
        ]
    }

    /// The cookie of a session, which browsers delete when they close; nil: they delete it at once.
    func cookie(for token: CellToken?) -> Cookie {
        Cookie(
            name: cookieName, value: token?.text ?? "", maxAge: token == nil ? 0 : nil, path: "/",
            secure: isSecure, httpOnly: true, sameSite: .strict)
    }
}
