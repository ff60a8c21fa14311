import ControllerCore
import FleetProtocol

/// The passwords and reset tokens of users, as controllers have stored them.
///
/// Invariants: a session is opened only with a password that was stored for its user and not replaced before
/// the log-in arrived. A user who signs up owns an account of their own, which is stored before the reply. A
/// password is reset only with a token that is stored, was sent to the user, and has not been used.
struct PasswordHistory {
    fileprivate struct User {
        let account: AccountID
        /// Every stored password, the current one last.
        var passwords: [String]
    }

    private struct ResetToken {
        let email: Email
        var isSent = false
        /// Whether a controller has received a request that may end it.
        var isBeingRevoked = false
        /// Whether a reply has announced that it was used.
        var hasEnded = false
    }

    private var users: [Email: User]
    private var tokens: [TokenDigest: ResetToken] = [:]
    /// The password resets that a controller has received and not answered.
    private var openResets: [Email: Set<UInt64>] = [:]

    init(users: [ControllerConfiguration.User]) {
        self.users = Dictionary(uniqueKeysWithValues: users.map { ($0.session.email, User($0)) })
    }

    mutating func stored(_ entry: AccessEntry, into findings: inout Findings) {
        switch entry {
        case .userAdded(let user):
            let session = user.session
            if users.values.contains(where: { $0.account == session.account }) || users[session.email] != nil
            {
                findings.violate("\(session.email) signs up into the account of another user")
            }
            users[session.email] = User(user)
        case .passwordChanged(let user): users[user.session.email]?.passwords.append(user.passwordHash)
        case .resetBegan(let reset):
            endTokens(of: reset.email, except: reset.digest)
            if tokens[reset.digest] == nil { tokens[reset.digest] = ResetToken(email: reset.email) }
        case .resetEnded(let email): endTokens(of: email, except: nil)
        default: break
        }
    }

    private mutating func endTokens(of email: Email, except newest: TokenDigest?) {
        for (digest, token) in tokens where token.email == email && digest != newest {
            tokens[digest]?.isBeingRevoked = true
        }
    }

    /// Nil for an address without a user.
    func replacedPasswords(of email: Email) -> Int? { users[email].map { $0.passwords.count - 1 } }

    /// Whether a reply has announced that a reset token was used.
    func hasEnded(_ digest: TokenDigest?) -> Bool { digest.flatMap { tokens[$0]?.hasEnded } ?? false }

    /// Records that a controller receives a request; returns whether its reset token was usable before. What
    /// the request changes may be in effect before it is stored.
    mutating func received(_ question: AccountQuestion, as correlation: UInt64) -> Bool {
        switch question.body {
        case .selfService(.forgotPassword(let email, _)):
            endTokens(of: email, except: nil)
            return false
        case .selfService(.resetPassword):
            openResets[question.email, default: []].insert(correlation)
            guard let digest = question.digest, let token = tokens[digest] else { return false }
            tokens[digest]?.isBeingRevoked = true
            return token.isSent && !token.isBeingRevoked && !question.isReceived
        default: return false
        }
    }

    mutating func ended() { openResets = [:] }

    mutating func sent(_ message: OutgoingMessage, into findings: inout Findings) {
        guard let digest = TokenDigest(message.token.bytes), let token = tokens[digest],
            token.email == message.recipient
        else { return findings.violate("\(message) has a token that is not stored") }
        findings.seen.insert("reset token sent")
        tokens[digest]?.isSent = true
    }

    mutating func replied(
        _ reply: ClientReply, to question: AccountQuestion, isNewest: Bool, into findings: inout Findings
    ) {
        defer { if question.password != "" { openResets[question.email]?.remove(reply.correlation) } }
        switch (question.body, reply.body) {
        case (.login, .session(let session, _)): opened(session, for: question, into: &findings)
        case (.selfService(.signUp), .session(let session, _)):
            findings.seen.insert("signed up")
            opened(session, for: question, into: &findings)
        case (.login, .refusal(.unauthenticated)), (.selfService(.signUp), .refusal(.unauthenticated)):
            guard isNewest, openResets[question.email]?.isEmpty != false,
                let first = question.replacedPasswords, let user = users[question.email],
                user.passwords[first...] == [question.password]
            else { return }
            findings.violate("\(question.email) is refused with the stored password")
        case (.selfService(.resetPassword), .selfService(.passwordReset(let email, _, _))):
            reset(email, by: question, into: &findings)
        case (.selfService(.resetPassword), .refusal(.unauthenticated)):
            if isNewest, question.isTokenUsable {
                findings.violate("\(question.email) is refused with a reset token that was not used")
            }
        default: break
        }
    }

    private func opened(_ session: Session, for question: AccountQuestion, into findings: inout Findings) {
        guard let user = users[session.email] else {
            return findings.violate("\(session.email) has a session, and is not stored")
        }
        if user.account != session.account {
            findings.violate("\(session.email) of \(user.account) has a session of \(session.account)")
        }
        if !user.passwords[(question.replacedPasswords ?? 0)...].contains(question.password) {
            findings.violate("\(question.email) logs in with a wrong password, or with a replaced one")
        }
    }

    private mutating func reset(_ email: Email, by question: AccountQuestion, into findings: inout Findings) {
        findings.seen.insert("password reset")
        guard let digest = question.digest, let token = tokens[digest], token.email == email else {
            return findings.violate("\(email) has a new password by a token that is not stored for it")
        }
        if question.hadEnded { findings.violate("\(email) has a new password by a token that was used") }
        if users[email]?.passwords.contains(question.password) != true {
            findings.violate("\(email) has a new password that is not stored")
        }
        tokens[digest]?.hasEnded = true
    }
}

extension PasswordHistory.User {
    fileprivate init(_ user: ControllerConfiguration.User) {
        self.init(account: user.session.account, passwords: [user.passwordHash])
    }
}
