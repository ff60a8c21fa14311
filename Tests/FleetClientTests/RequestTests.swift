import Bus
import FleetProtocol
import FleetReplica
import Testing

@testable import FleetClient

@Suite("Requests over real sockets", .timeLimit(.minutes(1)))
struct RequestTests {
    @Test("a login is sent without a token, later requests with it, and a logout ends that")
    func session() async throws {
        try await Bench.run { bench in
            let controller = try await bench.startController()
            let session = Session(
                account: try Samples.account(), email: try Samples.email(), role: .owner, isOperator: true)
            let password = try #require(Password("secret"))
            let token = try Samples.token(9)

            async let loggedIn = bench.client.login(email: session.email, password: password)
            let login = try await controller.answerNext(
                .session(session, token), to: .login(email: session.email, password: password))
            #expect(login.token == nil)
            let answer = try await loggedIn
            #expect(answer.session == session)
            #expect(answer.token == token)

            async let sessions = bench.client.logout(everywhere: true)
            let logout = try await controller.answerNext(
                .signedOut(sessions: 3), to: .logout(everywhere: true))
            #expect(logout.token == token)
            #expect(try await sessions == 3)
            await #expect(throws: FleetError.refused(.unauthenticated)) { try await bench.client.status() }
            await controller.stop()
        }
    }

    @Test("each query gets its own reply, in any order of replies")
    func answersOutOfOrder() async throws {
        try await Bench.connected { bench, controller in
            let report = try Samples.applied()
            async let status = bench.client.status()
            let first = try await controller.next()
            async let outcome = bench.client.outcome(of: report.requestID)
            let second = try await controller.next()
            async let injected = bench.client.inject(.hang, into: [Samples.device], for: .seconds(30))
            let third = try await controller.next()
            #expect(third.request.body == .inject(.hang, devices: [Samples.device], duration: .seconds(30)))

            try await controller.answer(third, .injected(devices: 1))
            try await controller.answer(second, .outcome(report))
            try await controller.answer(first, .status(StatusReport(epoch: Epoch(4), devices: 100)))
            #expect(try await injected == 1)
            #expect(try await outcome == report)
            #expect(try await status.devices == 100)
        }
    }

    @Test("a refusal is thrown unchanged")
    func refusal() async throws {
        try await Bench.connected { bench, controller in
            let outcome = Task { try await bench.client.outcome(of: Samples.requestID()) }
            try await controller.answerNext(.refusal(.notFound))
            await #expect(throws: FleetError.refused(.notFound)) { try await outcome.value }
        }
    }

    @Test("a request without a reply ends at its timeout")
    func silence() async throws {
        try await Bench.connected { bench, controller in
            async let status = bench.client.status(timeout: .milliseconds(200))
            let asked = try await controller.next()
            do {
                _ = try await status
                Issue.record("no reply")
            } catch FleetError.noReply(let waited) {
                #expect(waited >= .milliseconds(200))
            }
            // The late reply is dropped, and the client continues.
            try await controller.answer(asked, .status(StatusReport(epoch: Epoch(4))))
            async let next = bench.client.status()
            try await controller.answerNext(.status(StatusReport(epoch: Epoch(5))))
            #expect(try await next.epoch == Epoch(5))
            #expect(await bench.client.counters.unknownReplies == 1)
        }
    }

    @Test("a request without a controller ends with the endpoint in its error")
    func noController() async throws {
        try await Bench.run(credentials: try Samples.credentials()) { bench in
            await #expect(throws: FleetError.noController(bench.endpoints.clients)) {
                try await bench.client.status(timeout: .milliseconds(100))
            }
        }
    }

    @Test("a query sent before the controller starts is answered once it has")
    func earlyQuestion() async throws {
        try await Bench.run(credentials: try Samples.credentials()) { bench in
            async let status = bench.client.status()
            try await bench.wait { if case .failed = $0 { true } else { false } }
            let controller = try await bench.startController()
            try await controller.answerNext(.status(StatusReport(epoch: Epoch(1))))
            #expect(try await status.epoch == Epoch(1))
            await controller.stop()
        }
    }

    @Test("a reply that cannot be decoded, or is of another kind, ends the request")
    func badReplies() async throws {
        try await Bench.connected { bench, controller in
            async let bad = bench.client.status()
            let first = try await controller.next()
            let bytes = PendingRequestsTests.replyWithoutBody(correlation: first.request.correlation)
            try await controller.answer(first, bytes: bytes)
            do {
                _ = try await bad
                Issue.record("it cannot be decoded")
            } catch FleetError.badReply(let error) {
                #expect(error.correlation == first.request.correlation)
            }

            let odd = Task { try await bench.client.status() }
            try await controller.answerNext(.injected(devices: 1))
            await #expect(throws: FleetError.unexpectedReply) { try await odd.value }

            let third = Task { try await bench.client.status() }
            let asked = try await controller.next()
            try await controller.answer(asked, bytes: [0xff])
            try await controller.answer(asked, .status(StatusReport(epoch: Epoch(2))))
            #expect(try await third.value.epoch == Epoch(2))
            #expect(await bench.client.counters.badReplies == 2)
        }
    }

    @Test("closing the client ends pending and later requests")
    func closing() async throws {
        try await Bench.connected { bench, controller in
            let status = Task { try await bench.client.status() }
            let toggled = Task { try await bench.client.perform(Samples.toggle()) }
            _ = try await controller.next()
            _ = try await controller.next()
            await bench.client.close()
            await #expect(throws: FleetError.closed) { try await status.value }
            await #expect(throws: FleetError.closed) { try await toggled.value }
            await #expect(throws: FleetError.closed) { try await bench.client.status() }
        }
    }

    @Test("cancelling the task ends its request")
    func cancelledTask() async throws {
        try await Bench.connected { bench, controller in
            let task = Task { try await bench.client.status() }
            _ = try await controller.next()
            task.cancel()
            await #expect(throws: FleetError.cancelled) { try await task.value }
        }
    }

    @Test("cancelling the task at any time, also before it starts, ends its request")
    func cancelledAtAnyTime() async throws {
        try await Bench.connected { bench, _ in
            let client = bench.client
            let token = try Samples.token(1)
            // All at the same time: a turn of a task waits for the tasks of all other tests, and one after
            // another would take minutes.
            await withDiscardingTaskGroup { group in
                for turn in 0..<120 {
                    group.addTask {
                        let task = Task { try await client.who(has: token, timeout: Limits.longestTimeout) }
                        for _ in 0..<turn % 6 { await Task.yield() }
                        task.cancel()
                        await #expect(throws: FleetError.cancelled) { try await task.value }
                    }
                }
            }
            #expect(await client.pending.count == 0)
        }
    }

    @Test("sign-up and reset requests have the reset token only, and return their results")
    func selfService() async throws {
        try await Bench.connected { bench, controller in
            let (email, password) = (try Samples.email(), try #require(Password("secret")))
            let session = Session(
                account: try Samples.account(), email: email, role: .owner, isOperator: true)
            let token = try Samples.token()
            let availability = SelfService(signsUp: true, resetsPasswords: false)

            async let asked = bench.client.selfService()
            let question = try await controller.answerNext(
                .selfService(.availability(availability)), to: .selfService(.availability))
            #expect(question.token == nil)
            #expect(try await asked == availability)

            async let requested: Void = bench.client.forgotPassword(of: email, source: LoginSource("x"))
            let forgot = try await controller.answerNext(
                .selfService(.resetRequested),
                to: .selfService(.forgotPassword(email, source: LoginSource("x"))))
            #expect(forgot.token == nil)
            try await requested

            async let reset = bench.client.resetPassword(with: token, to: password)
            let change = try await controller.answerNext(
                .selfService(.passwordReset(email, sessions: 2)),
                to: .selfService(.resetPassword(to: password)))
            #expect(change.token == token)
            let ended = try await reset
            #expect(ended.email == email && ended.sessions == 2)

            async let signedUp = bench.client.signUp(email: email, password: password)
            let signUp = try await controller.answerNext(
                .session(session, token), to: .selfService(.signUp(email: email, password: password)))
            #expect(signUp.token == nil)
            #expect(try await signedUp.session == session)

            async let users = bench.client.users()
            #expect(try await controller.answerNext(.users([])).token == token)
            #expect(try await users.isEmpty)
        }
    }

    @Test("user requests are sent with the operator's token, and return their results")
    func users() async throws {
        try await Bench.connected { bench, controller in
            let user = User(email: try Samples.email(), role: .viewer, isOperator: false)
            let password = try #require(Password("secret"))

            async let added: Void = bench.client.addUser(user, password: password)
            let addition = try await controller.answerNext(
                .userAdded(user), to: .addUser(user, password: password))
            #expect(addition.token != nil)
            try await added

            async let users = bench.client.users()
            try await controller.answerNext(.users([user]), to: .users)
            #expect(try await users == [user])

            async let changed = bench.client.changePassword(of: user.email, to: password)
            try await controller.answerNext(
                .passwordChanged(sessions: 2, keys: 1), to: .changePassword(user.email, to: password))
            #expect(try await changed == (sessions: 2, keys: 1))

            async let removed = bench.client.removeUser(user.email)
            try await controller.answerNext(.userRemoved(sessions: 1), to: .removeUser(user.email))
            #expect(try await removed == 1)
        }
    }
}
