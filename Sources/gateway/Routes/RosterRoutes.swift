import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import Stepping

/// The roster of the account, as the page and programs read it.
struct RosterRoutes: Sendable {
    let access: any DeskAccess
    let client: FleetClient
    /// Tells the time.
    let clock: @Sendable () -> Moment

    func add(to router: some RouterMethods<GatewayContext>) {
        router.get("roster", use: show)
    }

    /// The roster, with the shifts that have not ended and begin within some days.
    @Sendable private func show(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await access.visitor(request)
        let window: RosterWindow
        do throws(APIError) {
            window = try RosterWindow(FormFields(request.uri.query ?? ""))
        } catch {
            throw HTTPError(.badRequest, message: error.message)
        }
        let now = clock().wall
        return try await ControllerAnswer.json(absence: "There is no roster.") {
            () async throws(FleetError) in
            let (roster, plan) = try await client.roster(
                from: now, until: window.end(from: now), as: visitor.credentials)
            return RosterAnswer.json(roster, plan, at: now)
        }
    }
}
