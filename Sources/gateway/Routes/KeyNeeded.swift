import Hummingbird

/// Refuses requests without an API key or the token of a session.
struct KeyNeeded: RouterMiddleware {
    let keys: KeyAccess

    @concurrent
    func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        _ = try await keys.visitor(request)
        return try await next(request, context)
    }
}
