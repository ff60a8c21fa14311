import FleetProtocol
import GatewayCore
import Hummingbird
import Synchronization
import UserText

/// Records the requests of Sensibo's API for the assertions of a test.
final class RequestJournal: RouterMiddleware {
    private let state = Mutex((requests: RecordedRequests(), unanswered: 0, test: 0))
    private let clock: @Sendable () -> Moment

    init(clock: @escaping @Sendable () -> Moment) { self.clock = clock }

    func matching(_ pattern: RequestPattern) -> JSONObject {
        state.withLock { $0.requests.json(matching: pattern) + ["unanswered": $0.unanswered] }
    }

    /// Forgets the requests, also those that are not answered yet.
    func removeAll() { state.withLock { $0 = (RecordedRequests(), 0, $0.test + 1) } }

    @concurrent
    func handle(_ request: Request, context: GatewayContext, next: Next) async throws -> Response {
        guard CrossOrigin.isShared(request.uri.path) else { return try await next(request, context) }
        var request = request
        let body = try await request.collectBody(upTo: WebLimits.bodyBytes)
        let time = clock().wall
        let test = state.withLock { state in
            state.unanswered += 1
            return state.test
        }
        do {
            let response = try await next(request, context)
            record(request, Array(body.readableBytesView), Int(response.status.code), at: time, in: test)
            return response
        } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            record(request, Array(body.readableBytesView), Int(status.code), at: time, in: test)
            throw error
        }
    }

    private func record(_ request: Request, _ body: [UInt8], _ status: Int, at time: WallTime, in test: Int) {
        let faults = RequestNote.current?.facts.faults ?? []
        state.withLock { state in
            guard state.test == test else { return }
            state.unanswered -= 1
            state.requests.add { number in
                RecordedRequest(
                    number: number, at: time, method: request.method.rawValue, path: request.uri.path,
                    query: FormFields(request.uri.query ?? ""), body: body, status: status, faults: faults)
            }
        }
    }
}
