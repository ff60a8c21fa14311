import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import Wording

/// Access to paths that both programs and the page read: by an API key if the request has one, otherwise by
/// the page's cookie.
struct AnyAccess: DeskAccess {
    let keys: KeyAccess
    let page: PageAccess

    func visitor(_ request: Request) async throws -> Access.Visitor {
        try await access(for: request).visitor(request)
    }

    func author(_ request: Request) async throws -> Access.Visitor {
        try await access(for: request).author(request)
    }

    private func access(for request: Request) -> any DeskAccess {
        let isKeyShown =
            FormFields(request.uri.query ?? "")["apiKey"] != nil || request.headers[.authorization] != nil
        return isKeyShown ? keys : page
    }
}

/// How whoever asks for what stands around the list of devices is let in: sites, sequences, the roster.
protocol DeskAccess: Sendable {
    /// Whoever asks.
    ///
    /// - Throws: `HTTPError` of status 401 or 403 where nobody knows them; 503 without a controller.
    func visitor(_ request: Request) async throws -> Access.Visitor

    /// Whoever asks, and may change something as far as it depends on how they ask.
    ///
    /// - Throws: As ``visitor(_:)``, and status 403.
    func author(_ request: Request) async throws -> Access.Visitor
}

/// How programs are let in: by a key in `apiKey=`, or by what follows `Authorization: Bearer`.
///
/// No browser sends either by itself, so nothing has to show besides that the request is meant.
struct KeyAccess: DeskAccess {
    let access: Access

    func visitor(_ request: Request) async throws -> Access.Visitor {
        let shown = APICredentials(
            apiKey: FormFields(request.uri.query ?? "")["apiKey"],
            authorization: request.headers[.authorization])
        do throws(APIError) {
            return try await visitor(with: shown)
        } catch {
            throw HTTPError(HTTPResponse.Status(code: error.status), message: error.message)
        }
    }

    func author(_ request: Request) async throws -> Access.Visitor { try await visitor(request) }

    /// Whom credentials stand for.
    ///
    /// - Throws: What `credentials` have for a refusal, or `unavailable`.
    func visitor(with credentials: APICredentials) async throws(APIError) -> Access.Visitor {
        let token = try credentials.token()
        do throws(Access.Refused) {
            return try await access.visitor(with: token)
        } catch {
            switch error {
            case .unknown: throw credentials.refusal
            case .unavailable: throw .unavailable
            }
        }
    }
}

/// Refuses requests without an API key or the token of a session, and says whose the others are.
struct KeyNeeded: RouterMiddleware {
    let keys: KeyAccess

    @concurrent
    func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.visitor = try await keys.visitor(request)
        return try await next(request, context)
    }
}

/// How the page's own requests are let in: by a cookie that no script can read, and a proof that the request
/// was made by the page.
struct PageAccess: DeskAccess {
    let access: Access
    /// Whether browsers come over TLS, so that the cookie leaves over nothing else.
    let isSecure: Bool
    /// Who is behind a log-in.
    let sources: LoginSources

    /// The cookie with the token.
    private var cookieName: String { Self.cookieName("sensibus", isSecure: isSecure) }

    /// A cookie's name: over TLS one that browsers take from this host alone, and for all of it.
    static func cookieName(_ name: String, isSecure: Bool) -> String {
        isSecure ? "__Host-\(name)" : name
    }

    /// Whoever has the cookie.
    ///
    /// - Throws: `HTTPError` of status 401 where nobody has, or nobody any more; 503 without a controller.
    func visitor(_ request: Request) async throws -> Access.Visitor {
        guard let text = request.cookies[cookieName]?.value else { throw HTTPError(.unauthorized) }
        do throws(Access.Refused) {
            return try await access.visitor(with: text)
        } catch {
            switch error {
            case .unknown: throw HTTPError(.unauthorized)
            case .unavailable(let why): throw HTTPError(.serviceUnavailable, message: why)
            }
        }
    }

    /// Whoever has the cookie and may change something: the page itself has to ask.
    ///
    /// - Throws: As ``visitor(_:)``, and status 403 where another page asks.
    func author(_ request: Request) async throws -> Access.Visitor {
        try Self.checkOrigin(of: request)
        let visitor = try await visitor(request)
        guard let proof = request.headers[.csrfToken], Access.isCSRF(proof, of: visitor.credentials.token)
        else { throw HTTPError(.forbidden, message: "the request does not come from the page") }
        return visitor
    }

    /// Refuses what does not say that a page of the gateway's own origin sends it: ``OwnOrigin`` has refused
    /// all that says otherwise.
    ///
    /// - Throws: `HTTPError` of status 403.
    static func checkOrigin(of request: Request) throws {
        guard request.headers[.origin] != nil, request.headers[.fetchSite] ?? "same-origin" == "same-origin"
        else { throw HTTPError(.forbidden, message: "the request comes from another page") }
    }

    /// The answer to somebody who has come in: who they are, with the cookie that shows it from now on.
    func letIn(_ session: Session, _ token: Token) -> Response {
        var response = Answer.json(Self.json(session, token))
        response.setCookie(cookie(for: token))
        response.setCookie(sources.cookie(of: session.email))
        return response
    }

    /// Whose a session is, with the proof that the page shows of its token.
    static func json(_ session: Session, _ token: Token) -> JSONValue {
        [
            "email": .string(session.email.address), "role": .string(session.role.name),
            "account": .string(session.account.name), "csrf": .string(Access.csrf(of: token)),
        ]
    }

    /// The cookie of a session; it ends with the browser.
    func cookie(for token: Token) -> Cookie {
        Cookie(
            name: cookieName, value: token.bytes.hexadecimal, path: "/", secure: isSecure, httpOnly: true,
            sameSite: .strict)
    }

    /// What makes a browser forget the cookie.
    var noCookie: Cookie {
        Cookie(
            name: cookieName, value: "", maxAge: 0, path: "/", secure: isSecure, httpOnly: true,
            sameSite: .strict)
    }
}
