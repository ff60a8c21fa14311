import ControllerSupport
import FleetClient
import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ProcessSupport
import ServiceLifecycle
import UserFiles
import UserText

/// The control API of a test server, on a port of its own. Each request needs the token that the server has
/// printed, because a test must not be controlled by a web page or another user of the machine.
struct ControlServer: Service {
    private static let connectionsAtMost = 64

    let server: TestServer
    /// Whether the clock is held at the start.
    let isHeld: Bool
    let token = Token.make()
    let port: UInt16
    let logger: Logger
    /// Handles the address once the API can be used.
    let announce: @Sendable (_ url: String, _ token: Token) async throws -> Void

    func run() async throws {
        let (failures, failure) = AsyncThrowingStream.makeStream(of: Never.self)
        let second = SecondServer(
            host: .loopback, port: port, connections: Self.connectionsAtMost, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await second.run(Self.router(of: server, for: token)) { port in
                    do {
                        try await server.becomeReady(isHeld: isHeld)
                        try await announce("http://\(Authority(host: .loopback, port: port))", token)
                    } catch {
                        failure.finish(throwing: error)
                    }
                }
            }
            group.addTask { for try await _ in failures {} }
            try await group.next()
            group.cancelAll()
        }
    }
}

extension ControlServer {
    private static func router(of server: TestServer, for token: Token) -> Router<GatewayContext> {
        let router = Router(context: GatewayContext.self)
        router.add(middleware: ControlErrors())
        router.add(middleware: TokenNeeded(token: token))
        ControlRoutes(server: server).add(to: router)
        return router
    }
}

/// Refuses requests without the token of the control API.
private struct TokenNeeded: RouterMiddleware {
    let token: Token

    @concurrent
    func handle(_ request: Request, context: GatewayContext, next: Next) async throws -> Response {
        let wanted = "Bearer \(CellToken(token, in: nil).text)"
        guard let shown = request.headers[.authorization], Access.isSame(shown, as: wanted) else {
            throw HTTPError(
                .unauthorized, headers: [.wwwAuthenticate: "Bearer"],
                message: "show the token of the control API: Authorization: Bearer TOKEN")
        }
        return try await next(request, context)
    }
}

/// Answers errors as JSON: `{"error":"no device Attic; there are …"}`.
private struct ControlErrors: RouterMiddleware {
    @concurrent
    func handle(_ request: Request, context: GatewayContext, next: Next) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as APIError {
            return Self.response(.init(code: error.status), error.message)
        } catch let error as TestServerError {
            return Self.response(error.status, error.description)
        } catch let error as FleetError {
            return Self.response(.badGateway, error.description)
        } catch let error as HTTPError {
            var response = Self.response(error.status, error.body ?? error.status.reasonPhrase)
            for field in error.headers { response.headers.append(field) }
            return response
        }
    }

    private static func response(_ status: HTTPResponse.Status, _ message: String) -> Response {
        var response = WebResponse.json(["error": message])
        response.status = status
        return response
    }
}

extension TestServerError {
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .noDevice: .notFound
        case .past, .tooFar, .impossible: .badRequest
        case .tooManyFaults: .conflict
        case .notReady, .notShown: .serviceUnavailable
        }
    }
}

/// The routes of the control API, which `docs/reference/control-api.md` describes.
private struct ControlRoutes: Sendable {
    let server: TestServer

    func add(to router: Router<GatewayContext>) {
        router.get("openapi.json") { _, _ in WebResponse.document("TestServer/control-api.json") }
        router.post("reset") { request, _ in
            let form = try ResetForm(try await request.bodyBytes())
            try await server.reset(showing: form.time, isHeld: form.isHeld)
            return clock
        }
        router.get("clock") { _, _ in clock }
        router.patch("clock") { request, _ in
            try await server.change(try ClockChange.list(try await request.bodyBytes()))
            return clock
        }
        addFaults(to: router)
        addDevices(to: router)
        addRequests(to: router)
    }

    private var clock: Response {
        WebResponse.json(["time": TimeText.iso8601(server.clock.now.wall), "held": server.clock.isHeld])
    }

    private func addFaults(to router: Router<GatewayContext>) {
        router.post("faults") { request, _ in
            try await server.inject(try FaultForm(try await request.bodyBytes()))
            return WebResponse.done
        }
        router.delete("faults") { request, _ in
            let devices = request.uri.queryParameters.getAll("device").map { String($0) }
            return WebResponse.json(["ended": try await server.heal(devices)])
        }
        router.put("scenario") { request, _ in
            let name = try ScenarioForm(try await request.bodyBytes()).scenario
            let scenario: ScenarioChoice
            do { scenario = try ScenarioChoice(name, zones: Environment.timeZones) } catch {
                throw HTTPError(.badRequest, message: "\(error)")
            }
            try await server.begin(scenario)
            return WebResponse.done
        }
    }

    private static func device(in context: GatewayContext) throws -> String {
        FormFields.decoded(try context.parameters.require("device"), inPath: true)
    }

    private func addDevices(to router: Router<GatewayContext>) {
        router.get("devices") { _, _ in
            let replica = try await server.replica
            let contents = await replica.contents
            return WebResponse.json(
                PageDevice.list(
                    of: contents.replica, at: PageSites(contents.sites, of: replica.account),
                    with: contents.history.records))
        }
        router.post("devices/:device/remote") { request, context in
            let pod = try await server.pod(try Self.device(in: context))
            let body = try await request.bodyBytes()
            try await server.useRemote(
                of: pod.device, body.isEmpty ? nil : try CommandReader(of: pod).remoteChange(body))
            return WebResponse.done
        }
        router.put("devices/:device/room") { request, context in
            let pod = try await server.pod(try Self.device(in: context))
            try await server.setRoom(of: pod, try RoomForm(try await request.bodyBytes()))
            return WebResponse.done
        }
    }

    private func addRequests(to router: Router<GatewayContext>) {
        router.get("requests") { _, _ in
            WebResponse.json(server.journal.matching(try RequestPattern([])))
        }
        router.post("requests/matching") { request, _ in
            WebResponse.json(server.journal.matching(try RequestPattern(try await request.bodyBytes())))
        }
        router.delete("requests") { _, _ in
            server.journal.removeAll()
            return WebResponse.done
        }
    }
}
