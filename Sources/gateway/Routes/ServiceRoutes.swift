import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import UserText

extension ServiceRouter {
    /// The registry of routes that programs and the page use by the same paths.
    static func services(clock: @escaping @Sendable () -> Moment) -> [any ServiceRoutes] {
        [SiteRoutes(), LabelRoutes(), QueueRoutes(), RosterRoutes(clock: clock)]
    }
}

struct SiteRoutes: ServiceRoutes {
    static let absence = "This site doesn’t exist any more."

    func add(to routes: ServiceRouter) {
        routes.on(.get, "sites") { call in try await Self.list(try SitesPage(call.query), for: call) }
        routes.on(.get, "sites/:site") { call in
            let id = try call.parameter("site") { SiteID($0) }
            let report = try await call.services.site(.id(id))
            let devices = try await call.services.devices(at: id, SitesResponse.devicesAtMost)
            return SitesResponse.site(report, devices)
        }
    }

    /// Returns a page of the account's sites, sorted by name.
    fileprivate static func list(_ wanted: SitesPage, for call: ServiceCall) async throws -> JSONObject {
        SitesResponse.list(try await call.services.sites(page: wanted.page, size: wanted.size), wanted)
    }
}

/// The account's sites and the current user, under the paths that front ends for property management use.
struct PropertyRoutes: ServiceRoutes {
    static let absence = SiteRoutes.absence

    func add(to routes: ServiceRouter) {
        // The first page is 0.
        routes.on(.get, "api/property/list") { call in
            let (wanted, account) = (call.query["accountId"] ?? "", call.caller.session.account.name)
            guard wanted.isEmpty || wanted == account else {
                throw HTTPError(
                    .forbidden, message: "accountId: only your account, \(account), can be listed")
            }
            return try await SiteRoutes.list(try SitesPage(call.query, firstPage: 0), for: call)
        }
        routes.on(.get, "auth/current-user") { call in
            let session = call.caller.session
            return [
                "email": session.email.address, "role": session.role.name, "account": session.account.name,
            ]
        }
        for path: RouterPath in ["api/property/list", "auth/current-user"] {
            routes.router.on(path, method: .options) { request, _ in
                CrossOrigin.preflight(request.uri.path, [.get])
            }
        }
    }
}

struct RosterRoutes: ServiceRoutes {
    static let absence = "This account has no roster."

    let clock: @Sendable () -> Moment

    func add(to routes: ServiceRouter) {
        // The roster, and the shifts that have not ended and begin within the requested days.
        routes.on(.get, "roster") { [clock] call in
            let (window, now) = (try RosterWindow(call.query), clock().wall)
            let (roster, plan) = try await call.services.roster(from: now, until: window.end(from: now))
            return RosterResponse.json(roster, plan, at: now)
        }
    }
}

/// The logbook below the paths of jsonplaceholder's API.
struct LogbookRoutes: Sendable {
    let door: SensiboAPI

    func add(to router: Router<GatewayContext>) {
        for path: RouterPath in ["posts/**", "comments/**", "users/**", "posts", "comments", "users"] {
            for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] {
                router.on(path, method: method) { request, _ in
                    let asked = try await APIRequest(request)
                    return Response(await door.logbookResponse(asked), to: asked.method)
                }
            }
        }
    }
}

/// The logbook, as the page reads and writes it.
struct PageLogbookRoutes: ServiceRoutes {
    static let absence = "This post or device doesn’t exist."
    /// The number of posts in an answer.
    private static let posts = 50

    func add(to routes: ServiceRouter) {
        // The newest posts, or those before a post.
        routes.on(.get, "posts") { call in
            let before = call.request.uri.queryParameters["before"].flatMap { UInt64($0) }
            let (posts, total) = try await call.services.posts(
                Self.posts, before: before.map { PostNumber($0) })
            return ["posts": posts.map(\.json), "total": total]
        }
        routes.on(.get, "posts/:post") { call in
            let number = try Self.post(in: call)
            // The comments are read after the post, so they are never fewer than the number in the post.
            let post = try await call.services.post(number)
            return ["post": post.json, "comments": try await call.services.comments(on: number).map(\.json)]
        }
        // The page gives each draft a request ID.
        routes.on(.post, "posts") { call in
            let body = try await call.request.bodyBytes()
            return try await call.services.write(try LogbookReader(body, newID: nil).post()).json
        }
        routes.on(.post, "posts/:post/comments") { call in
            let (number, body) = (try Self.post(in: call), try await call.request.bodyBytes())
            let draft = try LogbookReader(body, newID: nil).comment(on: number)
            return try await call.services.write(draft).json
        }
    }

    private static func post(in call: ServiceCall) throws -> PostNumber {
        try call.parameter("post", or: "unknown post in the path: expected a post number") { text in
            UInt64(text).flatMap { $0 <= Limits.largestOrdinal ? PostNumber($0) : nil }
        }
    }
}

/// The labels of the account's devices, as the page and programs read and set them.
struct LabelRoutes: ServiceRoutes {
    static let absence = "There is no such device."

    private struct Form: Decodable {
        let labels: [String]
    }

    func add(to routes: ServiceRouter) {
        routes.on(.get, "labels") { call in
            ["devices": try await call.services.labelledDevices().map(\.json)]
        }
        // Replaces the labels of a device by `{"labels": ["kitchen", …]}`.
        routes.on(.put, "labels/:device") { call in
            let device = try call.parameter("device") { DeviceID($0) }
            guard let form = try await call.request.form(Form.self),
                case let labels = form.labels.compactMap({ Label($0) }), labels.count == form.labels.count,
                labels.count <= Limits.deviceLabels
            else {
                throw HTTPError(
                    .badRequest,
                    message:
                        "labels: write {\"labels\": […]} with at most \(Limits.deviceLabels) labels, each 1 to "
                        + "\(Limits.labelBytes) of a-z, 0-9, '.', '_' and '-'")
            }
            let stored = try await call.services.setLabels(labels, of: [device])
            return LabelledDevice(device: device, labels: stored).json
        }
    }
}
