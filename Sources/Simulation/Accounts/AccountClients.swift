import ControllerCore
import FleetProtocol

/// Users who log in and out, make keys, reset their passwords, and use the services of their account. Each
/// has some sessions and keys, and now and then sends a request with one that has ended. Some users sign up
/// first.
struct AccountClients {
    /// Users of each account: an owner and a member.
    private static let perAccount = 2
    private static let newcomers = 2
    /// The account of users who have not signed up.
    private static let noAccount = AccountID("unregistered") ?? Clients.accounts[0]

    private struct User {
        let email: Email
        let role: Session.Role
        /// nil before the sign-up.
        var account: AccountID?
        /// The passwords that the user has chosen; the last one may not be stored.
        var passwords: [Password] = []
        var resetTokens: [TokenDigest] = []
        /// The sessions and keys that replies have announced and the client has not ended.
        var usable: [TokenDigest] = []
        /// The sessions and keys that the client has ended.
        var ended: [TokenDigest] = []
        var keys: [(name: APIKey.Name, digest: TokenDigest)] = []
        /// When the unanswered log-in, sign-up or request for a reset token was sent; nil without one.
        var waitsSince: WallTime?
        /// The last request, which may be sent again.
        var last: AccountQuestion?
    }

    private var users: [User] = []
    private var services: [ServiceWorkload] = []
    private var lastKey = 0
    private var lastPassword = 0

    init(accounts: [AccountID]) {
        for account in accounts {
            services.append(ServiceWorkload(account: account))
            for number in 0..<Self.perAccount {
                add("user-\(number)@\(account).local", number == 0 ? .owner : .member, of: account)
            }
        }
        for number in 0..<Self.newcomers { add("newcomer-\(number)@sensibus.local", .owner, of: nil) }
    }

    private mutating func add(_ address: String, _ role: Session.Role, of account: AccountID?) {
        guard let email = Email(address) else { preconditionFailure("\(address) is no email") }
        users.append(User(email: email, role: role, account: account))
        users[users.count - 1].passwords = [newPassword()]
    }

    private mutating func newPassword() -> Password {
        lastPassword += 1
        guard let password = Password("password \(lastPassword)") else {
            preconditionFailure("password \(lastPassword) is too long")
        }
        return password
    }

    var count: Int { users.count }

    var records: [ControllerConfiguration.User] {
        users.compactMap { user in
            user.account.map { account in
                let session = Session(account: account, email: user.email, role: user.role, isOperator: false)
                return .init(session: session, passwordHash: user.passwords.last?.text ?? "")
            }
        }
    }

    func account(of index: Int) -> AccountID { users[index].account ?? Self.noAccount }

    /// The time after which a user no longer waits for the reply to a log-in. The controller delays log-ins
    /// after a wrong password, so a user has one at a time.
    private static let loginTimeout: Duration = .seconds(2)

    /// Chooses the next request of a user; nil if the user waits for the reply to a log-in.
    mutating func next(
        of index: Int, devices: [DeviceID], at now: WallTime, using random: inout SeededGenerator
    ) -> AccountQuestion? {
        if let since = users[index].waitsSince, since.duration(to: now) < Self.loginTimeout { return nil }
        let next = choose(of: index, devices: devices, at: now, using: &random)
        if next.body.waitsForPassword { users[index].waitsSince = now }
        return next
    }

    private mutating func choose(
        of index: Int, devices: [DeviceID], at now: WallTime, using random: inout SeededGenerator
    ) -> AccountQuestion {
        guard users[index].account != nil else { return signUp(index) }
        if let last = users[index].last, Int.random(in: 0..<10, using: &random) == 0 { return last }
        let isStale = Int.random(in: 0..<6, using: &random) == 0
        let known = isStale ? users[index].ended : users[index].usable
        guard let digest = known.randomElement(using: &random) else { return login(index, using: &random) }
        let question =
            switch Int.random(in: 0..<24, using: &random) {
            case 0: login(index, using: &random)
            case 1: logout(index, digest, using: &random)
            case 2: addKey(index, digest, using: &random)
            case 3: revokeKey(index, digest, using: &random)
            case 4: question(of: index, digest, Bool.random(using: &random) ? .who : .keys)
            case 5: question(of: index, digest, .history(back: .seconds(60), cursor: 0))
            case 6: question(of: index, digest, .snapshot(cursor: 0))
            case 7...8: resetPassword(index, using: &random)
            default: service(index, digest, devices, at: now, using: &random)
            }
        users[index].last = question
        return question
    }

    private func question(
        of index: Int, _ digest: TokenDigest?, _ body: ClientRequest.Body, subject: TokenDigest? = nil
    ) -> AccountQuestion {
        AccountQuestion(
            account: account(of: index), email: users[index].email, digest: digest, body: body,
            subject: subject)
    }

    private mutating func service(
        _ index: Int, _ digest: TokenDigest, _ devices: [DeviceID], at now: WallTime,
        using random: inout SeededGenerator
    ) -> AccountQuestion {
        let place = place(ofServicesOf: account(of: index))
        let body = services[place].next(devices: devices, at: now, using: &random)
        return question(of: index, digest, body)
    }

    private mutating func place(ofServicesOf account: AccountID) -> Int {
        if let place = services.firstIndex(where: { $0.account == account }) { return place }
        services.append(ServiceWorkload(account: account))
        return services.count - 1
    }

    private mutating func login(_ index: Int, using random: inout SeededGenerator) -> AccountQuestion {
        let known = users[index].passwords
        let password =
            switch Int.random(in: 0..<16, using: &random) {
            case 0: newPassword()
            case 1...2: known.randomElement(using: &random) ?? newPassword()
            default: known.last ?? newPassword()
            }
        return question(of: index, nil, .login(email: users[index].email, password: password), password)
    }

    private func question(
        of index: Int, _ digest: TokenDigest?, _ body: ClientRequest.Body, _ password: Password
    ) -> AccountQuestion {
        var question = question(of: index, digest, body)
        question.password = password.text
        return question
    }

    private mutating func signUp(_ index: Int) -> AccountQuestion {
        let password = users[index].passwords.last ?? newPassword()
        let body = SelfServiceRequest.signUp(email: users[index].email, password: password)
        return question(of: index, nil, .selfService(body), password)
    }

    /// Asks for a reset token, or chooses a new password with a token, which may have been used.
    private mutating func resetPassword(
        _ index: Int, using random: inout SeededGenerator
    ) -> AccountQuestion {
        guard let token = users[index].resetTokens.randomElement(using: &random),
            Int.random(in: 0..<3, using: &random) > 0
        else { return question(of: index, nil, .selfService(.forgotPassword(users[index].email))) }
        let password = newPassword()
        users[index].passwords.append(password)
        let retainsKeys = Bool.random(using: &random)
        return question(
            of: index, token, .selfService(.resetPassword(to: password, retainsKeys: retainsKeys)), password)
    }

    mutating func received(_ message: OutgoingMessage) {
        guard let index = users.firstIndex(where: { $0.email == message.recipient }),
            let digest = TokenDigest(message.token.bytes)
        else { return }
        users[index].resetTokens = users[index].resetTokens.suffix(1) + [digest]
    }

    private mutating func logout(
        _ index: Int, _ digest: TokenDigest, using random: inout SeededGenerator
    ) -> AccountQuestion {
        giveUp(digest, of: index)
        return question(of: index, digest, .logout(everywhere: Int.random(in: 0..<8, using: &random) == 0))
    }

    private mutating func addKey(
        _ index: Int, _ digest: TokenDigest, using random: inout SeededGenerator
    ) -> AccountQuestion {
        lastKey += 1
        let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        guard let name = APIKey.Name("key-\(lastKey)"), let key = TokenDigest(bytes) else {
            preconditionFailure("key \(lastKey) has no name")
        }
        let scope: APIKey.Scope = Bool.random(using: &random) ? .switch : .read
        return question(of: index, digest, .addKey(name, key, scope), subject: key)
    }

    private mutating func revokeKey(
        _ index: Int, _ digest: TokenDigest, using random: inout SeededGenerator
    ) -> AccountQuestion {
        guard let key = users[index].keys.randomElement(using: &random) else {
            return question(of: index, digest, .keys)
        }
        giveUp(key.digest, of: index)
        return question(of: index, digest, .revokeKey(key.name), subject: key.digest)
    }

    private mutating func giveUp(_ digest: TokenDigest, of index: Int) {
        users[index].usable.removeAll { $0 == digest }
        users[index].keys.removeAll { $0.digest == digest }
        if !users[index].ended.contains(digest) { users[index].ended.append(digest) }
    }

    mutating func received(
        _ body: ClientReply.Body, _ content: ClientReply.Body.Decoded?, to question: AccountQuestion,
        by index: Int
    ) {
        if question.body.waitsForPassword { users[index].waitsSince = nil }
        switch body {
        case .session(let session, let token):
            users[index].account = session.account
            if let digest = TokenDigest(token.bytes) { begin(digest, of: index) }
        case .keyAdded(let key):
            guard let digest = question.subject else { return }
            begin(digest, of: index)
            if !users[index].keys.contains(where: { $0.digest == digest }) {
                users[index].keys.append((key.name, digest))
            }
        case .refusal(.unauthenticated): if let digest = question.digest { giveUp(digest, of: index) }
        default: if let content { services[place(ofServicesOf: question.account)].received(content) }
        }
    }

    private mutating func begin(_ digest: TokenDigest, of index: Int) {
        guard !users[index].usable.contains(digest), !users[index].ended.contains(digest) else { return }
        users[index].usable.append(digest)
    }
}

extension ClientRequest.Body {
    /// Whether the controller delays the reply after wrong passwords.
    fileprivate var waitsForPassword: Bool {
        switch self {
        case .login, .selfService(.signUp), .selfService(.forgotPassword): true
        default: false
        }
    }
}
