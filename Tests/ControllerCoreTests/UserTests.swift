import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Users")
struct UserTests {
    private let bench = Bench.withDevices()

    private func changePassword(of email: Email, token: TokenDigest? = Bench.token) -> UInt64 {
        bench.ask(.changePassword(email, to: .secret), token: token)
    }

    @Test("a user is added with a hash, journalled before the reply, and can log in")
    func added() throws {
        let correlation = bench.addUser(.ann, .viewer)
        #expect(bench.hashings.map(\.password.text) == [Password.secret.text])
        #expect(bench.replies(to: correlation).isEmpty)
        bench.effects = []
        bench.step(.passwordHashed(ticket: 1, hash: "hash of ann"))
        let ann = User(email: .ann, role: .viewer, isOperator: false)
        let session = Session(.ann, .viewer)
        let stored = ControllerConfiguration.User(session: session, passwordHash: "hash of ann")
        #expect(
            bench.effects == [
                .store(.access(.userAdded(stored))),
                .reply(Bench.client, ClientReply(correlation: correlation, body: .userAdded(ann))),
            ])
        let login = bench.login(.ann)
        #expect(bench.checks.last?.storedHash == "hash of ann")
        try bench.finishCheck()
        #expect(bench.replies(to: login) == [.session(session, .of(9))])
        #expect(bench.refusal(of: bench.toggle(token: .of(9)).correlation)?.kind == "notAllowed")
    }

    @Test("an account's users are listed by email, to its operators only")
    func listed() throws {
        bench.addUser(.ann)
        try bench.finishHashing()
        #expect(
            bench.users().map(\.email.address) == [
                "ann@example.com", "demo@sensibus.local", "viewer@sensibus.local",
            ])
        #expect(bench.users().map(\.role) == [.member, .owner, .viewer])
        #expect(bench.users().map(\.isOperator) == [false, true, false])
        for token in [Bench.viewerToken, Bench.strangerToken] {
            #expect(bench.refusal(to: .users, token: token)?.kind == "notAllowed")
        }
    }

    @Test("only operators can change users", arguments: [Bench.viewerToken, Bench.strangerToken])
    func operatorsOnly(token: TokenDigest?) {
        let ann = bench.addUser(.ann, token: token)
        let removal = bench.ask(.removeUser(.viewer), token: token)
        let change = changePassword(of: .viewer, token: token)
        for correlation in [ann, removal, change] {
            #expect(bench.refusal(of: correlation)?.kind == "notAllowed")
        }
        #expect(bench.hashings.isEmpty)
        #expect(bench.access.isEmpty)
    }

    @Test("users of other accounts appear not to exist")
    func foreign() {
        for email in [Email.eve, .ann] {
            #expect(bench.refusal(to: .removeUser(email)) == .notFound)
            #expect(bench.refusal(of: changePassword(of: email)) == .notFound)
        }
        #expect(bench.refusal(to: .status, token: Bench.strangerToken) == nil)
    }

    @Test("a user's email is unique across accounts", arguments: [Email.viewer, .eve])
    func inUse(email: Email) {
        #expect(bench.refusal(of: bench.addUser(email))?.kind == "invalid")
        #expect(bench.hashings.isEmpty)
    }

    @Test("of two pending additions of one email, the second is refused")
    func registeredMeanwhile() throws {
        let first = bench.addUser(.ann, .viewer)
        let second = bench.addUser(.ann, .owner)
        #expect(bench.hashings.count == 1)
        try bench.finishHashing()
        try bench.finishHashing()
        #expect(bench.refusal(of: first) == nil)
        #expect(bench.refusal(of: second)?.kind == "invalid")
        #expect(bench.users().first?.role == .viewer)
    }

    @Test("a removed user's sessions end at once, and the user cannot log in")
    func removed() throws {
        #expect(bench.replies(to: bench.ask(.removeUser(.viewer))) == [.userRemoved(sessions: 1)])
        #expect(bench.access == [.userRemoved(.viewer), .sessionsClosed([Bench.viewerToken])])
        #expect(bench.refusal(to: .status, token: Bench.viewerToken) == .unauthenticated)
        let login = bench.login(.viewer)
        #expect(bench.checks.last?.storedHash == nil)
        try bench.finishCheck()
        #expect(bench.refusal(of: login) == .unauthenticated)
    }

    @Test("users cannot remove themselves or the last owner")
    func stored() throws {
        #expect(bench.refusal(to: .removeUser(.demo))?.kind == "notAllowed")
        bench.addUser(.ann, .member, isOperator: true)
        try bench.finishHashing()
        bench.login(.ann)
        try bench.finishCheck()
        #expect(bench.refusal(to: .removeUser(.demo), token: .of(9))?.kind == "notAllowed")
        bench.addUser(valid(Email("ben@example.com")), .owner)
        try bench.finishHashing()
        let removal = bench.ask(.removeUser(.demo), token: .of(9))
        #expect(bench.replies(to: removal) == [.userRemoved(sessions: 1)])
    }

    @Test("a changed password ends the user's sessions, except the session that changed it")
    func passwordChanged() throws {
        bench.login(.demo)
        try bench.finishCheck()
        bench.effects = []
        let change = changePassword(of: .demo)
        try bench.finishHashing()
        #expect(bench.replies(to: change) == [.passwordChanged(sessions: 1)])
        let session = Session(.demo, .owner, isOperator: true)
        let user = ControllerConfiguration.User(session: session, passwordHash: "a new hash")
        #expect(bench.access == [.passwordChanged(user), .sessionsClosed([.of(9)])])
        #expect(bench.refusal(to: .status) == nil)
        #expect(bench.refusal(to: .status, token: .of(9)) == .unauthenticated)
        let others = changePassword(of: .viewer)
        try bench.finishHashing()
        #expect(bench.replies(to: others) == [.passwordChanged(sessions: 1)])
        #expect(bench.refusal(to: .status, token: Bench.viewerToken) == .unauthenticated)
    }

    @Test("a login with the old password that was being checked during the change is refused")
    func checkedMeanwhile() throws {
        let change = changePassword(of: .viewer)
        let login = bench.login(.viewer)
        try bench.finishHashing()
        #expect(bench.replies(to: change) == [.passwordChanged(sessions: 1)])
        try bench.finishCheck()
        #expect(bench.refusal(of: login) == .unauthenticated)
    }

    @Test("a user is not added if the operator's session ended while the password was hashed")
    func askerLoggedOut() throws {
        let ann = bench.addUser(.ann)
        bench.ask(.logout(everywhere: false))
        bench.effects.removeAll { if case .store(.access) = $0 { true } else { false } }
        try bench.finishHashing()
        #expect(bench.refusal(of: ann) == .unauthenticated)
        #expect(bench.access.isEmpty)
    }

    @Test("additions wait for the worker in order, and those beyond the limit are busy")
    func bounded() throws {
        let correlations = (0...(Limits.userChanges + 1)).map {
            bench.addUser(valid(Email("user\($0)@example.com")))
        }
        #expect(bench.hashings.count == 1)
        let last = try #require(correlations.last)
        #expect(bench.refusal(of: last) == .busy(retryAfter: .seconds(1)))
        for _ in correlations.dropLast() { try bench.finishHashing() }
        for correlation in correlations.dropLast() { #expect(bench.refusal(of: correlation) == nil) }
        #expect(bench.users().count == Limits.userChanges + 3)
        bench.step(.passwordHashed(ticket: 1, hash: "of long ago"))
        #expect(bench.users().count == Limits.userChanges + 3)
    }

    @Test("the number of users of an account is bounded")
    func full() throws {
        for index in bench.users().count..<Limits.accountUsers {
            bench.addUser(valid(Email("user\(index)@example.com")))
            try bench.finishHashing()
        }
        #expect(bench.refusal(of: bench.addUser(.ann))?.kind == "invalid")
    }

    @Test("passwords and hashes are in no description")
    func descriptions() throws {
        bench.addUser(.ann)
        #expect(!"\(bench.effects)".contains(Password.secret.text))
        try bench.finishHashing(as: "$argon2id$of ann")
        #expect(!"\(bench.effects)".contains("$argon2id$"))
        #expect(bench.access.count == 1)
    }

    // MARK: Roles

    @Test("a new role applies to open sessions at once, is stored before the reply, and survives a restart")
    func roleChanged() {
        func toggleRefusal() -> String? {
            bench.refusal(of: bench.toggle(token: Bench.viewerToken).correlation)?.kind
        }
        #expect(toggleRefusal() == "notAllowed")
        bench.effects = []
        let change = bench.ask(.changeRole(.viewer, to: .member))
        let stored = ControllerConfiguration.User(
            session: Session(.viewer, .member), passwordHash: "hash of viewer@sensibus.local")
        #expect(bench.effects.first == .store(.access(.roleChanged(stored))))
        let reported = User(email: .viewer, role: .member, isOperator: false)
        #expect(bench.replies(to: change) == [.userChanged(reported)])
        #expect(toggleRefusal() == nil)
        #expect(bench.users().contains(reported))
        bench.ask(.changeRole(.viewer, to: .viewer))
        #expect(toggleRefusal() == "notAllowed")
    }

    @Test("only operators can change a role, only in their own account, and not their own role")
    func roleRefused() {
        let change = ClientRequest.Body.changeRole(.viewer, to: .owner)
        #expect(bench.refusal(to: change, token: Bench.viewerToken)?.kind == "notAllowed")
        for email in [Email.eve, .ann] {
            #expect(bench.refusal(to: .changeRole(email, to: .viewer)) == .notFound)
        }
        #expect(bench.refusal(to: .changeRole(.demo, to: .viewer))?.kind == "notAllowed")
        #expect(bench.access.isEmpty)
    }

    @Test("an operator who is not an owner cannot change the role of the account's last owner")
    func lastOwnersRole() {
        let bench = Bench.withDevices {
            $0.add(Session(.ann, .member, isOperator: true), digest: .of(77))
        }
        let refusal = bench.refusal(to: .changeRole(.demo, to: .member), token: .of(77))
        #expect(refusal == .notAllowed("\(Email.demo) is the account's last owner"))
        #expect(bench.access.isEmpty)
    }
}
