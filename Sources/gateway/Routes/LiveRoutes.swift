import FleetClient
import GatewayCore
import HTTPTypes
import Hummingbird
import NIOCore

/// What changes, as a stream of server-sent events.
struct LiveRoutes: Sendable {
    /// Heartbeats between two looks whether the session still stands.
    private static let beatsBetweenLooks = 3

    let page: PageAccess

    func add(to router: Router<GatewayContext>) {
        router.get("page/live", use: listen)
    }

    @Sendable private func listen(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await page.visitor(request)
        let position = request.headers[.lastEventID].flatMap(ServerSentEvent.position)
        let batches = await visitor.mirror.listen(after: position)
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                var beats = 0
                for await batch in batches {
                    try await writer.write(ByteBuffer(bytes: batch))
                    guard batch == ServerSentEvent.heartbeat else { continue }
                    beats += 1
                    if beats % Self.beatsBetweenLooks == 0, await !stillStands(visitor) { break }
                }
                try await writer.finish(nil)
            })
    }

    /// Whether the session that listens has not ended; a controller that is away ends none.
    private func stillStands(_ visitor: Access.Visitor) async -> Bool {
        do throws(Access.Refused) {
            _ = try await page.access.visitor(with: visitor.credentials.token)
            return true
        } catch {
            if case .unavailable = error { return true }
            return false
        }
    }
}
