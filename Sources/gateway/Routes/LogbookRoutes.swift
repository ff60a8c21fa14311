import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import Wording

/// The logbook: as the page reads and writes it, and where clients of jsonplaceholder look for it.
struct LogbookRoutes: Sendable {
    /// Posts that the page gets at once.
    private static let pagePosts = 50

    let door: Door
    let page: PageAccess
    let client: FleetClient

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
        return Response(await door.logbookAnswer(asked), to: asked.method)
    }

    /// The newest posts, or those before one.
    @Sendable private func list(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await page.visitor(request)
        let before = request.uri.queryParameters["before"].flatMap { UInt64($0) }.map { PostNumber($0) }
        return try await answer { () async throws(FleetError) in
            let (posts, total) = try await client.posts(
                Self.pagePosts, before: before, as: visitor.credentials)
            return ["posts": .array(posts.map(\.json)), "total": .integer(Int64(total))]
        }
    }

    /// A post with its comments.
    @Sendable private func show(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await page.visitor(request)
        let number = try Self.post(in: context)
        return try await answer { () async throws(FleetError) in
            // The comments last: there may be more of them than the post says, and never fewer.
            let post = try await client.post(number, as: visitor.credentials)
            let comments = try await client.comments(on: number, as: visitor.credentials)
            return ["post": post.json, "comments": .array(comments.map(\.json))]
        }
    }

    @Sendable private func write(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await page.author(request)
        let draft = try Self.read(try await request.bodyBytes()) { reader throws(APIError) in
            try reader.post()
        }
        return try await answer { () async throws(FleetError) in
            try await client.write(draft, as: visitor.credentials).json
        }
    }

    @Sendable private func comment(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await page.author(request)
        let number = try Self.post(in: context)
        let draft = try Self.read(try await request.bodyBytes()) { reader throws(APIError) in
            try reader.comment(on: number)
        }
        return try await answer { () async throws(FleetError) in
            try await client.write(draft, as: visitor.credentials).json
        }
    }

    private static func post(in context: GatewayContext) throws -> PostNumber {
        guard let number = context.parameters.get("post").flatMap({ UInt64($0) }),
            number <= Limits.largestOrdinal
        else { throw HTTPError(.notFound, message: "that is no post") }
        return PostNumber(number)
    }

    /// What the page wants written; it always names the request.
    ///
    /// - Throws: `HTTPError` of status 400.
    private static func read<Draft>(
        _ body: [UInt8], _ take: (LogbookReader) throws(APIError) -> Draft
    ) throws -> Draft {
        do throws(APIError) {
            return try take(try LogbookReader(body, newID: nil))
        } catch {
            throw HTTPError(.badRequest, message: error.message)
        }
    }

    private func answer(_ work: () async throws(FleetError) -> JSONValue) async throws -> Response {
        try await ControllerAnswer.json(absence: "There is no such post, or no such device.", work)
    }
}
