import GatewayCore
import HTTPTypes
import Hummingbird
import Stepping
import Synchronization

/// Counts what is asked and answered.
final class RequestMeter: RouterMiddleware, Sendable {
    private let metrics = Mutex(RequestMetrics())
    private let clock: @Sendable () -> Moment

    init(clock: @escaping @Sendable () -> Moment) {
        self.clock = clock
    }

    /// Tells all that was counted.
    func write(to text: inout MetricsText) {
        let counted = metrics.withLock { $0 }
        counted.write(to: &text)
    }

    @concurrent
    func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        let start = clock().monotonic
        do {
            let response = try await next(request, context)
            note(request, context, response.status, since: start)
            return response
        } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            note(request, context, status, since: start)
            throw error
        }
    }

    private func note(
        _ request: Request, _ context: GatewayContext, _ status: HTTPResponse.Status,
        since start: MonotonicTime
    ) {
        let duration = start.duration(to: clock().monotonic)
        // All of Sensibo's API is one path to the router.
        let route = APIRoute(path: request.uri.path)?.pattern ?? context.endpointPath
        metrics.withLock {
            $0.note(method: request.method.rawValue, route: route, status: status.code, in: duration)
        }
    }
}
