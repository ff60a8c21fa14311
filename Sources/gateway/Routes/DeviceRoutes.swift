import FleetClient
import FleetProtocol
import FoundationEssentials
import GatewayCore
import HTTPTypes
import Hummingbird
import ObserverCore
import Wording

/// The devices as the page lists and switches them.
struct DeviceRoutes: Sendable {
    /// How long a list may wait for the fleet to be known.
    private static let listPatience: Duration = .seconds(5)

    private struct ToggleForm: Decodable {
        let requestId: String
        /// The version that the page showed; absent where it may be any.
        let version: UInt64?
    }

    let page: PageAccess
    let client: FleetClient

    func add(to router: Router<GatewayContext>) {
        router.get("page/devices", use: list)
        router.get("page/devices/:device/history", use: history)
        router.post("page/devices/:device/toggle", use: toggle)
        router.post("page/requests/:request/cancel", use: cancel)
    }

    @Sendable private func list(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await page.visitor(request)
        guard await visitor.mirror.isWhole(within: Self.listPatience) else {
            return Answer.page("The fleet is not known yet. Try again.", status: .serviceUnavailable)
        }
        return Answer.json(await visitor.mirror.list())
    }

    @Sendable private func history(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await page.visitor(request)
        guard let device = context.parameters.get("device").flatMap(DeviceID.init),
            let past = await visitor.mirror.past(of: device)
        else { return Answer.page("There is no such device in this account.", status: .notFound) }
        return Answer.json(past)
    }

    @Sendable private func toggle(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await page.author(request)
        guard let device = context.parameters.get("device").flatMap(DeviceID.init),
            let form = try? JSONDecoder().decode(
                ToggleForm.self, from: Data(try await request.bodyBytes())),
            let requestID = RequestID(form.requestId)
        else { throw HTTPError(.badRequest, message: "that is no toggle of a device") }
        let expected = await visitor.mirror.read { replica in
            form.version.flatMap { version in
                replica.row(of: device).map {
                    Expectation(incarnation: $0.reported.incarnation, version: Version(version))
                }
            }
        }
        let command = Command(requestID: requestID, device: device, kind: .toggle, expected: expected)
        do throws(FleetError) {
            switch try await client.perform(command, as: visitor.credentials) {
            case .outcome(let report): return Answer.json(PageEnding.json(report))
            case .cancel(let answer): return Answer.json(PageEnding.json(answer, of: requestID))
            }
        } catch {
            return try Self.answer(error, to: requestID)
        }
    }

    @Sendable private func cancel(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await page.author(request)
        guard let requestID = context.parameters.get("request").flatMap({ RequestID($0) }) else {
            throw HTTPError(.badRequest, message: "that is no request")
        }
        do throws(FleetError) {
            let answer = try await client.cancel(requestID, as: visitor.credentials)
            return Answer.json(PageEnding.json(answer, of: requestID))
        } catch {
            return try Self.answer(error, to: requestID)
        }
    }

    /// What a request is answered that has no end to tell.
    ///
    /// - Throws: `HTTPError` of status 401 where the session has ended, and of 503 where the request may
    ///   have been carried out: the page asks again, under the same id.
    private static func answer(_ error: FleetError, to requestID: FleetProtocol.RequestID) throws -> Response
    {
        switch error {
        case .refused(.unauthenticated): throw HTTPError(.unauthorized)
        case .refused: Answer.json(PageEnding.refused(requestID, why: error.description))
        case .noAnswer, .noController, .badReply, .unexpectedReply, .tooManyRequests, .closed, .cancelled,
            .transport:
            throw HTTPError(.serviceUnavailable, message: error.description)
        }
    }
}
