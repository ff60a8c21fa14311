import GatewayCore
import HTTPTypes
import Hummingbird

/// Lets pages of any origin read answers of the API, and send requests to it (CORS).
///
/// What they send is let in by a key that they name, never by a cookie: browsers show no credentials where any
/// origin is allowed, and no route below these paths changes anything by a cookie.
struct CrossOrigin: RouterMiddleware {
    /// How long a browser remembers what it may send, in seconds.
    private static let preflightSeconds = 600
    /// What a request may say besides what browsers let every page say.
    private static let requestHeaders = "Accept, Authorization, Content-Type, Idempotency-Key"

    /// Whether pages of other origins may ask for a path.
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

    /// The answer to what a browser asks before it sends a request of another origin, or any OPTIONS.
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
