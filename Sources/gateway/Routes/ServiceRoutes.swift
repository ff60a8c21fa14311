import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import UserText

struct SiteRoutes: Sendable {
    let access: any ServiceAccess

    func add(to router: some RouterMethods<GatewayContext>) {
        router.get("sites", use: list)
        router.get("sites/:site", use: show)
    }

    /// Answers with a page of the account's sites, sorted by name.
    @Sendable private func list(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await access.caller(request)
        let wanted = try WebResponse.orBadRequest { () throws(APIError) in
            try SitesPage(FormFields(request.uri.query ?? ""))
        }
        return try await Self.list(wanted, of: caller)
    }

    static func list(
        _ wanted: SitesPage, of caller: Access.Caller
    ) async throws -> Response {
        try await ControllerResponse.json(absence: "This site doesn’t exist any more.") {
            () async throws(FleetError) in
            let list = try await caller.client.sites(
                page: wanted.page, size: wanted.size, as: caller.credentials)
            return SitesResponse.list(list, wanted)
        }
    }

    @Sendable private func show(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await access.caller(request)
        guard let id = context.parameters.get("site").flatMap({ SiteID($0) }) else {
            throw HTTPError(.notFound, message: "This site doesn’t exist any more.")
        }
        return try await ControllerResponse.json(absence: "This site doesn’t exist any more.") {
            () async throws(FleetError) in
            let report = try await caller.client.site(.id(id), as: caller.credentials)
            let devices = try await caller.client.devices(
                at: id, SitesResponse.devicesAtMost, as: caller.credentials)
            return SitesResponse.site(report, devices)
        }
    }
}

struct RosterRoutes: Sendable {
    let access: any ServiceAccess
    let clock: @Sendable () -> Moment

    func add(to router: some RouterMethods<GatewayContext>) { router.get("roster", use: show) }

    /// Answers with the roster, and the shifts that have not ended and begin within the requested days.
    @Sendable private func show(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await access.caller(request)
        let window = try WebResponse.orBadRequest { () throws(APIError) in
            try RosterWindow(FormFields(request.uri.query ?? ""))
        }
        let now = clock().wall
        return try await ControllerResponse.json(absence: "This account has no roster.") {
            () async throws(FleetError) in
            let (roster, plan) = try await caller.client.roster(
                from: now, until: window.end(from: now), as: caller.credentials)
            return RosterResponse.json(roster, plan, at: now)
        }
    }
}

/// The logbook, for the page and below the paths of jsonplaceholder's API.
struct LogbookRoutes: Sendable {
    /// The number of posts in an answer to the page.
    private static let pagePosts = 50

    let door: SensiboAPI
    let page: PageAccess

    func add(to router: Router<GatewayContext>) {
        for path: RouterPath in ["posts/**", "comments/**", "users/**", "posts", "comments", "users"] {
            for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] {
                router.on(path, method: method, use: respond)
            }
        }
        router.get("page/posts", use: list)
        router.post("page/posts", use: write)
        router.get("page/posts/:post", use: show)
        router.post("page/posts/:post/comments", use: comment)
    }

    @Sendable private func respond(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let asked = try await APIRequest(request)
        return Response(await door.logbookResponse(asked), to: asked.method)
    }

    /// Answers with the newest posts, or with those before a post.
    @Sendable private func list(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await page.caller(request)
        let before = request.uri.queryParameters["before"].flatMap { UInt64($0) }.map { PostNumber($0) }
        return try await answer { () async throws(FleetError) in
            let (posts, total) = try await caller.client.posts(
                Self.pagePosts, before: before, as: caller.credentials)
            return ["posts": posts.map(\.json), "total": total]
        }
    }

    @Sendable private func show(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await page.caller(request)
        let number = try Self.post(in: context)
        return try await answer { () async throws(FleetError) in
            // The comments are read after the post, so they are never fewer than the number in the post.
            let post = try await caller.client.post(number, as: caller.credentials)
            let comments = try await caller.client.comments(on: number, as: caller.credentials)
            return ["post": post.json, "comments": comments.map(\.json)]
        }
    }

    @Sendable private func write(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await page.author(request)
        let body = try await request.bodyBytes()
        // The page gives each draft a request ID.
        let draft = try WebResponse.orBadRequest { () throws(APIError) in
            try LogbookReader(body, newID: nil).post()
        }
        return try await answer { () async throws(FleetError) in
            try await caller.client.write(draft, as: caller.credentials).json
        }
    }

    @Sendable private func comment(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await page.author(request)
        let number = try Self.post(in: context)
        let body = try await request.bodyBytes()
        let draft = try WebResponse.orBadRequest { () throws(APIError) in
            try LogbookReader(body, newID: nil).comment(on: number)
        }
        return try await answer { () async throws(FleetError) in
            try await caller.client.write(draft, as: caller.credentials).json
        }
    }

    private static func post(in context: GatewayContext) throws -> PostNumber {
        guard let number = context.parameters.get("post").flatMap({ UInt64($0) }),
            number <= Limits.largestOrdinal
        else { throw HTTPError(.notFound, message: "unknown post in the path: expected a post number") }
        return PostNumber(number)
    }

    private func answer(_ work: () async throws(FleetError) -> JSONObject) async throws -> Response {
        try await ControllerResponse.json(absence: "This post or device doesn’t exist.", work)
    }
}

/// The labels of the account's devices, as the page and programs read and set them.
struct LabelRoutes: Sendable {
    private static let absence = "There is no such device."

    private struct Form: Decodable {
        let labels: [String]
    }

    let access: any ServiceAccess

    func add(to router: some RouterMethods<GatewayContext>) {
        router.get("labels", use: list)
        router.put("labels/:device", use: set)
    }

    @Sendable private func list(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await access.caller(request)
        return try await ControllerResponse.json(absence: Self.absence) { () async throws(FleetError) in
            let devices = try await caller.client.labelledDevices(as: caller.credentials)
            return ["devices": devices.map(\.json)]
        }
    }

    /// Replaces the labels of a device by `{"labels": ["kitchen", …]}`.
    @Sendable private func set(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await access.author(request)
        guard let device = context.parameters.get("device").flatMap({ DeviceID($0) }) else {
            throw HTTPError(.notFound, message: Self.absence)
        }
        guard let form = try await request.form(Form.self),
            case let labels = form.labels.compactMap({ Label($0) }), labels.count == form.labels.count,
            labels.count <= Limits.deviceLabels
        else {
            throw HTTPError(
                .badRequest,
                message:
                    "labels: write {\"labels\": […]} with at most \(Limits.deviceLabels) labels, each 1 to "
                    + "\(Limits.labelBytes) of a-z, 0-9, '.', '_' and '-'")
        }
        return try await ControllerResponse.json(absence: Self.absence) { () async throws(FleetError) in
            let stored = try await caller.client.setLabels(labels, of: [device], as: caller.credentials)
            return LabelledDevice(device: device, labels: stored).json
        }
    }
}
