import FleetClient
import FleetProtocol
import GatewayCore

extension SensiboAPI {
    /// Returns the answer to a request to the logbook; it does not need the replica of the fleet.
    func logbookResponse(_ request: APIRequest) async -> APIResponse {
        do throws(APIError) {
            guard let route = LogbookRoute(path: request.path) else { throw .noSuchPage }
            guard route.methods.contains(request.method.effect) else {
                throw .methodNotAllowed(route.methods)
            }
            let caller = try await caller(request)
            return request.method.effect == .get
                ? try await read(route, request, of: caller)
                : try await write(route, request, of: caller)
        } catch {
            return APIResponse(error, prefersJSON: request.prefersJSON)
        }
    }

    private func read(
        _ route: LogbookRoute, _ request: APIRequest, of caller: Access.Caller
    ) async throws(APIError) -> APIResponse {
        switch route {
        case .posts:
            let page = try LogbookPage(request.query)
            return try await ask(request, route) { () async throws(FleetError) in
                let (posts, total) = try await caller.services.posts(
                    page.limit, skip: page.skip, author: page.author)
                return .posts(posts, total: total)
            }
        case .post(let number):
            return try await ask(request, route) { () async throws(FleetError) in
                .post(try await caller.services.post(number))
            }
        case .comments(let number): return try await comments(on: number, request, route, of: caller)
        case .anyComments:
            return try await comments(on: try LogbookPage.post(request.query), request, route, of: caller)
        case .users: return .users(try await authors(request, route, of: caller))
        case .user(let number):
            return try .user(number, among: try await authors(request, route, of: caller))
        }
    }

    private func write(
        _ route: LogbookRoute, _ request: APIRequest, of caller: Access.Caller
    ) async throws(APIError) -> APIResponse {
        let reader = try LogbookReader(request.body, newID: newRequestID())
        switch route {
        case .posts:
            let draft = try reader.post()
            return try await ask(request, route) { () async throws(FleetError) in
                .written(try await caller.services.write(draft))
            }
        case .comments(let number):
            return try await comment(try reader.comment(on: number), request, route, of: caller)
        case .anyComments:
            return try await comment(try reader.comment(on: nil), request, route, of: caller)
        case .post, .users, .user: throw .methodNotAllowed(route.methods)
        }
    }

    private func comments(
        on post: PostNumber, _ request: APIRequest, _ route: LogbookRoute, of caller: Access.Caller
    ) async throws(APIError) -> APIResponse {
        try await ask(request, route) { () async throws(FleetError) in
            .comments(try await caller.services.comments(on: post))
        }
    }

    private func comment(
        _ draft: CommentDraft, _ request: APIRequest, _ route: LogbookRoute, of caller: Access.Caller
    ) async throws(APIError) -> APIResponse {
        try await ask(request, route) { () async throws(FleetError) in
            .written(try await caller.services.write(draft))
        }
    }

    private func authors(
        _ request: APIRequest, _ route: LogbookRoute, of caller: Access.Caller
    ) async throws(APIError) -> [Author] {
        try await ask(request, route) { () async throws(FleetError) in
            try await caller.services.authors()
        }
    }

    /// Sends a request to the controller, and converts its errors to those of the API.
    private func ask<Value: Sendable>(
        _ request: APIRequest, _ route: LogbookRoute, _ work: () async throws(FleetError) -> Value
    ) async throws(APIError) -> Value {
        do throws(FleetError) {
            return try await work()
        } catch {
            if case .refused(.notFound) = error { throw route.absence }
            throw APIError(error, to: request.credentials)
        }
    }
}
