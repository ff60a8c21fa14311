import GatewayCore
import HTTPTypes
import Hummingbird

/// What holds for all requests: the refusal of those of other sites and of unknown methods, and the headers
/// of their responses, including errors.
struct RequestRules: RouterMiddleware {
    private let origin: OwnOrigin
    private let headers: SecurityHeaders

    init(isSecure: Bool, hosts: AllowedHosts) {
        (origin, headers) = (OwnOrigin(hosts: hosts), SecurityHeaders(isSecure: isSecure))
    }

    @concurrent
    func handle(_ request: Request, context: GatewayContext, next: Next) async throws -> Response {
        let response: Response
        do {
            try check(request.head)
            try KnownMethods.check(request)
            response = try await next(request, context)
        } catch let error as any HTTPResponseError {
            response = WebResponse.error(error, to: request)
        }
        return applied(to: response, for: request.head)
    }

    /// Refuses a request of another site, or for another host.
    func check(_ request: HTTPRequest) throws(HTTPError) { try origin.check(request) }

    /// Returns a response with the headers of all responses.
    func applied(to response: Response, for request: HTTPRequest) -> Response {
        var response = response
        if CrossOrigin.isShared(request.path ?? "") { CrossOrigin.share(&response) }
        headers.add(to: &response)
        return response
    }
}

struct SecurityHeaders {
    /// Allows only resources from the gateway's own origin, and no inline scripts or styles.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
        font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'
        """

    /// Allows no device of the browser's machine.
    private static let permissions = [
        "bluetooth", "camera", "display-capture", "geolocation", "microphone", "midi", "payment", "serial",
        "usb",
    ].map { "\($0)=()" }.joined(separator: ", ")

    /// The headers of all responses; browsers use only TLS for a year if there is TLS. DNS prefetching would
    /// reveal to the server of a linked host that a user views the link.
    private let headers: [HTTPField]

    init(isSecure: Bool) {
        headers =
            [
                HTTPField(name: .contentSecurityPolicy, value: Self.policy),
                HTTPField(name: .xContentTypeOptions, value: "nosniff"),
                HTTPField(name: .referrerPolicy, value: "no-referrer"),
                HTTPField(name: .crossOriginResourcePolicy, value: "same-origin"),
                HTTPField(name: .crossOriginOpenerPolicy, value: "same-origin"),
                HTTPField(name: .permissionsPolicy, value: Self.permissions),
                HTTPField(name: .dnsPrefetchControl, value: "off"),
            ] + (isSecure ? [HTTPField(name: .strictTransportSecurity, value: "max-age=31536000")] : [])
    }

    func add(to response: inout Response) {
        for header in headers { response.headers.append(header) }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    }
}

extension HTTPField.Name {
    static let referrerPolicy = known("Referrer-Policy")
    static let crossOriginResourcePolicy = known("Cross-Origin-Resource-Policy")
    static let crossOriginOpenerPolicy = known("Cross-Origin-Opener-Policy")
    static let permissionsPolicy = known("Permissions-Policy")
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
        guard let name = HTTPField.Name(text) else { preconditionFailure("not a field name: \(text)") }
        return name
    }
}
