import FleetProtocol
import UserText

enum UserRequest: Sendable {
    case list
    case add(User, Password)
    case remove(Email)
    case changePassword(Email, Password, retainsKeys: Bool)
    case changeRole(Email, Session.Role)
}

extension AccessControl {
    /// Handles a request of an operator; other users cannot even list the users.
    mutating func handle(
        _ request: UserRequest, from caller: Sessions.Entry, as token: TokenDigest, waiter: Waiter,
        in directory: Directory, into effects: inout Controller.Effects
    ) {
        guard caller.session.isOperator else {
            return effects.refuse(.notAllowed("only operators can manage users"), to: waiter)
        }
        switch request {
        case .list: effects.reply(.users(users(of: caller.session.account)), to: waiter)
        case .remove(let email): remove(email, by: caller.session, waiter: waiter, into: &effects)
        case .changeRole(let email, let role):
            changeRole(of: email, to: role, by: caller.session, waiter: waiter, into: &effects)
        case .add(let user, let password):
            let change = UserChanges.Change(
                kind: .add(user), password: password, account: caller.account, asker: token, waiter: waiter)
            begin(change, by: caller.session, in: directory, into: &effects)
        case .changePassword(let email, let password, let retainsKeys):
            let change = UserChanges.Change(
                kind: .passwordChange(email, retainsKeys: retainsKeys), password: password,
                account: caller.account, asker: token, waiter: waiter)
            begin(change, by: caller.session, in: directory, into: &effects)
        }
    }

    /// Applies a user change after the worker has hashed its password. The caller's session may have ended
    /// and the user may have changed since, so both are checked again.
    mutating func finishUserChange(
        _ ticket: UInt64, hash: String, at now: Moment, into effects: inout Controller.Effects
    ) {
        guard let change = userChanges.finish(ticket) else { return }
        if case .reset(let retainsKeys) = change.kind {
            finishReset(change, hash: hash, retainsKeys: retainsKeys, at: now, into: &effects)
        } else if case .account = change.kind {
            finishAddition(change, hash: hash, at: now, into: &effects)
        } else if let session = sessions.use(change.asker, at: now.wall).map({ sessions[$0].session }) {
            finish(change, hash: hash, by: session, at: now, into: &effects)
        } else {
            effects.refuse(.unauthenticated, to: change.waiter)
        }
        startHashing(into: &effects)
    }

    private func users(of account: AccountID) -> [User] {
        users.values.map(\.session).filter { $0.account == account }.sorted { $0.email < $1.email }
            .map { User(email: $0.email, role: $0.role, isOperator: $0.isOperator) }
    }

    private func user(_ email: Email, of account: AccountID) -> ControllerConfiguration.User? {
        users[email].flatMap { $0.session.account == account ? $0 : nil }
    }

    private mutating func begin(
        _ change: UserChanges.Change, by session: Session, in directory: Directory,
        into effects: inout Controller.Effects
    ) {
        if let refusal = refusal(of: change.kind, by: session) {
            return effects.refuse(refusal, to: change.waiter)
        }
        enqueue(change, in: directory, into: &effects)
    }

    /// Queues a change until its password is hashed. Refuses it if the password is too short, or the disk or
    /// the queue is full.
    mutating func enqueue(
        _ change: UserChanges.Change, in directory: Directory, into effects: inout Controller.Effects
    ) {
        guard change.password.isLongEnough else { return effects.refuse(.shortPassword, to: change.waiter) }
        if let refusal = storageRefusal { return effects.refuse(refusal, to: change.waiter) }
        guard userChanges.enqueue(change, as: directory.standing(of: change.account)) else {
            return effects.refuse(.busy(retryAfter: .seconds(1)), to: change.waiter)
        }
        startHashing(into: &effects)
    }

    private mutating func startHashing(into effects: inout Controller.Effects) {
        if let hashing = userChanges.next() { effects.rare.append(.hash(hashing)) }
    }

    func refusal(of kind: UserChanges.Change.Kind, by session: Session) -> Refusal? {
        switch kind {
        case .add(let user):
            if let refusal = refusal(ofNew: user.email) { return refusal }
            let pending = placement?.additions.count { $0.user.session.account == session.account } ?? 0
            guard users(of: session.account).count + pending < Limits.accountUsers else {
                return .invalid("the account already has \(Limits.accountUsers) users, the maximum")
            }
            return placement?.refusal(ofAdding: user.email)
        case .passwordChange(let email, retainsKeys: _):
            return user(email, of: session.account) == nil ? .notFound : nil
        case .reset, .account: preconditionFailure("such a change does not belong to a session")
        }
    }

    private mutating func finish(
        _ change: UserChanges.Change, hash: String, by session: Session, at now: Moment,
        into effects: inout Controller.Effects
    ) {
        if let refusal = place(of: session.email).refusal ?? refusal(of: change.kind, by: session) {
            return effects.refuse(refusal, to: change.waiter)
        }
        switch change.kind {
        case .add: finishAddition(change, hash: hash, at: now, into: &effects)
        case .passwordChange(let email, let retainsKeys):
            guard let user = users[email] else { preconditionFailure("user \(email) is missing") }
            let changed = ControllerConfiguration.User(session: user.session, passwordHash: hash)
            users[email] = changed
            effects.store(.access(.passwordChanged(changed)))
            endReset(of: email, into: &effects)
            let ended = endSessions(of: email, but: change.asker, into: &effects)
            let revoked = retainsKeys ? 0 : revokeKeys(of: email, into: &effects)
            effects.reply(.passwordChanged(sessions: ended, keys: revoked), to: change.waiter)
        case .reset, .account: preconditionFailure("such a change does not belong to a session")
        }
    }

    /// Removes a user; refused for the caller and for the account's last owner.
    private mutating func remove(
        _ email: Email, by session: Session, waiter: Waiter, into effects: inout Controller.Effects
    ) {
        guard let user = user(email, of: session.account) else {
            return effects.refuse(.notFound, to: waiter)
        }
        guard email != session.email else {
            return effects.refuse(.notAllowed("you cannot remove yourself"), to: waiter)
        }
        let owners = users(of: session.account).filter { $0.role == .owner }
        guard user.session.role != .owner || owners.count > 1 else {
            return effects.refuse(.notAllowed("\(email) is the account's last owner"), to: waiter)
        }
        removeUser(email)
        mayHaveFormerUsers = true
        effects.store(.access(.userRemoved(email)))
        endReset(of: email, into: &effects)
        let ended = endSessions(of: email, into: &effects)
        revokeKeys(of: email, into: &effects)
        effects.reply(.userRemoved(sessions: ended), to: waiter)
    }

    /// Changes a user's role. Refused for the last owner and for the operator's own role, so that an account
    /// always has an owner.
    private mutating func changeRole(
        of email: Email, to role: Session.Role, by session: Session, waiter: Waiter,
        into effects: inout Controller.Effects
    ) {
        guard let user = user(email, of: session.account) else {
            return effects.refuse(.notFound, to: waiter)
        }
        guard email != session.email else {
            return effects.refuse(.notAllowed("you cannot change your own role"), to: waiter)
        }
        let owners = users(of: session.account).filter { $0.role == .owner }
        guard user.session.role != .owner || role == .owner || owners.count > 1 else {
            return effects.refuse(.notAllowed("\(email) is the account's last owner"), to: waiter)
        }
        if let refusal = storageRefusal { return effects.refuse(refusal, to: waiter) }
        let changed = ControllerConfiguration.User(
            session: Session(
                account: session.account, email: email, role: role, isOperator: user.session.isOperator),
            passwordHash: user.passwordHash)
        users[email] = changed
        mayHaveFormerUsers = true
        sessions.change(changed.session)
        effects.store(.access(.roleChanged(changed)))
        let updated = User(email: email, role: role, isOperator: changed.session.isOperator)
        effects.reply(.userChanged(updated), to: waiter)
    }

    /// Ends the sessions of a user, except `retained`; returns their number.
    mutating func endSessions(
        of email: Email, but retained: TokenDigest? = nil, into effects: inout Controller.Effects
    ) -> UInt32 {
        let ended = sessions.all(of: email).filter { $0 != retained }
        ended.forEach { sessions.close($0) }
        if !ended.isEmpty { effects.store(.access(.sessionsClosed(ended))) }
        return UInt32(ended.count)
    }
}

extension Refusal {
    static var shortPassword: Refusal {
        .invalid("password: at least \(Limits.chosenPasswordBytes) bytes")
    }
}

enum KeyRequest: Sendable {
    case list
    case add(APIKey.Name, TokenDigest, APIKey.Scope)
    case revoke(APIKey.Name)
}

/// API keys, with which programs act for users. Each user adds and revokes their own keys.
extension AccessControl {
    mutating func handle(
        _ request: KeyRequest, from caller: Sessions.Entry, waiter: Waiter, at now: WallTime,
        into effects: inout Controller.Effects
    ) {
        let user = caller.session.email
        switch request {
        case .list: effects.reply(.keys(sessions.keys(of: user)), to: waiter)
        case .add(let name, let digest, let scope):
            let key = APIKey(name: name, user: user, madeAt: now, scope: scope)
            add(key, digest, of: caller, waiter: waiter, into: &effects)
        case .revoke(let name):
            guard let key = sessions.keys(of: user).first(where: { $0.name == name }),
                let digest = sessions.key(name, of: user)
            else { return effects.refuse(.notFound, to: waiter) }
            if !planted(.revokedKeyAccepted) { sessions.close(digest) }
            effects.store(.access(.keysRevoked([digest])))
            effects.reply(.keyRevoked(key), to: waiter)
        }
    }

    private mutating func add(
        _ key: APIKey, _ digest: TokenDigest, of entry: Sessions.Entry, waiter: Waiter,
        into effects: inout Controller.Effects
    ) {
        let (user, name) = (key.user, key.name)
        guard sessions.keys(of: user).count < Limits.userKeys else {
            let reason = "\(user) already has \(Limits.userKeys) keys, the maximum; revoke one first"
            return effects.refuse(.invalid(reason), to: waiter)
        }
        guard sessions.key(name, of: user) == nil else {
            let reason = "an API key named \"\(name)\" already exists; revoke it or choose another name"
            return effects.refuse(.invalid(reason), to: waiter)
        }
        if let refusal = storageRefusal { return effects.refuse(refusal, to: waiter) }
        guard sessions.add(digest, as: key, of: entry.session, account: entry.account) else {
            return effects.refuse(.invalid("the API key is already in use; make another one"), to: waiter)
        }
        effects.store(.access(.keyAdded(key, digest)))
        effects.reply(.keyAdded(key), to: waiter)
    }

    @discardableResult
    mutating func revokeKeys(of user: Email, into effects: inout Controller.Effects) -> UInt32 {
        let ended = sessions.keys(of: user).compactMap { sessions.key($0.name, of: user) }
        ended.forEach { sessions.close($0) }
        if !ended.isEmpty { effects.store(.access(.keysRevoked(ended))) }
        return UInt32(ended.count)
    }
}
