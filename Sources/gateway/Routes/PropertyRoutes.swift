import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import Wording

/// The account's sites and the current user, under the paths that front ends for property management use.
struct PropertyRoutes: Sendable {
    let access: any DeskAccess
    let client: FleetClient

    func add(to router: Router<GatewayContext>) {
        router.get("api/property/list", use: list)
        router.get("auth/current-user", use: user)
        for path: RouterPath in ["api/property/list", "auth/current-user"] {
            router.on(path, method: .options) { request, _ in
                CrossOrigin.preflight(request.uri.path, [.get])
            }
        }
    }

    /// Answers with a page of the sites, ordered by name; the first page is 0.
    @Sendable private func list(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await access.visitor(request)
        let query = FormFields(request.uri.query ?? "")
        let account = visitor.session.account.name
        if let wanted = query["accountId"], !wanted.isEmpty, wanted != account {
            throw HTTPError(.forbidden, message: "accountId: only your own account, \(account), is listed")
        }
        let page: SitesPage
        do throws(APIError) {
            page = try SitesPage(query, firstPage: 0)
        } catch {
            throw HTTPError(.badRequest, message: error.message)
        }
        return try await SiteRoutes.list(page, of: visitor, client)
    }

    /// Answers with the current user.
    @Sendable private func user(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let session = try await access.visitor(request).session
        return Answer.json([
            "email": .string(session.email.address), "role": .string(session.role.name),
            "account": .string(session.account.name),
        ])
    }
}
