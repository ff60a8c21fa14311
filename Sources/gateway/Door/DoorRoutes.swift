import GatewayCore
import HTTPTypes
import Hummingbird
import NIOCore
import Stepping

/// Where Sensibo's API is, and how its answers become responses.
struct DoorRoutes: Sendable {
    let door: Door
    let sources: LoginSources

    func add(to router: Router<GatewayContext>) {
        for path: RouterPath in ["api/**", "o/**"] {
            for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] {
                router.on(path, method: method, use: respond)
            }
            router.on(path, method: .options, use: tellMethods)
        }
    }

    @Sendable private func tellMethods(_ request: Request, _ context: GatewayContext) -> Response {
        guard let route = APIRoute(path: request.uri.path) else {
            return Response(APIAnswer(.noSuchPage, prefersJSON: false), to: .get)
        }
        return CrossOrigin.preflight(request.uri.path, route.methods)
    }

    @Sendable private func respond(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let asked = try await APIRequest(request)
        let takesCompressed = request.headers[.acceptEncoding]?.lowercased().contains("gzip") ?? false
        let answer = await door.answer(
            asked, takesCompressed: takesCompressed, from: sources.source(of: request, context))
        return Response(answer, to: asked.method)
    }
}

extension APIRequest {
    /// A request as it came; its body is read where it can have one.
    init(_ request: Request) async throws {
        guard let method = Method(rawValue: request.method.rawValue) else {
            throw HTTPError(.methodNotAllowed)
        }
        self.init(
            method, path: request.uri.path, query: request.uri.query ?? "",
            authorization: request.headers[.authorization], accept: request.headers[.accept],
            idempotencyKey: request.headers[.idempotencyKey],
            body: method.effect == .get ? [] : try await request.bodyBytes())
    }
}

extension Response {
    /// An answer of the API; one to HEAD has no body, and must not get one by being compressed.
    init(_ answer: APIAnswer, to method: APIRequest.Method) {
        var headers: HTTPFields = [.contentType: answer.contentType.rawValue]
        if let wait = answer.retryAfter {
            headers[.retryAfter] = String(max(1, (wait.wholeMilliseconds + 999) / 1_000))
        }
        if !answer.allowed.isEmpty {
            headers[.allow] = answer.allowed.map(\.rawValue).joined(separator: ", ")
        }
        if let total = answer.total { headers[.totalCount] = String(total) }
        if method != .head, answer.body.count > CompressingChannel.worthwhileBytes {
            headers[.vary] = "Accept-Encoding"
        }
        self.init(
            status: HTTPResponse.Status(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}
