import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird

/// The sites of the account, as the page and programs read them.
struct SiteRoutes: Sendable {
    let access: any DeskAccess
    let client: FleetClient

    func add(to router: some RouterMethods<GatewayContext>) {
        router.get("sites", use: list)
        router.get("sites/:site", use: show)
    }

    /// A page of them, by name.
    @Sendable private func list(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await access.visitor(request)
        let wanted: SitesPage
        do throws(APIError) {
            wanted = try SitesPage(FormFields(request.uri.query ?? ""))
        } catch {
            throw HTTPError(.badRequest, message: error.message)
        }
        return try await Self.list(wanted, of: visitor, client)
    }

    /// Answers with a page of an account's sites.
    static func list(
        _ wanted: SitesPage, of visitor: Access.Visitor, _ client: FleetClient
    ) async throws -> Response {
        try await ControllerAnswer.json(absence: "This site doesn’t exist any more.") {
            () async throws(FleetError) in
            let list = try await client.sites(
                page: wanted.page, size: wanted.size, as: visitor.credentials)
            return SitesAnswer.list(list, wanted)
        }
    }

    /// One of them, with its devices.
    @Sendable private func show(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await access.visitor(request)
        guard let id = context.parameters.get("site").flatMap({ SiteID($0) }) else {
            return Answer.page("This site doesn’t exist any more.", status: .notFound)
        }
        return try await ControllerAnswer.json(absence: "This site doesn’t exist any more.") {
            () async throws(FleetError) in
            let report = try await client.site(.id(id), as: visitor.credentials)
            let devices = try await client.devices(
                at: id, SitesAnswer.devicesAtMost, as: visitor.credentials)
            return SitesAnswer.site(report, devices)
        }
    }
}
