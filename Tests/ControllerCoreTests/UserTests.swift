import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Users")
struct UserTests {
    private static let fresh = TokenDigest([UInt8](repeating: 9, count: 32))
    private static let secret = "open sesame"

    private func email(_ address: String) throws -> Email { try #require(Email(address)) }

    @discardableResult
    private func add(
        _ bench: Bench, _ address: String, _ role: Session.Role = .member, isOperator: Bool = false,
        token: TokenDigest? = Bench.token
    ) throws -> UInt64 {
        let user = User(email: try email(address), role: role, isOperator: isOperator)
        return bench.ask(.addUser(user, password: try #require(Password(Self.secret))), token: token)
    }

    private func changePassword(
        _ bench: Bench, of address: String, token: TokenDigest? = Bench.token
    ) throws -> UInt64 {
        bench.ask(
            .changePassword(try email(address), to: try #require(Password(Self.secret))), token: token)
    }

    private func hashings(_ bench: Bench) -> [PasswordHashing] {
        bench.effects.compactMap { if case .hashPassword(let hashing) = $0 { hashing } else { nil } }
    }

    private func hash(_ bench: Bench, as hash: String = "a new hash") throws {
        let ticket = try #require(hashings(bench).last?.ticket)
        bench.step(.passwordHashed(ticket: ticket, hash: hash))
    }

    private func login(_ bench: Bench, _ address: String) throws -> UInt64 {
        let body = ClientRequest.Body.login(
            email: try email(address), password: try #require(Password(Self.secret)))
        return bench.ask(body, token: nil)
    }

    private func checks(_ bench: Bench) -> [PasswordCheck] {
        bench.effects.compactMap { if case .checkPassword(let check) = $0 { check } else { nil } }
    }

    private func finishLogin(_ bench: Bench, didMatch: Bool = true) throws {
        bench.step(
            .passwordChecked(
                ticket: try #require(checks(bench).last?.ticket), didMatch: didMatch,
                token: try #require(Token([UInt8](repeating: 8, count: 32))),
                digest: try #require(Self.fresh)))
    }

    private func list(_ bench: Bench, token: TokenDigest? = Bench.token) -> [User] {
        if case .users(let users)? = bench.replies(to: bench.ask(.users, token: token)).first {
            users
        } else {
            []
        }
    }

    private func isNotAllowed(_ bench: Bench, _ correlation: UInt64) -> Bool {
        if case .notAllowed? = bench.refusal(of: correlation) { true } else { false }
    }

    private func isInvalid(_ bench: Bench, _ correlation: UInt64) -> Bool {
        if case .invalid? = bench.refusal(of: correlation) { true } else { false }
    }

    @Test("a user is added with a hash, journalled before the reply, and can log in")
    func added() throws {
        let bench = try Bench.withDevices()
        let correlation = try add(bench, "ann@example.com", .viewer)
        #expect(hashings(bench).map(\.password.text) == [Self.secret])
        #expect(bench.replies(to: correlation).isEmpty)
        bench.effects = []
        bench.step(.passwordHashed(ticket: 1, hash: "hash of ann"))
        let ann = User(email: try email("ann@example.com"), role: .viewer, isOperator: false)
        let session = Session(
            account: try #require(AccountID("demo")), email: ann.email, role: .viewer, isOperator: false)
        let stored = ControllerConfiguration.User(session: session, passwordHash: "hash of ann")
        #expect(
            bench.effects == [
                .store(.access(.userAdded(stored))),
                .reply(Bench.client, ClientReply(correlation: correlation, body: .userAdded(ann))),
            ])
        let login = try login(bench, "ann@example.com")
        #expect(checks(bench).last?.storedHash == "hash of ann")
        try finishLogin(bench)
        #expect(
            bench.replies(to: login) == [
                .session(session, try #require(Token([UInt8](repeating: 8, count: 32))))
            ])
        #expect(isNotAllowed(bench, bench.toggle(token: Self.fresh).correlation))
    }

    @Test("an account's users are listed by email, to its operators only")
    func listed() throws {
        let bench = try Bench.withDevices()
        try add(bench, "ann@example.com")
        try hash(bench)
        #expect(
            list(bench).map(\.email.address) == [
                "ann@example.com", "demo@sensibus.local", "viewer@sensibus.local",
            ])
        #expect(list(bench).map(\.role) == [.member, .owner, .viewer])
        #expect(list(bench).map(\.isOperator) == [false, true, false])
        for token in [Bench.viewerToken, Bench.strangerToken] {
            #expect(isNotAllowed(bench, bench.ask(.users, token: token)))
        }
    }

    @Test("only operators can change users", arguments: [Bench.viewerToken, Bench.strangerToken])
    func operatorsOnly(token: TokenDigest?) throws {
        let bench = try Bench.withDevices()
        let ann = try add(bench, "ann@example.com", token: token)
        let removal = bench.ask(.removeUser(try email("viewer@sensibus.local")), token: token)
        let change = try changePassword(bench, of: "viewer@sensibus.local", token: token)
        for correlation in [ann, removal, change] { #expect(isNotAllowed(bench, correlation)) }
        #expect(hashings(bench).isEmpty)
        #expect(bench.access.isEmpty)
    }

    @Test("users of other accounts appear not to exist")
    func foreign() throws {
        let bench = try Bench.withDevices()
        for address in ["eve@sensibus.local", "nobody@sensibus.local"] {
            #expect(bench.refusal(of: bench.ask(.removeUser(try email(address)))) == .notFound)
            #expect(bench.refusal(of: try changePassword(bench, of: address)) == .notFound)
        }
        #expect(bench.refusal(of: bench.ask(.status, token: Bench.strangerToken)) == nil)
    }

    @Test(
        "a user's email is unique across accounts",
        arguments: ["viewer@sensibus.local", "eve@sensibus.local"])
    func inUse(address: String) throws {
        let bench = try Bench.withDevices()
        #expect(isInvalid(bench, try add(bench, address)))
        #expect(hashings(bench).isEmpty)
    }

    @Test("of two pending additions of one email, the second is refused")
    func registeredMeanwhile() throws {
        let bench = try Bench.withDevices()
        let first = try add(bench, "ann@example.com", .viewer)
        let second = try add(bench, "ann@example.com", .owner)
        #expect(hashings(bench).count == 1)
        try hash(bench)
        try hash(bench)
        #expect(bench.refusal(of: first) == nil)
        #expect(isInvalid(bench, second))
        #expect(list(bench).first?.role == .viewer)
    }

    @Test("a removed user's sessions end at once, and the user cannot log in")
    func removed() throws {
        let bench = try Bench.withDevices()
        let viewer = try email("viewer@sensibus.local")
        let removal = bench.ask(.removeUser(viewer))
        #expect(bench.replies(to: removal) == [.userRemoved(sessions: 1)])
        let digest = try #require(Bench.viewerToken)
        #expect(bench.access == [.userRemoved(viewer), .sessionsClosed([digest])])
        #expect(bench.refusal(of: bench.ask(.status, token: Bench.viewerToken)) == .unauthenticated)
        let login = try login(bench, viewer.address)
        #expect(checks(bench).last?.storedHash == nil)
        try finishLogin(bench)
        #expect(bench.refusal(of: login) == .unauthenticated)
    }

    @Test("users cannot remove themselves or the last owner")
    func stored() throws {
        let bench = try Bench.withDevices()
        let demo = try email("demo@sensibus.local")
        #expect(isNotAllowed(bench, bench.ask(.removeUser(demo))))
        try add(bench, "ann@example.com", .member, isOperator: true)
        try hash(bench)
        _ = try login(bench, "ann@example.com")
        try finishLogin(bench)
        #expect(isNotAllowed(bench, bench.ask(.removeUser(demo), token: Self.fresh)))
        try add(bench, "ben@example.com", .owner)
        try hash(bench)
        let removal = bench.ask(.removeUser(demo), token: Self.fresh)
        #expect(bench.replies(to: removal) == [.userRemoved(sessions: 1)])
    }

    @Test("a changed password ends the user's sessions, except the session that changed it")
    func passwordChanged() throws {
        let bench = try Bench.withDevices()
        _ = try login(bench, "demo@sensibus.local")
        try finishLogin(bench)
        bench.effects = []
        let change = try changePassword(bench, of: "demo@sensibus.local")
        try hash(bench)
        #expect(bench.replies(to: change) == [.passwordChanged(sessions: 1)])
        guard case .passwordChanged(let user)? = bench.access.first else {
            Issue.record("the new hash was not stored")
            return
        }
        #expect(user.passwordHash == "a new hash")
        #expect(bench.access.last == .sessionsClosed([try #require(Self.fresh)]))
        #expect(bench.refusal(of: bench.ask(.status)) == nil)
        #expect(bench.refusal(of: bench.ask(.status, token: Self.fresh)) == .unauthenticated)
        let others = try changePassword(bench, of: "viewer@sensibus.local")
        try hash(bench)
        #expect(bench.replies(to: others) == [.passwordChanged(sessions: 1)])
        #expect(bench.refusal(of: bench.ask(.status, token: Bench.viewerToken)) == .unauthenticated)
    }

    @Test("a login with the old password that was being checked during the change is refused")
    func checkedMeanwhile() throws {
        let bench = try Bench.withDevices()
        let change = try changePassword(bench, of: "viewer@sensibus.local")
        let login = try login(bench, "viewer@sensibus.local")
        try hash(bench)
        #expect(bench.replies(to: change) == [.passwordChanged(sessions: 1)])
        try finishLogin(bench)
        #expect(bench.refusal(of: login) == .unauthenticated)
    }

    @Test("a user is not added if the operator's session ended while the password was hashed")
    func askerLoggedOut() throws {
        let bench = try Bench.withDevices()
        let ann = try add(bench, "ann@example.com")
        bench.ask(.logout(everywhere: false))
        bench.effects.removeAll { if case .store(.access) = $0 { true } else { false } }
        try hash(bench)
        #expect(bench.refusal(of: ann) == .unauthenticated)
        #expect(bench.access.isEmpty)
    }

    @Test("additions wait for the worker in order, and those beyond the limit are busy")
    func bounded() throws {
        let bench = try Bench.withDevices()
        var correlations: [UInt64] = []
        for index in 0...(Limits.userChanges + 1) {
            correlations.append(try add(bench, "user\(index)@example.com"))
        }
        #expect(hashings(bench).count == 1)
        let last = try #require(correlations.last)
        #expect(bench.refusal(of: last) == .busy(retryAfter: .seconds(1)))
        for _ in correlations.dropLast() { try hash(bench) }
        for correlation in correlations.dropLast() { #expect(bench.refusal(of: correlation) == nil) }
        #expect(list(bench).count == Limits.userChanges + 3)
        bench.step(.passwordHashed(ticket: 1, hash: "of long ago"))
        #expect(list(bench).count == Limits.userChanges + 3)
    }

    @Test("the number of users of an account is bounded")
    func full() throws {
        let bench = try Bench.withDevices()
        for index in list(bench).count..<Limits.accountUsers {
            try add(bench, "user\(index)@example.com")
            try hash(bench)
        }
        #expect(isInvalid(bench, try add(bench, "late@example.com")))
    }

    @Test("passwords and hashes are in no description")
    func descriptions() throws {
        let bench = try Bench.withDevices()
        try add(bench, "ann@example.com")
        #expect(!"\(bench.effects)".contains(Self.secret))
        try hash(bench, as: "$argon2id$of ann")
        #expect(!"\(bench.effects)".contains("$argon2id$"))
        #expect(bench.access.count == 1)
    }
}
