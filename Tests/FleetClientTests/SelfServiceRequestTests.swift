import FleetProtocol
import Testing

@testable import FleetClient

@Suite("Sign-up and password reset requests", .timeLimit(.minutes(1)))
struct SelfServiceRequestTests {
    @Test("sign-up and reset requests have the reset token only, and return their results")
    func answered() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let email = try Samples.email()
            let password = try #require(Password("secret"))
            let session = Session(
                account: try #require(AccountID("ann-1")), email: email, role: .owner, isOperator: true)
            let token = try Samples.token()

            async let asked = bench.client.selfService()
            let question = try #require(await requests.next())
            #expect(question.request.body == .selfService(.availability))
            #expect(question.request.token == nil)
            let availability = SelfService(signsUp: true, resetsPasswords: false)
            try await controller.answer(question, .selfService(.availability(availability)))
            #expect(try await asked == availability)

            async let requested: Void = bench.client.forgotPassword(of: email, source: LoginSource("x"))
            let forgot = try #require(await requests.next())
            #expect(forgot.request.body == .selfService(.forgotPassword(email, source: LoginSource("x"))))
            #expect(forgot.request.token == nil)
            try await controller.answer(forgot, .selfService(.resetRequested))
            try await requested

            async let reset = bench.client.resetPassword(with: token, to: password)
            let change = try #require(await requests.next())
            #expect(change.request.body == .selfService(.resetPassword(to: password)))
            #expect(change.request.token == token)
            try await controller.answer(change, .selfService(.passwordReset(email, sessions: 2)))
            let ended = try await reset
            #expect(ended.email == email && ended.sessions == 2)

            async let signedUp = bench.client.signUp(email: email, password: password)
            let signUp = try #require(await requests.next())
            #expect(signUp.request.body == .selfService(.signUp(email: email, password: password)))
            #expect(signUp.request.token == nil)
            try await controller.answer(signUp, .session(session, token))
            #expect(try await signedUp.session == session)

            async let users = bench.client.users()
            let next = try #require(await requests.next())
            #expect(next.request.token == token)
            try await controller.answer(next, .users([]))
            #expect(try await users.isEmpty)
        }
    }

    @Test("sign-up and reset requests are sent once, except for the query of what is enabled")
    func onceOnly() throws {
        let email = try Samples.email()
        let password = try #require(Password("secret"))
        let requests: [SelfServiceRequest] = [
            .availability, .signUp(email: email, password: password), .forgotPassword(email),
            .resetPassword(to: password),
        ]
        for request in requests {
            var pending = PendingRequests(
                endpoint: try Samples.endpoint(), generator: SeededGenerator(seed: 1))
            var effects: [PendingRequests.Effect] = []
            pending.connected(at: .zero)
            let number = try pending.begin(
                .selfService(request), token: nil, timeout: .seconds(5), at: .zero)
            pending.turn(at: .zero, into: &effects)
            pending.sent(Correlation(number), at: .zero)
            pending.disconnected()
            pending.connected(at: .zero)
            pending.turn(at: MonotonicTime.zero.advanced(by: .seconds(2)), into: &effects)
            #expect(effects.count == (request == .availability ? 2 : 1), "\(request)")
        }
    }
}
