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
            throw APIError(error, to: credentials)
        }
    }
}

extension APIError {
    /// The API error for credentials that were not verified.
    init(_ refused: Access.Refused, to credentials: APICredentials) {
        switch refused {
        case .unknown: self = credentials.refusal
        case .unavailable: self = .unavailable
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

/// The routes of an account service.
protocol ServiceRoutes: Sendable {
    /// The message for a request about something that the account does not have.
    static var absence: String { get }

    func add(to routes: ServiceRouter)
}

/// Adds the routes of an account service with one kind of authentication.
struct ServiceRouter {
    let access: any ServiceAccess
    let router: RouterGroup<GatewayContext>
    let absence: String

    /// Adds routes of services, with the authentication of programs or of the page.
    static func add(
        _ services: [any ServiceRoutes], for access: any ServiceAccess,
        to router: RouterGroup<GatewayContext>
    ) {
        for service in services {
            service.add(to: ServiceRouter(access: access, router: router, absence: type(of: service).absence))
        }
    }

    /// Adds a route that answers a caller with JSON; a request that changes something must come from the page
    /// or a program, not from another page.
    func on(
        _ method: HTTPRequest.Method, _ path: RouterPath,
        _ answer: @escaping @Sendable (ServiceCall) async throws -> JSONObject
    ) {
        router.on(path, method: method) { [access, absence] request, context in
            let caller = try await method == .get ? access.caller(request) : access.author(request)
            let call = ServiceCall(
                request: request, parameters: context.parameters, caller: caller, absence: absence)
            return try await ControllerResponse.json(absence: absence) { try await answer(call) }
        }
    }
}

/// A request to an account service, and the user who sends it.
struct ServiceCall: Sendable {
    let request: Request
    let parameters: Parameters
    let caller: Access.Caller
    fileprivate let absence: String

    /// The account services, for the caller.
    var services: ServiceCaller { caller.services }

    var query: FormFields { FormFields(request.uri.query ?? "") }

    /// Returns a parameter of the path.
    ///
    /// - Throws: `HTTPError` of status 404, with the given message or else that of the service, for a text
    ///   that is none.
    func parameter<Value>(
        _ name: String, or message: String? = nil, _ read: (String) -> Value?
    ) throws -> Value {
        guard let value = parameters.get(name).flatMap(read) else {
            throw HTTPError(.notFound, message: message ?? absence)
        }
        return value
    }
}
