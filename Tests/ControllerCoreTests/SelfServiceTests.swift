import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Sign-up and password reset")
struct SelfServiceTests {
    private static let selfService = SelfService(signsUp: true, resetsPasswords: true)
    private static let secret = "open sesame"

    /// A controller with sign-up and password reset, whose checks the test answers.
    private func bench(
        _ selfService: SelfService = Self.selfService, passwordResets: [PasswordReset] = []
    ) throws -> Bench {
        try Bench.withDevices {
            $0.selfService = selfService
            $0.passwordResets = passwordResets
        }
    }

    private func email(_ address: String) throws -> Email { try #require(Email(address)) }

    private func digest(_ byte: UInt8) throws -> TokenDigest {
        try #require(TokenDigest([UInt8](repeating: byte, count: 32)))
    }

    private func token(_ byte: UInt8) throws -> Token {
        try #require(Token([UInt8](repeating: byte, count: 32)))
    }

    private func ask(
        _ bench: Bench, _ request: SelfServiceRequest, token: TokenDigest? = nil, from source: UInt64 = 1
    ) -> UInt64 {
        bench.ask(.selfService(request), token: token, from: ConnectionID(high: source, low: 0))
    }

    private func signUp(_ bench: Bench, _ address: String, from source: UInt64 = 1) throws -> UInt64 {
        let password = try #require(Password(Self.secret))
        return ask(bench, .signUp(email: try email(address), password: password), from: source)
    }

    private func forgot(_ bench: Bench, _ address: String, from source: UInt64 = 1) throws -> UInt64 {
        ask(bench, .forgotPassword(try email(address)), from: source)
    }

    private func reset(_ bench: Bench, with byte: UInt8) throws -> UInt64 {
        let password = try #require(Password(Self.secret))
        return ask(bench, .resetPassword(to: password), token: try digest(byte))
    }

    private func checks(_ bench: Bench) -> [PasswordCheck] {
        bench.effects.compactMap { if case .checkPassword(let check) = $0 { check } else { nil } }
    }

    private func hashings(_ bench: Bench) -> [PasswordHashing] {
        bench.effects.compactMap { if case .hashPassword(let hashing) = $0 { hashing } else { nil } }
    }

    private func messages(_ bench: Bench) -> [OutgoingMessage] {
        bench.effects.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    /// Completes the worker's last check, with that token, and a hash if there was none.
    private func check(_ bench: Bench, didMatch: Bool = false, token byte: UInt8 = 9) throws {
        let last = try #require(checks(bench).last)
        bench.step(
            .passwordChecked(
                ticket: last.ticket, didMatch: didMatch, token: try token(byte), digest: try digest(byte),
                hash: last.storedHash == nil ? "a new hash" : nil))
    }

    private func hash(_ bench: Bench) throws {
        bench.step(.passwordHashed(ticket: try #require(hashings(bench).last?.ticket), hash: "another hash"))
    }

    private func opened(_ bench: Bench, _ correlation: UInt64) -> Session? {
        if case .session(let session, _)? = bench.replies(to: correlation).last { session } else { nil }
    }

    private func isNotAllowed(_ bench: Bench, _ correlation: UInt64) -> Bool {
        if case .notAllowed? = bench.refusal(of: correlation) { true } else { false }
    }

    @Test(
        "unauthenticated clients can query which of sign-up and password reset are enabled",
        arguments: [selfService, SelfService(signsUp: false, resetsPasswords: false)])
    func reported(availability: SelfService) throws {
        let bench = try bench(availability)
        #expect(bench.replies(to: ask(bench, .availability)) == [.selfService(.availability(availability))])
    }

    @Test("sign-up and password reset are refused if they are disabled, and nothing is done")
    func closed() throws {
        let bench = try bench(
            SelfService(signsUp: false, resetsPasswords: false), passwordResets: [try stored()])
        for correlation in [
            try signUp(bench, "ann@example.com"), try forgot(bench, "demo@sensibus.local"),
            try reset(bench, with: 5),
        ] {
            #expect(isNotAllowed(bench, correlation))
        }
        #expect(checks(bench).isEmpty && hashings(bench).isEmpty)
    }

    // MARK: Sign-up

    @Test("a sign-up creates an account of its own, stored before the reply")
    func signsUp() throws {
        let bench = try bench()
        let correlation = try signUp(bench, "Ann.Smith@example.com")
        #expect(checks(bench).map(\.storedHash) == [nil])
        bench.effects.removeAll { if case .checkPassword = $0 { false } else { true } }
        try check(bench)
        let session = try #require(opened(bench, correlation))
        #expect(session.email.address == "ann.smith@example.com")
        #expect(session.role == .owner && session.isOperator)
        #expect(session.account.name.hasPrefix("account-"))
        let user = ControllerConfiguration.User(session: session, passwordHash: "a new hash")
        #expect(
            bench.effects.dropFirst() == [
                .store(.access(.userAdded(user))),
                .store(.access(.sessionOpened(try digest(9), session.email, at: bench.now.wall))),
                .reply(
                    ConnectionID(high: 1, low: 0),
                    ClientReply(correlation: correlation, body: .session(session, try token(9)))),
            ])
        guard
            case .snapshot(let chunk)? = bench.replies(
                to: bench.ask(.snapshot(cursor: 0), token: try digest(9))
            ).first
        else {
            Issue.record("no snapshot")
            return
        }
        #expect(chunk.rows.isEmpty && chunk.nodes.isEmpty)
        guard case .users(let users)? = bench.replies(to: bench.ask(.users, token: try digest(9))).first
        else {
            Issue.record("no users")
            return
        }
        #expect(users.map(\.email) == [session.email])
    }

    @Test("a second sign-up with the same email and password is a login")
    func again() throws {
        let bench = try bench()
        let first = try signUp(bench, "ann@example.com")
        try check(bench)
        let second = try signUp(bench, "ann@example.com", from: 2)
        #expect(checks(bench).last?.storedHash == "a new hash")
        try check(bench, didMatch: true, token: 8)
        #expect(opened(bench, second) == opened(bench, first))
    }

    @Test("a sign-up with a taken email is refused, and counts as a wrong password")
    func accepted() throws {
        let bench = try bench()
        let correlation = try signUp(bench, "eve@sensibus.local")
        #expect(checks(bench).map(\.storedHash) == ["hash of eve@sensibus.local"])
        try check(bench)
        #expect(bench.refusal(of: correlation) == .unauthenticated)
        guard case .loginFailed(let failures)? = bench.access.last else {
            Issue.record("it was not recorded")
            return
        }
        #expect(failures.email.address == "eve@sensibus.local" && failures.count == 1)
        #expect(bench.access.count == 2, "with the rest of the allowance")
    }

    @Test("a sign-up is refused if an operator adds the same email in the meantime")
    func registeredMeanwhile() throws {
        let bench = try bench()
        let correlation = try signUp(bench, "ann@example.com")
        let user = User(email: try email("ann@example.com"), role: .viewer, isOperator: false)
        bench.ask(.addUser(user, password: try #require(Password(Self.secret))))
        try hash(bench)
        try check(bench)
        #expect(bench.refusal(of: correlation) == .unauthenticated)
        #expect(bench.access.filter { if case .userAdded = $0 { true } else { false } }.count == 1)
    }

    @Test("each sign-up gets another account, for any email")
    func accounts() throws {
        let bench = try bench()
        let addresses = [
            "ann@example.com", "ann@example.org", "ü@x",
            String(repeating: "x", count: 200) + "@y",
        ]
        var accounts: Set<AccountID> = []
        for (index, address) in addresses.enumerated() {
            let correlation = try signUp(bench, address, from: UInt64(index))
            bench.pass(.seconds(1))
            try check(bench, token: UInt8(20 + index))
            accounts.insert(try #require(opened(bench, correlation)).account)
        }
        #expect(accounts.count == addresses.count)
    }

    @Test("one source can sign up eight times at once and then every ten minutes, and others as usual")
    func bounded() throws {
        let bench = try bench()
        for number in 0..<SignUps.Allowance.source.burst {
            let address = number.isMultiple(of: 2) ? "eve@sensibus.local" : "user\(number)@example.com"
            let correlation = try signUp(bench, address)
            bench.pass(.seconds(1))
            try check(bench)
            #expect(bench.refusal(of: correlation) != .busy(retryAfter: .seconds(1)))
        }
        guard case .busy(let wait)? = bench.refusal(of: try signUp(bench, "late@example.com")) else {
            Issue.record("there was room")
            return
        }
        #expect(wait > .seconds(500) && wait <= .seconds(600))
        #expect(bench.refusal(of: try signUp(bench, "other@example.com", from: 99)) == nil)
        bench.pass(.seconds(1))
        try check(bench)
        bench.pass(wait)
        #expect(bench.refusal(of: try signUp(bench, "late@example.com")) == nil)
    }

    @Test("sixty-four sources that sign up as often as they can do not block others")
    func notClosed() throws {
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
        let bench = try bench()
        for source in UInt64(0)..<128 { _ = try signUp(bench, "user\(source)@example.com", from: source) }
        guard
            case .signUpsSpent(let wholeAt)? = bench.access.last(where: {
                if case .signUpsSpent = $0 { true } else { false }
            })
        else {
            Issue.record("nothing is to be stored")
            return
        }
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
        let bench = try bench()
        for number in 0..<4 {
            _ = try signUp(bench, "user\(number)@example.com")
            bench.pass(.seconds(1))
            try check(bench)
        }
        bench.effects = []
        _ = try signUp(bench, "one-more@example.com")
        #expect(checks(bench).isEmpty)
        bench.pass(.seconds(1))
        #expect(checks(bench).count == 1)
    }

    // MARK: Password reset

    private func stored(_ byte: UInt8 = 5, age: Duration = .zero) throws -> PasswordReset {
        PasswordReset(
            digest: try digest(byte), email: try email("demo@sensibus.local"),
            begunAt: WallTime(unixMilliseconds: 1_800_000_000_000).advanced(by: .zero - age))
    }

    @Test("a requested reset token is stored as its digest only, before it is sent")
    func resetRequested() throws {
        let bench = try bench()
        let demo = try email("demo@sensibus.local")
        let correlation = try forgot(bench, demo.address)
        #expect(checks(bench) == [PasswordCheck(ticket: 0, password: nil, storedHash: nil)])
        try check(bench, token: 5)
        let expiry = bench.now.wall.advanced(by: .seconds(900))
        #expect(
            bench.effects.dropFirst() == [
                .store(
                    .access(
                        .resetBegan(
                            PasswordReset(digest: try digest(5), email: demo, begunAt: bench.now.wall)))),
                .reply(
                    ConnectionID(high: 1, low: 0),
                    ClientReply(correlation: correlation, body: .selfService(.resetRequested))),
                .message(OutgoingMessage(to: demo, token: try token(5), expiresAt: expiry)),
            ])
        #expect(!"\(bench.effects)".contains("5, 5, 5"))
    }

    @Test("a reset request for an unknown email has the same work and answer, and sends no message")
    func stranger() throws {
        func effects(_ address: String) throws -> [Effect] {
            let asked = try bench()
            _ = try forgot(asked, address)
            try check(asked, token: 5)
            return asked.effects
        }
        let (demo, stranger) = (try effects("demo@sensibus.local"), try effects("nobody@sensibus.local"))
        #expect(stranger.count == demo.count - 1)
        for (one, other) in zip(stranger, demo) {
            switch (one, other) {
            case (.checkPassword(let check), .checkPassword(let otherCheck)): #expect(check == otherCheck)
            case (
                .store(.access(.resetBegan(let began))), .store(.access(.resetBegan(let otherBegan)))
            ):
                #expect(began.begunAt == otherBegan.begunAt)
            case (.reply(_, let reply), .reply(_, let otherReply)): #expect(reply == otherReply)
            default: Issue.record("\(one) differs from \(other)")
            }
        }
        let later = try bench()
        _ = try forgot(later, "nobody@sensibus.local")
        try check(later, token: 5)
        #expect(later.refusal(of: try reset(later, with: 5)) == .unauthenticated)
    }

    @Test("a reset token sets a new password once, and ends every session")
    func resets() throws {
        let bench = try bench()
        _ = try forgot(bench, "demo@sensibus.local")
        try check(bench, token: 5)
        bench.effects = []
        let (first, second) = (try reset(bench, with: 5), try reset(bench, with: 5))
        #expect(hashings(bench).map(\.password.text) == [Self.secret])
        try hash(bench)
        let demo = try email("demo@sensibus.local")
        #expect(bench.replies(to: first) == [.selfService(.passwordReset(demo, sessions: 1))])
        guard case .passwordChanged(let user)? = bench.access.first else {
            Issue.record("the hash was not stored")
            return
        }
        #expect(user.passwordHash == "another hash" && user.session.email == demo)
        #expect(
            bench.access.dropFirst() == [.resetEnded(demo), .sessionsClosed([try #require(Bench.token)])])
        #expect(bench.refusal(of: bench.ask(.status)) == .unauthenticated)
        try hash(bench)
        #expect(bench.refusal(of: second) == .unauthenticated)
        #expect(bench.refusal(of: try reset(bench, with: 5)) == .unauthenticated)
        let login = bench.ask(
            .login(email: demo, password: try #require(Password(Self.secret))), token: nil)
        #expect(checks(bench).last?.storedHash == "another hash")
        try check(bench, didMatch: true, token: 8)
        #expect(opened(bench, login)?.email == demo)
    }

    @Test("a reset token is valid for 15 minutes, also while the password is hashed")
    func tooOld() throws {
        for (before, after, isOpen) in [
            (Duration.seconds(899), Duration.zero, true), (.seconds(899), .seconds(2), false),
            (.seconds(900), .zero, false),
        ] {
            let bench = try bench()
            _ = try forgot(bench, "demo@sensibus.local")
            try check(bench, token: 5)
            bench.passWithPings(before)
            let correlation = try reset(bench, with: 5)
            bench.passWithPings(after)
            if !hashings(bench).isEmpty { try hash(bench) }
            #expect((bench.refusal(of: correlation) == nil) == isOpen)
        }
    }

    @Test("a reset token is replaced by a newer one, which is sent a minute later at the earliest")
    func newer() throws {
        let bench = try bench()
        let requests: [(UInt8, Duration, Int)] = [(5, .zero, 1), (6, .seconds(50), 1), (7, .seconds(10), 2)]
        for (byte, pause, count) in requests {
            bench.passWithPings(pause)
            let correlation = try forgot(bench, "demo@sensibus.local")
            bench.passWithPings(.seconds(1))
            try check(bench, token: byte)
            #expect(bench.replies(to: correlation) == [.selfService(.resetRequested)])
            #expect(messages(bench).count == count)
            let begun = bench.access.filter { if case .resetBegan = $0 { true } else { false } }
            #expect(begun.count == Int(byte) - 4)
        }
        #expect(bench.refusal(of: try reset(bench, with: 5)) == .unauthenticated)
        #expect(bench.refusal(of: try reset(bench, with: 6)) == .unauthenticated)
        #expect(bench.refusal(of: try reset(bench, with: 7)) == nil)
    }

    @Test("a reset token ends with the user, and when an operator changes the password")
    func ended() throws {
        for isRemoval in [true, false] {
            let bench = try bench()
            _ = try forgot(bench, "viewer@sensibus.local")
            try check(bench, token: 5)
            let viewer = try email("viewer@sensibus.local")
            let password = try #require(Password("given password"))
            bench.ask(isRemoval ? .removeUser(viewer) : .changePassword(viewer, to: password))
            if !isRemoval { try hash(bench) }
            #expect(bench.access.contains(.resetEnded(viewer)))
            #expect(bench.refusal(of: try reset(bench, with: 5)) == .unauthenticated)
        }
    }

    @Test("a reset token survives a restart for the rest of its 15 minutes")
    func replayed() throws {
        let ages: [(Duration, Bool)] = [
            (.seconds(890), true), (.seconds(900), false), (.seconds(-3_600), true),
        ]
        for (age, isOpen) in ages {
            let bench = try bench(passwordResets: [try stored(age: age)])
            #expect((bench.refusal(of: try reset(bench, with: 5)) == nil) == isOpen)
            bench.passWithPings(.seconds(11))
            let isLater = age < .zero
            #expect((bench.refusal(of: try reset(bench, with: 5)) == nil) == isLater)
        }
        let ofStranger = PasswordReset(
            digest: try digest(6), email: try email("nobody@x"),
            begunAt: WallTime(unixMilliseconds: 1_800_000_000_000))
        let other = try bench(passwordResets: [ofStranger])
        #expect(other.refusal(of: try reset(other, with: 6)) == .unauthenticated)
    }

    @Test("reset requests do not slow down the user's logins, only further reset requests")
    func throttled() throws {
        let bench = try bench()
        for _ in 0..<4 {
            _ = try forgot(bench, "demo@sensibus.local")
            bench.pass(.seconds(1))
            try check(bench)
        }
        bench.effects = []
        _ = try forgot(bench, "demo@sensibus.local")
        #expect(checks(bench).isEmpty)
        let login = ClientRequest.Body.login(
            email: try email("demo@sensibus.local"), password: try #require(Password(Self.secret)))
        bench.ask(login, token: nil, from: ConnectionID(high: 7, low: 0))
        #expect(checks(bench).map(\.storedHash) == ["hash of demo@sensibus.local"])
    }

    @Test("sign-up and password reset are busy while the storage is full")
    func full() throws {
        let bench = try bench(passwordResets: [try stored()])
        bench.step(.storage(isFull: true))
        let correlations = [
            try signUp(bench, "ann@example.com"), try forgot(bench, "demo@sensibus.local"),
            try reset(bench, with: 5),
        ]
        for correlation in correlations {
            #expect(bench.refusal(of: correlation) == .storageFull(retryAfter: Limits.storageRetry))
        }
    }
}
