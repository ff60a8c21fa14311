import ControllerCore
import FleetProtocol
import FleetTime

/// Users who log in and out, make keys, and use the logbook, the sites and the roster of their account.
///
/// Each has some sessions and keys, and now and then sends a request with one that has ended.
struct AccountClients {
    /// Users of each account: an owner and a member.
    static let perAccount = 2

    private struct User {
        let session: Session
        /// The sessions and keys that replies have announced and the client has not ended.
        var usable: [TokenDigest] = []
        /// The sessions and keys that the client has ended.
        var ended: [TokenDigest] = []
        var keys: [(name: APIKey.Name, digest: TokenDigest)] = []
        /// The last request, which may be sent again.
        var last: AccountQuestion?
    }

    private var users: [User] = []
    private var services: [AccountID: ServiceWorkload] = [:]
    private var lastKey = 0

    init(accounts: [AccountID]) {
        for account in accounts {
            services[account] = ServiceWorkload(account: account)
            for number in 0..<Self.perAccount {
                guard let email = Email("user-\(number)@\(account).local") else {
                    preconditionFailure("user \(number) of \(account) has no email")
                }
                let session = Session(
                    account: account, email: email, role: number == 0 ? .owner : .member, isOperator: false)
                users.append(User(session: session))
            }
        }
    }

    var count: Int { users.count }

    /// The users for the store.
    var records: [ControllerConfiguration.User] {
        users.map { .init(session: $0.session, passwordHash: Self.password(of: $0.session.email)) }
    }

    /// The account of a user.
    func account(of index: Int) -> AccountID { users[index].session.account }

    private static func password(of email: Email) -> String { "password of \(email)" }

    /// Whether a password matches a hash of the simulated store.
    static func matches(_ password: Password?, hash: String?) -> Bool {
        password != nil && password?.text == hash
    }

    /// Chooses the next request of a user.
    mutating func next(
        of index: Int, devices: [DeviceID], at now: WallTime, using random: inout SeededGenerator
    ) -> AccountQuestion {
        if let last = users[index].last, Int.random(in: 0..<10, using: &random) == 0 { return last }
        let isStale = Int.random(in: 0..<6, using: &random) == 0
        let known = isStale ? users[index].ended : users[index].usable
        guard let digest = known.randomElement(using: &random) else { return login(index, using: &random) }
        let question =
            switch Int.random(in: 0..<20, using: &random) {
            case 0: login(index, using: &random)
            case 1: logout(index, digest, using: &random)
            case 2: addKey(index, digest, using: &random)
            case 3: revokeKey(index, digest, using: &random)
            case 4: question(of: index, digest, Bool.random(using: &random) ? .who : .keys)
            case 5: question(of: index, digest, .history(back: .seconds(60), cursor: 0))
            case 6: question(of: index, digest, .snapshot(cursor: 0))
            default: service(index, digest, devices, at: now, using: &random)
            }
        users[index].last = question
        return question
    }

    private func question(
        of index: Int, _ digest: TokenDigest?, _ body: ClientRequest.Body, subject: TokenDigest? = nil
    ) -> AccountQuestion {
        let session = users[index].session
        return AccountQuestion(
            account: session.account, email: session.email, digest: digest, body: body, subject: subject)
    }

    private mutating func service(
        _ index: Int, _ digest: TokenDigest, _ devices: [DeviceID], at now: WallTime,
        using random: inout SeededGenerator
    ) -> AccountQuestion {
        let account = users[index].session.account
        let body = services[account]?.next(devices: devices, at: now, using: &random) ?? .status
        return question(of: index, digest, body)
    }

    private func login(_ index: Int, using random: inout SeededGenerator) -> AccountQuestion {
        let email = users[index].session.email
        let isRight = Int.random(in: 0..<16, using: &random) > 0
        guard let password = Password(isRight ? Self.password(of: email) : "another") else {
            preconditionFailure("the password of \(email) is too long")
        }
        var question = question(of: index, nil, .login(email: email, password: password))
        question.isPasswordRight = isRight
        return question
    }

    /// Logs out, everywhere now and then.
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

    /// A user receives the reply to a request.
    mutating func received(_ body: ClientReply.Body, to question: AccountQuestion, by index: Int) {
        switch body {
        case .session(_, let token): if let digest = TokenDigest(token.bytes) { begin(digest, of: index) }
        case .keyAdded(let key):
            guard let digest = question.subject else { return }
            begin(digest, of: index)
            if !users[index].keys.contains(where: { $0.digest == digest }) {
                users[index].keys.append((key.name, digest))
            }
        case .refusal(.unauthenticated): if let digest = question.digest { giveUp(digest, of: index) }
        default: services[question.account]?.received(body)
        }
    }

    private mutating func begin(_ digest: TokenDigest, of index: Int) {
        guard !users[index].usable.contains(digest), !users[index].ended.contains(digest) else { return }
        users[index].usable.append(digest)
    }
}
