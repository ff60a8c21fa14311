import FleetClient
import FleetProtocol
import FoundationEssentials
import GatewayCore
import HTTPTypes
import Hummingbird
import Wording

/// Logging in to the page and out of it.
struct SessionRoutes: Sendable {
    /// How long a log-in may take: passwords are slow to check, and whoever failed before waits.
    private static let patience: Duration = .seconds(10)

    private struct Form: Decodable {
        let email: String
        let password: String
    }

    let page: PageAccess
    let client: FleetClient

    func add(to router: Router<GatewayContext>) {
        router.post("page/session", use: logIn)
        router.get("page/session", use: tell)
        router.delete("page/session", use: logOut)
    }

    @Sendable private func logIn(_ request: Request, _ context: GatewayContext) async throws -> Response {
        try PageAccess.checkOrigin(of: request)
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(try await request.bodyBytes())),
            let email = Email(form.email), let password = Password(form.password)
        else { return Answer.page("Enter an email and a password.", status: .badRequest) }
        do throws(FleetError) {
            let (session, token) = try await client.openSession(
                email: email, password: password,
                source: page.sources.source(of: request, context, for: email),
                patience: Self.patience)
            return page.letIn(session, token)
        } catch {
            return Self.refusal(error)
        }
    }

    @Sendable private func tell(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await page.visitor(request)
        return Answer.json(PageAccess.json(visitor.session, visitor.credentials.token))
    }

    @Sendable private func logOut(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let visitor = try await page.author(request)
        // A session that cannot be ended now is still forgotten here; it ends by itself.
        try? await client.closeSession(visitor.credentials.token)
        var response = Answer.done
        response.setCookie(page.noCookie)
        return response
    }

    private static func refusal(_ error: FleetError) -> Response {
        switch error {
        case .refused(.unauthenticated):
            Answer.page("Wrong email or password.", status: .unauthorized)
        case .refused(.busy):
            Answer.page("Too many attempts. Try again later.", status: .tooManyRequests)
        case .refused, .noAnswer, .noController, .badReply, .unexpectedReply, .tooManyRequests, .closed,
            .cancelled, .transport:
            Answer.page(error.pageWords, status: .serviceUnavailable)
        }
    }
}
