import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import NIOCore

/// The route of the page's live stream of changes, as server-sent events.
struct LiveRoutes: Sendable {
    /// The interval between two checks that the listener's session is valid; between them messages are sent
    /// unchecked.
    private static let lookInterval: Duration = .milliseconds(500)

    let page: PageAccess
    let clock: @Sendable () -> Moment

    func add(to router: Router<GatewayContext>) { router.get("page/live", use: listen) }

    @Sendable private func listen(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await page.caller(request)
        let firstLook = clock().monotonic
        // A browser that reconnects sends its position in a header; a page that opens a stream, in the query.
        let place = request.headers[.lastEventID] ?? request.uri.queryParameters["after"].map { String($0) }
        let position = place.flatMap(ServerSentEvent.position)
        let batches = await caller.replica.listen(after: position, in: caller.credentials.token)
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                var lastLook = firstLook
                for await batch in batches {
                    let now = clock().monotonic
                    if lastLook.duration(to: now) >= Self.lookInterval {
                        guard await stillStands(caller) else { break }
                        lastLook = now
                    }
                    try await writer.write(ByteBuffer(bytes: batch))
                }
                try await writer.finish(nil)
            })
    }

    /// Whether the listener's session is valid; without a controller it counts as valid.
    private func stillStands(_ caller: Access.Caller) async -> Bool {
        // A request without a connection would delay for seconds the message that the controller is away.
        guard await caller.client.isConnected else { return true }
        do throws(Access.Refused) {
            _ = try await page.access.caller(
                with: CellToken(caller.credentials.token, in: caller.session.cell))
            return true
        } catch {
            if case .unavailable = error { return true }
            return false
        }
    }
}
