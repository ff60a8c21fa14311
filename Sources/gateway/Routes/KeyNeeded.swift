import Hummingbird

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
