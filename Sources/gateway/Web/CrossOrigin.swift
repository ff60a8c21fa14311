import GatewayCore
import HTTPTypes
import Hummingbird

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
