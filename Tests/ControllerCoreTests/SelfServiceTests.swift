import FleetProtocol
import Testing

@testable import ControllerCore

extension Bench {
    fileprivate func ask(
        _ request: SelfServiceRequest, token: TokenDigest? = nil, from source: UInt64 = 1
    ) -> UInt64 {
        ask(.selfService(request), token: token, from: ConnectionID(high: source, low: 0))
    }

    @discardableResult
    fileprivate func signUp(_ address: String, from source: UInt64 = 1) -> UInt64 {
        ask(.signUp(email: valid(Email(address)), password: .secret), from: source)
    }

    @discardableResult
    fileprivate func forgot(_ email: Email = .demo) -> UInt64 { ask(.forgotPassword(email)) }

    fileprivate func reset(with byte: UInt8) -> UInt64 {
        ask(.resetPassword(to: .secret), token: .of(byte))
    }

    /// Completes the worker's last check, with a hash if there was none.
    fileprivate func check(didMatch: Bool = false, token byte: UInt8 = 9) throws {
        let hash = checks.last?.storedHash == nil ? "a new hash" : nil
        try finishCheck(didMatch: didMatch, token: byte, hash: hash)
    }
}

@Suite("Sign-up and password reset")
struct SelfServiceTests {
    private static let disabled = SelfService(signsUp: false, resetsPasswords: false)

    private let bench = Self.bench()

    /// A controller with sign-up and password reset.
    private static func bench(
        _ selfService: SelfService = SelfService(signsUp: true, resetsPasswords: true),
        passwordResets: [PasswordReset] = []
    ) -> Bench {
        Bench.withDevices {
            $0.selfService = selfService
            $0.passwordResets = passwordResets
        }
    }

    @Test(
        "unauthenticated clients can query which of sign-up and password reset are enabled",
        arguments: [SelfService(signsUp: true, resetsPasswords: true), disabled])
    func reported(availability: SelfService) {
        let bench = Self.bench(availability)
        #expect(bench.replies(to: bench.ask(.availability)) == [.selfService(.availability(availability))])
    }

    @Test("sign-up and password reset are refused if they are disabled, and nothing is done")
    func closed() {
        let bench = Self.bench(Self.disabled, passwordResets: [stored()])
        for correlation in [bench.signUp("ann@example.com"), bench.forgot(), bench.reset(with: 5)] {
            #expect(bench.refusal(of: correlation)?.kind == "notAllowed")
        }
        #expect(bench.checks.isEmpty && bench.hashings.isEmpty)
    }

    // MARK: Sign-up

    @Test("a sign-up creates an account of its own, stored before the reply")
    func signsUp() throws {
        let correlation = bench.signUp("Ann.Smith@example.com")
        #expect(bench.checks.map(\.storedHash) == [nil])
        bench.effects.removeAll { if case .checkPassword = $0 { false } else { true } }
        try bench.check()
        let session = try #require(bench.session(of: correlation))
        #expect(session.email.address == "ann.smith@example.com")
        #expect(session.role == .owner && session.isOperator)
        #expect(session.account.name.hasPrefix("account-"))
        let user = ControllerConfiguration.User(session: session, passwordHash: "a new hash")
        #expect(
            bench.effects.dropFirst() == [
                .store(.access(.userAdded(user))),
                .store(.access(.sessionOpened(TokenDigest.of(9), session.email, at: bench.now.wall))),
                .reply(
                    ConnectionID(high: 1, low: 0),
                    ClientReply(correlation: correlation, body: .session(session, Token.of(9)))),
            ])
        let chunk = try #require(bench.snapshot(token: TokenDigest.of(9)))
        #expect(chunk.rows.isEmpty && chunk.nodes.isEmpty)
        #expect(bench.users(token: .of(9)).map(\.email) == [session.email])
    }

    @Test("a second sign-up with the same email and password is a login")
    func again() throws {
        let first = bench.signUp("ann@example.com")
        try bench.check()
        let second = bench.signUp("ann@example.com", from: 2)
        #expect(bench.checks.last?.storedHash == "a new hash")
        try bench.check(didMatch: true, token: 8)
        #expect(bench.session(of: second) == bench.session(of: first))
    }

    @Test("a sign-up with a taken email is refused, and counts as a wrong password")
    func accepted() throws {
        let correlation = bench.signUp("eve@sensibus.local")
        #expect(bench.checks.map(\.storedHash) == ["hash of eve@sensibus.local"])
        try bench.check()
        #expect(bench.refusal(of: correlation) == .unauthenticated)
        let failures = LoginFailures(email: .eve, count: 1, lastAt: bench.now.wall)
        #expect(bench.access.last == .loginFailed(failures))
        #expect(bench.access.count == 2, "with the rest of the allowance")
    }

    @Test("a sign-up is refused if an operator adds the same email in the meantime")
    func registeredMeanwhile() throws {
        let correlation = bench.signUp("ann@example.com")
        bench.addUser(.ann, .viewer)
        try bench.finishHashing()
        try bench.check()
        #expect(bench.refusal(of: correlation) == .unauthenticated)
        #expect(bench.access.filter { if case .userAdded = $0 { true } else { false } }.count == 1)
    }

    @Test("each sign-up gets another account, for any email")
    func accounts() throws {
        let long = String(repeating: "x", count: 200) + "@y"
        let addresses = ["ann@example.com", "ann@example.org", "ü@x", long]
        var accounts: Set<AccountID> = []
        for (index, address) in addresses.enumerated() {
            let correlation = bench.signUp(address, from: UInt64(index))
            bench.pass(.seconds(1))
            try bench.check(token: UInt8(20 + index))
            accounts.insert(try #require(bench.session(of: correlation)).account)
        }
        #expect(accounts.count == addresses.count)
    }

    @Test("one source can sign up eight times at once and then every ten minutes, and others as usual")
    func bounded() throws {
        for number in 0..<SignUps.Allowance.source.burst {
            let address = number.isMultiple(of: 2) ? "eve@sensibus.local" : "user\(number)@example.com"
            let correlation = bench.signUp(address)
            bench.pass(.seconds(1))
            try bench.check()
            #expect(bench.refusal(of: correlation) != .busy(retryAfter: .seconds(1)))
        }
        let refusal = bench.refusal(of: bench.signUp("late@example.com"))
        guard case .busy(let wait)? = refusal else { throw Bench.Refused(refusal: refusal) }
        #expect(wait > .seconds(500) && wait <= .seconds(600))
        #expect(bench.refusal(of: bench.signUp("other@example.com", from: 99)) == nil)
        bench.pass(.seconds(1))
        try bench.check()
        bench.pass(wait)
        #expect(bench.refusal(of: bench.signUp("late@example.com")) == nil)
    }

    @Test("sixty-four sources that sign up as often as they can do not block others")
    func notClosed() {
        var signUps = SignUps()
        func source(_ number: UInt64) -> LoginQueue.Source {
            LoginQueue.Source(connection: ConnectionID(high: number, low: 0), behind: nil)
        }
        var accepted = 0
        for second in 0..<3_600 {
            let now = MonotonicTime.zero.advanced(by: .seconds(second))
            for hostile in UInt64(0)..<64 where signUps.spend(by: source(hostile), at: now) == nil {
                accepted += 1
            }
        }
        #expect(accepted > 128 && accepted < 64 * (SignUps.Allowance.source.burst + 6))
        let now = MonotonicTime.zero.advanced(by: .seconds(3_600))
        for honest in UInt64(100)..<150 { #expect(signUps.spend(by: source(honest), at: now) == nil) }
    }

    @Test("the sign-up allowance of all sources survives a restart, also with a wrong clock")
    func allowanceOutlivesRestart() throws {
        for source in UInt64(0)..<128 { bench.signUp("user\(source)@example.com", from: source) }
        let times = bench.access.compactMap { if case .signUpsSpent(let time) = $0 { time } else { nil } }
        let wholeAt = try #require(times.last)
        #expect(bench.now.wall.duration(to: wholeAt) == .seconds(1_280))
        func waits(after pause: Duration, ofSource source: UInt64) -> [Duration?] {
            var signUps = SignUps()
            let now = Moment(monotonic: .zero, wall: bench.now.wall.advanced(by: pause))
            signUps.restore(wholeAt: wholeAt, at: now)
            let asker = LoginQueue.Source(connection: ConnectionID(high: source, low: 0), behind: nil)
            return (0..<2).map { _ in signUps.spend(by: asker, at: now.monotonic) }
        }
        // The second half is for new sources.
        #expect(waits(after: .seconds(5), ofSource: 1) == [nil, .seconds(15)])
        #expect(waits(after: .seconds(1_280), ofSource: 1) == [nil, nil])
        let setBack = waits(after: .seconds(-1_000_000), ofSource: 1)
        #expect(setBack == [.seconds(10), .seconds(10)])
    }

    @Test("repeated sign-ups are slowed down like failed logins")
    func slowed() throws {
        for number in 0..<4 {
            bench.signUp("user\(number)@example.com")
            bench.pass(.seconds(1))
            try bench.check()
        }
        bench.effects = []
        bench.signUp("one-more@example.com")
        #expect(bench.checks.isEmpty)
        bench.pass(.seconds(1))
        #expect(bench.checks.count == 1)
    }

    // MARK: Password reset

    private func stored(_ byte: UInt8 = 5, age: Duration = .zero) -> PasswordReset {
        PasswordReset(digest: .of(byte), email: .demo, begunAt: Bench.start.advanced(by: .zero - age))
    }

    @Test("a requested reset token is stored as its digest only, before it is sent")
    func resetRequested() throws {
        let correlation = bench.forgot()
        #expect(bench.checks == [PasswordCheck(ticket: 0, password: nil, storedHash: nil)])
        try bench.check(token: 5)
        let expiry = bench.now.wall.advanced(by: .seconds(900))
        #expect(
            bench.effects.dropFirst() == [
                .store(.access(.resetBegan(stored()))),
                .reply(
                    ConnectionID(high: 1, low: 0),
                    ClientReply(correlation: correlation, body: .selfService(.resetRequested))),
                .message(OutgoingMessage(to: .demo, token: Token.of(5), expiresAt: expiry)),
            ])
        #expect(!"\(bench.effects)".contains("5, 5, 5"))
    }

    @Test("a reset request for an unknown email has the same work and answer, and sends no message")
    func stranger() throws {
        let nobody = valid(Email("nobody@sensibus.local"))
        let benches = [Self.bench(), bench]
        for (bench, email) in zip(benches, [.demo, nobody]) {
            bench.forgot(email)
            try bench.check(token: 5)
        }
        let (demo, stranger) = (benches[0].effects, benches[1].effects)
        #expect(stranger.count == demo.count - 1)
        for (one, other) in zip(stranger, demo) {
            switch (one, other) {
            case (.checkPassword(let check), .checkPassword(let otherCheck)): #expect(check == otherCheck)
            case (.store(.access(.resetBegan(let one))), .store(.access(.resetBegan(let other)))):
                #expect(one.begunAt == other.begunAt)
            case (.reply(_, let reply), .reply(_, let otherReply)): #expect(reply == otherReply)
            default: Issue.record("\(one) differs from \(other)")
            }
        }
        #expect(bench.refusal(of: bench.reset(with: 5)) == .unauthenticated)
    }

    @Test("a reset token sets a new password once, and ends every session")
    func resets() throws {
        bench.forgot()
        try bench.check(token: 5)
        bench.effects = []
        let (first, second) = (bench.reset(with: 5), bench.reset(with: 5))
        #expect(bench.hashings.map(\.password.text) == [Password.secret.text])
        try bench.finishHashing()
        #expect(bench.replies(to: first) == [.selfService(.passwordReset(.demo, sessions: 1))])
        let demo = Session(.demo, .owner, isOperator: true)
        let user = ControllerConfiguration.User(session: demo, passwordHash: "a new hash")
        #expect(bench.access == [.passwordChanged(user), .resetEnded(.demo), .sessionsClosed([Bench.token])])
        #expect(bench.refusal(to: .status) == .unauthenticated)
        try bench.finishHashing()
        #expect(bench.refusal(of: second) == .unauthenticated)
        #expect(bench.refusal(of: bench.reset(with: 5)) == .unauthenticated)
        let login = bench.ask(.login(email: .demo, password: .secret), token: nil)
        #expect(bench.checks.last?.storedHash == "a new hash")
        try bench.check(didMatch: true, token: 8)
        #expect(bench.session(of: login)?.email == .demo)
    }

    @Test(
        "a reset token is valid for 15 minutes, also while the password is hashed",
        arguments: [(899, 0, true), (899, 2, false), (900, 0, false)])
    func tooOld(before: Int, after: Int, isOpen: Bool) throws {
        bench.forgot()
        try bench.check(token: 5)
        bench.passWithPings(.seconds(before))
        let correlation = bench.reset(with: 5)
        bench.passWithPings(.seconds(after))
        if !bench.hashings.isEmpty { try bench.finishHashing() }
        #expect((bench.refusal(of: correlation) == nil) == isOpen)
    }

    @Test("a reset token is replaced by a newer one, which is sent a minute later at the earliest")
    func newer() throws {
        let requests: [(UInt8, Duration, Int)] = [(5, .zero, 1), (6, .seconds(50), 1), (7, .seconds(10), 2)]
        for (byte, pause, count) in requests {
            bench.passWithPings(pause)
            let correlation = bench.forgot()
            bench.passWithPings(.seconds(1))
            try bench.check(token: byte)
            #expect(bench.replies(to: correlation) == [.selfService(.resetRequested)])
            #expect(bench.messages.count == count)
            let begun = bench.access.filter { if case .resetBegan = $0 { true } else { false } }
            #expect(begun.count == Int(byte) - 4)
        }
        #expect(bench.refusal(of: bench.reset(with: 5)) == .unauthenticated)
        #expect(bench.refusal(of: bench.reset(with: 6)) == .unauthenticated)
        #expect(bench.refusal(of: bench.reset(with: 7)) == nil)
    }

    @Test(
        "a reset token ends with the user, and when an operator changes the password",
        arguments: [true, false])
    func ended(isRemoval: Bool) throws {
        bench.forgot(.viewer)
        try bench.check(token: 5)
        bench.ask(isRemoval ? .removeUser(.viewer) : .changePassword(.viewer, to: .secret))
        if !isRemoval { try bench.finishHashing() }
        #expect(bench.access.contains(.resetEnded(.viewer)))
        #expect(bench.refusal(of: bench.reset(with: 5)) == .unauthenticated)
    }

    @Test("a reset token survives a restart for the rest of its 15 minutes")
    func replayed() {
        let ages: [(Duration, Bool)] = [
            (.seconds(890), true), (.seconds(900), false), (.seconds(-3_600), true),
        ]
        for (age, isOpen) in ages {
            let bench = Self.bench(passwordResets: [stored(age: age)])
            #expect((bench.refusal(of: bench.reset(with: 5)) == nil) == isOpen)
            bench.passWithPings(.seconds(11))
            let isLater = age < .zero
            #expect((bench.refusal(of: bench.reset(with: 5)) == nil) == isLater)
        }
        let ofStranger = PasswordReset(
            digest: TokenDigest.of(6), email: valid(Email("nobody@x")), begunAt: Bench.start)
        let other = Self.bench(passwordResets: [ofStranger])
        #expect(other.refusal(of: other.reset(with: 6)) == .unauthenticated)
    }

    @Test("reset requests do not slow down the user's logins, only further reset requests")
    func throttled() throws {
        for _ in 0..<4 {
            bench.forgot()
            bench.pass(.seconds(1))
            try bench.check()
        }
        bench.effects = []
        bench.forgot()
        #expect(bench.checks.isEmpty)
        let login = ClientRequest.Body.login(email: .demo, password: .secret)
        bench.ask(login, token: nil, from: ConnectionID(high: 7, low: 0))
        #expect(bench.checks.map(\.storedHash) == ["hash of demo@sensibus.local"])
    }

    @Test("sign-up and password reset are busy while the storage is full")
    func full() {
        let bench = Self.bench(passwordResets: [stored()])
        bench.step(.storage(isFull: true))
        let correlations = [bench.signUp("ann@example.com"), bench.forgot(), bench.reset(with: 5)]
        for correlation in correlations {
            #expect(bench.refusal(of: correlation) == .storageFull(retryAfter: Limits.storageRetry))
        }
    }
}
