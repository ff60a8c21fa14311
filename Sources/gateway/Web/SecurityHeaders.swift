import HTTPTypes
import Hummingbird

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
