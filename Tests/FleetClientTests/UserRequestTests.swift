import FleetProtocol
import Testing

@testable import FleetClient

@Suite("User requests", .timeLimit(.minutes(1)))
struct UserRequestTests {
    @Test("user requests are sent with the operator's token, and return their results")
    func answered() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let user = User(email: try Samples.email(), role: .viewer, isOperator: false)
            let password = try #require(Password("secret"))

            async let added: Void = bench.client.addUser(user, password: password)
            let addition = try #require(await requests.next())
            #expect(addition.request.token != nil)
            #expect(addition.request.body == .addUser(user, password: password))
            try await controller.answer(addition, .userAdded(user))
            try await added

            async let users = bench.client.users()
            try await controller.answer(try #require(await requests.next()), .users([user]))
            #expect(try await users == [user])

            async let changed = bench.client.changePassword(of: user.email, to: password)
            let change = try #require(await requests.next())
            #expect(change.request.body == .changePassword(user.email, to: password))
            try await controller.answer(change, .passwordChanged(sessions: 2, keys: 1))
            #expect(try await changed == (sessions: 2, keys: 1))

            async let removed = bench.client.removeUser(user.email)
            let removal = try #require(await requests.next())
            #expect(removal.request.body == .removeUser(user.email))
            try await controller.answer(removal, .userRemoved(sessions: 1))
            #expect(try await removed == 1)
        }
    }

    @Test("changes of users are sent once, as a refused second copy would hide the first one's success")
    func onceOnly() throws {
        let email = try Samples.email()
        let password = try #require(Password("secret"))
        let user = User(email: email, role: .member, isOperator: false)
        let changes: [ClientRequest.Body] = [
            .addUser(user, password: password), .removeUser(email), .changePassword(email, to: password),
        ]
        for body in changes + [.users] {
            var pending = PendingRequests(
                endpoint: try Samples.endpoint(), generator: SeededGenerator(seed: 1))
            var effects: [PendingRequests.Effect] = []
            pending.connected(at: .zero)
            let number = try pending.begin(
                body, token: try Samples.token(), timeout: .seconds(5), at: .zero)
            pending.turn(at: .zero, into: &effects)
            pending.sent(Correlation(number), at: .zero)
            pending.disconnected()
            pending.connected(at: .zero)
            pending.turn(at: MonotonicTime.zero.advanced(by: .seconds(2)), into: &effects)
            #expect(effects.count == (body == .users ? 2 : 1), "\(body)")
        }
    }
}
