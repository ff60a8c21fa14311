import ControllerCore
import FleetProtocol

/// The sessions and API keys that controllers have stored, and how they ended. Invariants: a session or key
/// is stored before the reply that announces it leaves, and it is accepted until a client ends it. After the
/// reply that announces its end, every newer controller process refuses it.
struct CredentialHistory {
    private struct Credential {
        let email: Email
        /// The scope of a key; nil for a session.
        let scope: APIKey.Scope?
        /// Whether a late copy of a request may have added a revoked key again.
        var mayReturn = false
        /// Whether a reply has announced it to a client.
        var isPromised = false
        /// Whether a client has requested its end, or the controller has ended it.
        var isBeingRevoked = false
        /// Whether a new password of its user was stored after it.
        var isBeforePassword = false
        /// Whether a reply has announced its end to a client.
        var hasEnded = false
    }

    private var credentials: [TokenDigest: Credential] = [:]

    mutating func stored(_ entry: AccessEntry) {
        switch entry {
        case .sessionOpened(let digest, let email, _): store(digest, of: email, scope: nil)
        case .keyAdded(let key, let digest): store(digest, of: key.user, scope: key.scope)
        case .sessionsClosed(let digests), .keysRevoked(let digests):
            for digest in digests { credentials[digest]?.isBeingRevoked = true }
        case .passwordChanged(let user):
            change(of: user.session.email) { $0.isBeforePassword = true }
        case .sessionUsed, .userAdded, .userRemoved, .roleChanged, .loginFailed, .loginForgiven,
            .resetBegan, .resetEnded, .signUpsSpent:
            break
        }
    }

    private mutating func store(_ digest: TokenDigest, of email: Email, scope: APIKey.Scope?) {
        if credentials[digest] == nil { credentials[digest] = Credential(email: email, scope: scope) }
    }

    /// Records that a client requests the end of sessions or keys.
    mutating func asked(_ question: AccountQuestion) { end(by: question) }

    /// Sessions and keys that a request ends may be refused from now on, also before their end is stored.
    private mutating func end(by question: AccountQuestion) {
        switch question.body {
        case .logout(let everywhere):
            if let digest = question.digest { credentials[digest]?.isBeingRevoked = true }
            if everywhere { change(of: question.email) { $0.isBeingRevoked = true } }
        case .selfService(.resetPassword(_, let retainsKeys)):
            change(of: question.email) { if $0.scope == nil || !retainsKeys { $0.isBeingRevoked = true } }
        case .revokeKey: if let digest = question.subject { credentials[digest]?.isBeingRevoked = true }
        default: break
        }
    }

    private mutating func change(of email: Email, _ change: (inout Credential) -> Void) {
        for (digest, var credential) in credentials where credential.email == email {
            change(&credential)
            credentials[digest] = credential
        }
    }

    /// Whether a reply has announced the end of a session or key.
    func hasEnded(_ digest: TokenDigest?) -> Bool {
        guard let credential = digest.flatMap({ credentials[$0] }) else { return false }
        return credential.hasEnded && !credential.mayReturn
    }

    mutating func received(_ question: AccountQuestion) {
        end(by: question)
        guard case .addKey = question.body, let key = question.subject else { return }
        if credentials[key]?.isBeingRevoked == true { credentials[key]?.mayReturn = true }
    }

    mutating func replied(
        _ body: ClientReply.Body, to question: AccountQuestion, isNewest: Bool, into findings: inout Findings
    ) {
        if case .session(let session, let token) = body {
            return opened(session, TokenDigest(token.bytes), for: question, into: &findings)
        }
        if case .selfService(.passwordReset(let email, _, _)) = body,
            case .selfService(.resetPassword(_, let retainsKeys)) = question.body
        {
            return change(of: email) { credential in
                let isOver = credential.scope == nil || !retainsKeys
                if isOver, credential.isBeforePassword { credential.hasEnded = true }
            }
        }
        guard let digest = question.digest, let credential = credentials[digest] else { return }
        let isRefused = body == .refusal(.unauthenticated)
        if isRefused { findings.seen.insert("unauthenticated") }
        // A superseded controller does not know later changes.
        if isNewest, !isRefused, question.hadEnded {
            findings.violate("\(question.email) is answered \(body) with a session or key that has ended")
        }
        if isNewest, isRefused, credential.isPromised, !credential.isBeingRevoked {
            findings.violate("\(question.email) is refused with a session or key that has not ended")
        }
        if credential.scope == .read, !Controller.isReadOnly(question.body) {
            if case .refusal = body {
            } else {
                findings.violate("\(question.email) changes something with a key that only reads: \(body)")
            }
        }
        end(by: body, of: question, digest, into: &findings)
    }

    private mutating func end(
        by body: ClientReply.Body, of question: AccountQuestion, _ digest: TokenDigest,
        into findings: inout Findings
    ) {
        switch body {
        case .signedOut:
            findings.seen.insert("logged out")
            credentials[digest]?.hasEnded = true
        case .keyRevoked:
            findings.seen.insert("key revoked")
            if let key = question.subject { credentials[key]?.hasEnded = true }
        case .keyAdded:
            guard let key = question.subject, credentials[key] != nil else {
                return findings.violate("\(question.email) has a key that is not stored")
            }
            findings.seen.insert("key added")
            credentials[key]?.isPromised = true
        default: break
        }
    }

    private mutating func opened(
        _ session: Session, _ digest: TokenDigest?, for question: AccountQuestion,
        into findings: inout Findings
    ) {
        findings.seen.insert("logged in")
        if session.email != question.email {
            findings.violate("\(question.email) has opened a session of \(session.email)")
        }
        guard let digest, credentials[digest] != nil else {
            return findings.violate("\(question.email) has a session that is not stored")
        }
        credentials[digest]?.isPromised = true
    }
}
