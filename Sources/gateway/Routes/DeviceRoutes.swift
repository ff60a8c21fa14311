import FleetClient
import FleetProtocol
import FleetReplica
import GatewayCore
import HTTPTypes
import Hummingbird
import NIOCore
import UserText

struct DeviceRoutes: Sendable {
    /// The longest wait of a request for the replica of the fleet.
    private static let fleetTimeout: Duration = .seconds(5)

    /// A toggle of the state that the page showed. The gateway forwards both unchanged, because its replica
    /// may be older than that state, or empty.
    private struct ToggleForm: Decodable {
        let requestId: String
        let incarnation: String
        let version: UInt64

        var expectation: Expectation? {
            Incarnation(incarnation).map { Expectation(incarnation: $0, version: Version(version)) }
        }
    }

    /// The text in the search field, and the devices to decide about; nil for all.
    private struct FilterForm: Decodable {
        let condition: String
        let devices: [String]?
    }

    let page: PageAccess

    func add(to router: Router<GatewayContext>) {
        router.get("page/devices", use: list)
        router.post("page/devices/filter", use: filter)
        router.get("page/devices/:device/history", use: history)
        router.post("page/devices/:device/toggle", use: toggle)
        router.get("page/requests/:request", use: outcome)
        router.post("page/requests/:request/cancel", use: cancel)
    }

    @Sendable private func list(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await page.caller(request)
        guard await caller.replica.isWhole(within: Self.fleetTimeout) else {
            throw HTTPError(.serviceUnavailable, message: "The devices aren’t loaded yet. Try again.")
        }
        let contents = await caller.replica.contents
        let sites = PageSites(contents.sites, of: caller.session.account)
        return WebResponse.json(PageDevice.list(of: contents.replica, at: sites))
    }

    /// Answers with the devices that a text shows, and the error in it.
    @Sendable private func filter(_ request: Request, _ context: GatewayContext) async throws -> Response {
        RequestNote.current?.identifyQuestion()
        let caller = try await page.author(request)
        guard let form = try await request.form(FilterForm.self) else {
            throw HTTPError(.badRequest, message: "condition is missing. Reload the page.")
        }
        let devices = form.devices?.compactMap { DeviceID($0) }
        let filter = PageFilter(form.condition)
        let contents = await caller.replica.contents
        let sites = PageSites(contents.sites, of: caller.session.account)
        return WebResponse.json(filter.json(of: contents.replica, at: sites, among: devices))
    }

    @Sendable private func history(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await page.caller(request)
        guard let device = context.parameters.get("device").flatMap(DeviceID.init),
            let past = await caller.replica.past(of: device)
        else { throw HTTPError(.notFound, message: "This account has no such device.") }
        return WebResponse.json(past)
    }

    @Sendable private func toggle(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await page.author(request)
        guard let device = context.parameters.get("device").flatMap(DeviceID.init),
            let form = try await request.form(ToggleForm.self),
            let requestID = RequestID(form.requestId), let expected = form.expectation
        else {
            throw HTTPError(
                .badRequest,
                message: "toggle not sent: requestId, incarnation or version is missing. Reload the page.")
        }
        guard await isKnown(device, to: caller.replica) else {
            throw HTTPError(
                .serviceUnavailable,
                message: "toggle not sent: the gateway does not know the device yet. Try again.")
        }
        let command = Command(requestID: requestID, device: device, kind: .toggle, expected: expected)
        do throws(FleetError) {
            switch try await caller.client.perform(command, as: caller.credentials) {
            case .outcome(let report): return WebResponse.json(PageOutcome.json(report))
            case .cancel(let answer): return WebResponse.json(PageOutcome.json(answer, of: requestID))
            }
        } catch {
            return try Self.answer(error, to: requestID)
        }
    }

    /// Waits until the gateway has a row of a device, or the whole fleet; returns whether it has.
    private func isKnown(_ device: DeviceID, to replica: AccountReplica) async -> Bool {
        if await replica.read({ $0.row(of: device) != nil }) { return true }
        return await replica.isWhole(within: Self.fleetTimeout)
    }

    /// Answers with the outcome of a request, or with status 404 if the controller has not seen it; the
    /// request may still arrive then.
    @Sendable private func outcome(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await page.caller(request)
        let requestID = try Self.requestID(in: context)
        return try await ControllerResponse.json(absence: "The controller has not seen this request.") {
            PageOutcome.json(try await caller.client.outcome(of: requestID, as: caller.credentials))
        }
    }

    @Sendable private func cancel(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await page.author(request)
        let requestID = try Self.requestID(in: context)
        do throws(FleetError) {
            let answer = try await caller.client.cancel(requestID, as: caller.credentials)
            return WebResponse.json(PageOutcome.json(answer, of: requestID))
        } catch {
            return try Self.answer(error, to: requestID)
        }
    }

    private static func requestID(in context: GatewayContext) throws -> FleetProtocol.RequestID {
        guard let requestID = context.parameters.get("request").flatMap({ FleetProtocol.RequestID($0) })
        else {
            throw HTTPError(
                .badRequest, message: "unknown request ID in the path: expected a UUID of version 7")
        }
        return requestID
    }

    /// Returns the answer to a request without an outcome, or throws status 401 if the session has ended. It
    /// throws 503 if the request may have been executed: the page retries with the same request ID.
    private static func answer(_ error: FleetError, to requestID: FleetProtocol.RequestID) throws -> Response
    {
        switch error {
        case .refused(.unauthenticated): throw HTTPError(.unauthorized)
        case .refused: WebResponse.json(PageOutcome.refused(requestID, why: error.pageText))
        case .noReply, .noController, .badReply, .unexpectedReply, .tooManyRequests, .closed, .cancelled,
            .transport:
            throw HTTPError(.serviceUnavailable, message: error.pageText)
        }
    }
}

enum ControllerResponse {
    /// Returns the controller's reply as JSON; `absence` is the message for `notFound`. It throws status 401
    /// if the session has ended, and 503 if a change may have been made: the page retries with the same
    /// request ID.
    static func json(absence: String, _ work: () async throws -> JSONObject) async throws -> Response {
        do {
            return WebResponse.json(try await work())
        } catch let error as APIError {
            throw HTTPError(.badRequest, message: error.message)
        } catch let error as FleetError {
            switch error {
            case .refused(.unauthenticated): throw HTTPError(.unauthorized)
            case .refused(.notFound): throw HTTPError(.notFound, message: absence)
            case .refused(.busy): throw HTTPError(.serviceUnavailable, message: error.pageText)
            case .refused(.notAllowed), .refused(.offDuty):
                throw HTTPError(.forbidden, message: error.pageText)
            case .refused: throw HTTPError(.badRequest, message: error.pageText)
            case .noReply, .noController, .badReply, .unexpectedReply, .tooManyRequests, .closed, .cancelled,
                .transport:
                throw HTTPError(.serviceUnavailable, message: error.pageText)
            }
        }
    }
}

extension FleetError {
    /// Why the controller did not answer a request, as a sentence for the page.
    var pageText: String {
        switch self {
        case .refused(let refusal): refusal.pageText
        case .noReply, .noController, .transport: "The controller isn’t responding. Try again."
        case .badReply, .unexpectedReply:
            "The controller’s answer can’t be read. Use a gateway and a controller of one version."
        case .tooManyRequests: "Too many requests at once. Wait a moment."
        case .closed, .cancelled: "The gateway is shutting down."
        }
    }
}

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
