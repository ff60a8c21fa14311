import FleetProtocol
import GatewayCore
import Hummingbird
import Synchronization
import UserText

/// Records the requests of Sensibo's API for the assertions of a test.
final class RequestJournal: RouterMiddleware {
    private let requests = Mutex(RecordedRequests())
    private let clock: @Sendable () -> Moment

    init(clock: @escaping @Sendable () -> Moment) { self.clock = clock }

    func matching(_ pattern: RequestPattern) -> JSONObject {
        requests.withLock { $0.json(matching: pattern) }
    }

    func removeAll() { requests.withLock { $0.removeAll() } }

    @concurrent
    func handle(_ request: Request, context: GatewayContext, next: Next) async throws -> Response {
        guard CrossOrigin.isShared(request.uri.path) else { return try await next(request, context) }
        var request = request
        let body = try await request.collectBody(upTo: WebLimits.bodyBytes)
        let time = clock().wall
        do {
            let response = try await next(request, context)
            record(request, Array(body.readableBytesView), Int(response.status.code), at: time)
            return response
        } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            record(request, Array(body.readableBytesView), Int(status.code), at: time)
            throw error
        }
    }

    private func record(_ request: Request, _ body: [UInt8], _ status: Int, at time: WallTime) {
        let faults = RequestNote.current?.facts.faults ?? []
        requests.withLock { requests in
            requests.add { number in
                RecordedRequest(
                    number: number, at: time, method: request.method.rawValue, path: request.uri.path,
                    query: FormFields(request.uri.query ?? ""), body: body, status: status, faults: faults)
            }
        }
    }
}
