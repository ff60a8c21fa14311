import FleetProtocol
import Stepping

/// Who may log in to an account: what its operators ask and change.
extension Controller {
    /// Answers an operator; nobody else learns who the users are.
    mutating func manageUsers(
        _ body: ClientRequest.Body, as asker: TokenDigest, entry: Sessions.Entry, waiter: Waiter,
        into effects: inout Effects
    ) {
        guard entry.session.isOperator else {
            return refuse(.notAllowed("users are managed by operators"), to: waiter, into: &effects)
        }
        switch body {
        case .users: reply(.users(users(of: entry.session.account)), to: waiter, into: &effects)
        case .removeUser(let email): remove(email, by: entry.session, waiter: waiter, into: &effects)
        case .changeRole(let email, let role):
            changeRole(of: email, to: role, by: entry.session, waiter: waiter, into: &effects)
        case .addUser(let user, let password):
            let change = UserChanges.Change(
                kind: .add(user), password: password, account: entry.account, asker: asker, waiter: waiter)
            begin(change, by: entry.session, into: &effects)
        case .changePassword(let email, let password, let keepsKeys):
            let change = UserChanges.Change(
                kind: .passwordChange(email, keepsKeys: keepsKeys), password: password,
                account: entry.account, asker: asker,
                waiter: waiter)
            begin(change, by: entry.session, into: &effects)
        case .login, .logout, .command, .cancel, .outcome, .snapshot, .status, .inject, .heal, .scenario,
            .retire, .faults, .keys, .addKey, .revokeKey, .who, .history, .posts, .post, .comments,
            .counters, .addPost, .addComment, .editPost, .removePost, .authors, .wayIn, .sites, .sequences,
            .roster,
            .streamTicket:
            preconditionFailure("\(body) is not about users")
        }
    }

    /// The worker has hashed a password: the change is made, if it still may be.
    ///
    /// The asker's session may have ended meanwhile, and others may have changed the same user.
    mutating func finishUserChange(
        _ ticket: UInt64, hash: String, at now: Moment, into effects: inout Effects
    ) {
        guard let change = userChanges.finish(ticket) else { return }
        if case .reset(let keepsKeys) = change.kind {
            finishReset(change, hash: hash, keepsKeys: keepsKeys, at: now, into: &effects)
        } else if let session = sessions.use(change.asker, at: now.wall)?.session {
            finish(change, hash: hash, by: session, into: &effects)
        } else {
            refuse(.unauthenticated, to: change.waiter, into: &effects)
        }
        startHashing(into: &effects)
    }

    private func users(of account: AccountID) -> [User] {
        users.values.map(\.session).filter { $0.account == account }.sorted { $0.email < $1.email }
            .map { User(email: $0.email, role: $0.role, isOperator: $0.isOperator) }
    }

    /// The user of an account; a foreign one and one that does not exist look the same.
    private func user(_ email: Email, of account: AccountID) -> ControllerConfiguration.User? {
        users[email].flatMap { $0.session.account == account ? $0 : nil }
    }

    private mutating func begin(
        _ change: UserChanges.Change, by session: Session, into effects: inout Effects
    ) {
        if let refusal = refusal(of: change.kind, by: session) {
            return refuse(refusal, to: change.waiter, into: &effects)
        }
        enqueue(change, into: &effects)
    }

    /// Queues a change until its password is hashed; one with a password that is too short is refused.
    mutating func enqueue(_ change: UserChanges.Change, into effects: inout Effects) {
        guard change.password.isLongEnough else {
            return refuse(.shortPassword, to: change.waiter, into: &effects)
        }
        if isStorageFull {
            return refuse(.storageFull(retryAfter: Limits.storageRetry), to: change.waiter, into: &effects)
        }
        guard userChanges.enqueue(change, as: standing(of: change.account)) else {
            return refuse(.busy(retryAfter: .seconds(1)), to: change.waiter, into: &effects)
        }
        startHashing(into: &effects)
    }

    private mutating func startHashing(into effects: inout Effects) {
        if let hashing = userChanges.next() { effects.hashings.append(hashing) }
    }

    private func refusal(of kind: UserChanges.Change.Kind, by session: Session) -> Refusal? {
        switch kind {
        case .add(let user):
            if users[user.email] != nil { return .invalid("email: \(user.email) is taken") }
            guard users(of: session.account).count < Limits.accountUsers else {
                return .invalid("the account has \(Limits.accountUsers) users, and no more have room")
            }
            return nil
        case .passwordChange(let email, keepsKeys: _):
            return user(email, of: session.account) == nil ? .notFound : nil
        case .reset: preconditionFailure("whoever forgot their password has no session")
        }
    }

    private mutating func finish(
        _ change: UserChanges.Change, hash: String, by session: Session, into effects: inout Effects
    ) {
        if let refusal = refusal(of: change.kind, by: session) {
            return refuse(refusal, to: change.waiter, into: &effects)
        }
        switch change.kind {
        case .add(let user):
            let added = ControllerConfiguration.User(
                session: Session(
                    account: session.account, email: user.email, role: user.role,
                    isOperator: user.isOperator),
                passwordHash: hash)
            users[user.email] = added
            effects.store(.access(.userAdded(added)))
            reply(.userAdded(user), to: change.waiter, into: &effects)
        case .passwordChange(let email, let keepsKeys):
            guard let user = users[email] else { preconditionFailure("\(email) was there a moment ago") }
            let changed = ControllerConfiguration.User(session: user.session, passwordHash: hash)
            users[email] = changed
            effects.store(.access(.passwordChanged(changed)))
            endRecovery(of: email, into: &effects)
            let ended = endSessions(of: email, but: change.asker, into: &effects)
            let revoked = keepsKeys ? 0 : revokeKeys(of: email, into: &effects)
            reply(.passwordChanged(sessions: ended, keys: revoked), to: change.waiter, into: &effects)
        case .reset: preconditionFailure("whoever forgot their password has no session")
        }
    }

    /// Whoever asks stays, and so does an owner: an account is never left without somebody to look after it.
    private mutating func remove(
        _ email: Email, by session: Session, waiter: Waiter, into effects: inout Effects
    ) {
        guard let user = user(email, of: session.account) else {
            return refuse(.notFound, to: waiter, into: &effects)
        }
        guard email != session.email else {
            return refuse(.notAllowed("nobody removes themselves"), to: waiter, into: &effects)
        }
        let owners = users(of: session.account).filter { $0.role == .owner }
        guard user.session.role != .owner || owners.count > 1 else {
            return refuse(.notAllowed("\(email) is the account's last owner"), to: waiter, into: &effects)
        }
        users[email] = nil
        effects.store(.access(.userRemoved(email)))
        endRecovery(of: email, into: &effects)
        let ended = endSessions(of: email, into: &effects)
        revokeKeys(of: email, into: &effects)
        reply(.userRemoved(sessions: ended), to: waiter, into: &effects)
    }

    /// Changes a user's role.
    ///
    /// It is refused for the last owner and for the operator's own role, so that an account always has an
    /// owner.
    private mutating func changeRole(
        of email: Email, to role: Session.Role, by session: Session, waiter: Waiter,
        into effects: inout Effects
    ) {
        guard let user = user(email, of: session.account) else {
            return refuse(.notFound, to: waiter, into: &effects)
        }
        guard email != session.email else {
            return refuse(.notAllowed("you cannot change your own role"), to: waiter, into: &effects)
        }
        let owners = users(of: session.account).filter { $0.role == .owner }
        guard user.session.role != .owner || role == .owner || owners.count > 1 else {
            return refuse(.notAllowed("\(email) is the account's last owner"), to: waiter, into: &effects)
        }
        if isStorageFull {
            return refuse(.storageFull(retryAfter: Limits.storageRetry), to: waiter, into: &effects)
        }
        let changed = ControllerConfiguration.User(
            session: Session(
                account: session.account, email: email, role: role, isOperator: user.session.isOperator),
            passwordHash: user.passwordHash)
        users[email] = changed
        sessions.change(changed.session)
        effects.store(.access(.roleChanged(changed)))
        let told = User(email: email, role: role, isOperator: changed.session.isOperator)
        reply(.userChanged(told), to: waiter, into: &effects)
    }

    /// Ends the sessions of a user; returns how many.
    mutating func endSessions(
        of email: Email, but kept: TokenDigest? = nil, into effects: inout Effects
    ) -> UInt32 {
        let ended = sessions.all(of: email).filter { $0 != kept }
        ended.forEach { sessions.close($0) }
        if !ended.isEmpty { effects.store(.access(.sessionsClosed(ended))) }
        return UInt32(ended.count)
    }
}

extension Refusal {
    /// Why a password cannot be chosen.
    static var shortPassword: Refusal {
        .invalid("password: \(Limits.chosenPasswordBytes) bytes at least")
    }
}
