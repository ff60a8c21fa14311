import FleetClient
import FleetProtocol
import HTTPTypes
import Hummingbird
import UserText

/// The form of a log-in or a sign-up.
private struct PasswordForm: Decodable {
    let email: String
    let password: String
}

struct SessionRoutes: Sendable {
    /// The timeout of a log-in: password hashing is slow, and log-ins are delayed after failed attempts.
    private static let timeout: Duration = .seconds(10)

    let page: PageAccess
    let cells: CellClients

    func add(to router: Router<GatewayContext>) {
        router.post("page/session", use: logIn)
        router.get("page/session", use: sendSession)
        router.delete("page/session", use: logOut)
    }

    @Sendable private func logIn(_ request: Request, _ context: GatewayContext) async throws -> Response {
        try PageAccess.checkOrigin(of: request)
        guard let form = try await request.form(PasswordForm.self),
            let email = Email(form.email), let password = Password(form.password)
        else { throw HTTPError(.badRequest, message: "Enter an email and a password.") }
        do throws(FleetError) {
            let source = page.sources.source(of: request, context, for: email)
            let (session, token) = try await cells.withoutSession { client async throws(FleetError) in
                try await client.openSession(
                    email: email, password: password, source: source, timeout: Self.timeout)
            }
            RequestNote.current?.identify(session.email)
            return page.loginResponse(session, token)
        } catch {
            throw Self.refusal(error)
        }
    }

    @Sendable private func sendSession(_ request: Request, _ context: GatewayContext) async throws -> Response
    {
        let caller = try await page.caller(request)
        return WebResponse.json(PageAccess.json(caller.session, caller.credentials.token))
    }

    @Sendable private func logOut(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await page.author(request)
        // Even if the controller cannot end the session, the browser deletes the cookie; the session expires.
        try? await caller.client.closeSession(caller.credentials.token)
        var response = WebResponse.done
        response.setCookie(page.cookie(for: nil))
        return response
    }

    private static func refusal(_ error: FleetError) -> HTTPError {
        switch error {
        case .refused(.unauthenticated): HTTPError(.unauthorized, message: "Wrong email or password.")
        case .refused(.busy):
            HTTPError(.tooManyRequests, message: "Busy, or too many attempts. Try again later.")
        case .refused, .noReply, .noController, .badReply, .unexpectedReply, .tooManyRequests, .closed,
            .cancelled, .transport:
            HTTPError(.serviceUnavailable, message: error.pageText)
        }
    }
}

/// The routes for sign-up and password reset. These requests have no session and so no CSRF token. As in a
/// log-in, forms from another origin are refused.
struct SelfServiceRoutes: Sendable {
    /// The timeout of the controller's answer: password hashing is slow, and frequent requests are delayed.
    private static let timeout: Duration = .seconds(10)

    private struct ResetRequestForm: Decodable {
        let email: String
    }

    private struct ResetForm: Decodable {
        let token: String
        let password: String
    }

    let page: PageAccess
    let cells: CellClients

    func add(to router: Router<GatewayContext>) {
        router.get("page/ways", use: sendWays)
        router.post("page/signup", use: signUp)
        router.post("page/forgot", use: forgot)
        router.post("page/reset", use: reset)
    }

    @Sendable private func sendWays(_ request: Request, _ context: GatewayContext) async throws -> Response {
        try await answer(unauthenticatedMessage: "") { () async throws(FleetError) in
            let availability = try await cells.own.selfService(timeout: Self.timeout)
            return WebResponse.json([
                "signUp": availability.signsUp, "recovery": availability.resetsPasswords,
            ])
        }
    }

    @Sendable private func signUp(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let form: PasswordForm = try await Self.form(of: request)
        guard let email = Email(form.email) else { throw Self.noEmail }
        guard let password = Self.chosen(form.password) else { throw Self.noPassword }
        return try await answer(unauthenticatedMessage: "This email is already registered.") {
            () async throws(FleetError) in
            let source = page.sources.source(of: request, context, for: email)
            let (session, token) = try await cells.withoutSession { client async throws(FleetError) in
                try await client.openSession(
                    signingUp: email, password: password, source: source, timeout: Self.timeout)
            }
            return page.loginResponse(session, token)
        }
    }

    @Sendable private func forgot(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let form: ResetRequestForm = try await Self.form(of: request)
        guard let email = Email(form.email) else { throw Self.noEmail }
        return try await answer(unauthenticatedMessage: "") { () async throws(FleetError) in
            let source = page.sources.source(of: request, context, for: email)
            try await cells.withoutSession { client async throws(FleetError) in
                try await client.forgotPassword(of: email, source: source, timeout: Self.timeout)
            }
            return WebResponse.done
        }
    }

    @Sendable private func reset(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let form: ResetForm = try await Self.form(of: request)
        let unknown = "This code is invalid or has expired. Request a new one."
        guard let password = Self.chosen(form.password) else { throw Self.noPassword }
        guard let code = CellToken(form.token) else { throw HTTPError(.forbidden, message: unknown) }
        guard let client = await cells.client(of: code.cell) else {
            throw HTTPError(
                .serviceUnavailable,
                message: "Your account’s cell cannot be reached from here. Ask the operator.")
        }
        return try await answer(unauthenticatedMessage: unknown) { () async throws(FleetError) in
            let (email, sessions, keys) = try await client.resetPassword(
                with: code.token, to: password, timeout: Self.timeout)
            return WebResponse.json(["email": email.address, "sessionsEnded": sessions, "keysRevoked": keys])
        }
    }

    private static let noEmail = HTTPError(.badRequest, message: "Enter a valid email.")

    private static let noPassword = HTTPError(
        .badRequest,
        message: "Choose a password of \(Limits.chosenPasswordBytes) to \(Limits.passwordBytes) bytes.")

    /// Returns a new password; nil for one that is too short or too long.
    private static func chosen(_ text: String) -> Password? {
        Password(text).flatMap { $0.isLongEnough ? $0 : nil }
    }

    /// Decodes the form that the page sent; throws status 403 for a request from another page.
    private static func form<Form: Decodable>(of request: Request) async throws -> Form {
        try PageAccess.checkOrigin(of: request)
        guard let form: Form = try await request.form() else {
            throw HTTPError(.badRequest, message: "unreadable form: reload the page and try again")
        }
        return form
    }

    /// Returns the answer of `work`, or a page with the reason of its error. The status for `unauthenticated`
    /// is 403, as the page takes a 401 for the end of the session.
    private func answer(
        unauthenticatedMessage: String, _ work: () async throws(FleetError) -> Response
    ) async throws -> Response {
        do throws(FleetError) {
            return try await work()
        } catch {
            switch error {
            case .refused(.unauthenticated):
                throw HTTPError(.forbidden, message: unauthenticatedMessage)
            case .refused(.notAllowed(let why)):
                throw HTTPError(.forbidden, message: Self.sentence(why))
            case .refused(.busy):
                throw HTTPError(.tooManyRequests, message: "Too many attempts. Try again later.")
            case .refused, .noReply, .noController, .badReply, .unexpectedReply, .tooManyRequests, .closed,
                .cancelled, .transport:
                throw HTTPError(.serviceUnavailable, message: error.pageText)
            }
        }
    }

    /// Returns a message of the controller as a sentence.
    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}
