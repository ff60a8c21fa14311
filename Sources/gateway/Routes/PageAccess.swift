import FleetClient
import FleetProtocol
import HTTPTypes
import Hummingbird
import Wording

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
