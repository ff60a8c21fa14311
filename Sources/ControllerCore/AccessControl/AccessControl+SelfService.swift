import FleetProtocol
import UserText

/// Requests that need no session: log-in, sign-up and password reset. The controller does the same work for
/// the address of a user and for an unknown address, so that response times do not reveal who has an account.
/// Both wait in the same queue, cost one hash, and store one record.
extension AccessControl {
    mutating func handle(
        _ request: SelfServiceRequest, from waiter: Waiter, digest: TokenDigest?, in directory: Directory,
        at now: Moment, into effects: inout Controller.Effects
    ) {
        switch request {
        case .availability: effects.reply(.selfService(.availability(selfService)), to: waiter)
        case .signUp(let email, let password, let source):
            if let refusal = refusal(ofUnchecked: email) { return effects.refuse(refusal, to: waiter) }
            guard selfService.signsUp else {
                let reason = "sign-up is disabled; ask the operator for access"
                return effects.refuse(.notAllowed(reason), to: waiter)
            }
            // A request that cannot succeed does not count towards the rate limit.
            guard password.isLongEnough else { return effects.refuse(.shortPassword, to: waiter) }
            if let problem = SafeText.problem(in: email.address) {
                return effects.refuse(.invalid("email: \(problem)"), to: waiter)
            }
            if let refusal = storageRefusal { return effects.refuse(refusal, to: waiter) }
            let asker = LoginQueue.Source(connection: waiter.connection, behind: source)
            if let wait = signUps.spend(by: asker, at: now.monotonic) {
                return effects.refuse(.busy(retryAfter: wait), to: waiter)
            }
            effects.store(.access(.signUpsSpent(wholeAt: signUps.wholeAt(asOf: now))))
            enqueue(.signUp, email, password, from: waiter, source, at: now, into: &effects)
        case .forgotPassword(let email, let source):
            if let refusal = refusal(ofUnchecked: email) { return effects.refuse(refusal, to: waiter) }
            guard selfService.resetsPasswords else { return refuseReset(waiter, into: &effects) }
            enqueue(.reset, email, nil, from: waiter, source, at: now, into: &effects)
        case .resetPassword(let password, let retainsKeys):
            guard selfService.resetsPasswords else { return refuseReset(waiter, into: &effects) }
            guard let digest, let email = passwordResets.user(of: digest, at: now.monotonic),
                let account = users[email].flatMap({ directory.account($0.session.account) })
            else { return effects.refuse(.unauthenticated, to: waiter) }
            let change = UserChanges.Change(
                kind: .reset(retainsKeys: retainsKeys), password: password, account: account, asker: digest,
                waiter: waiter)
            enqueue(change, in: directory, into: &effects)
        }
    }

    private func refuseReset(_ waiter: Waiter, into effects: inout Controller.Effects) {
        let reason = "password reset is disabled; ask the operator for a new password"
        effects.refuse(.notAllowed(reason), to: waiter)
    }

    // MARK: Queue

    mutating func enqueue(
        _ purpose: LoginQueue.Purpose, _ email: Email, _ password: Password?, from waiter: Waiter,
        _ source: LoginSource?, at now: Moment, into effects: inout Controller.Effects
    ) {
        if let refusal = storageRefusal { return effects.refuse(refusal, to: waiter) }
        let rejected = logins.enqueue(
            waiter, source, for: purpose, email: email, password: password, at: now.monotonic)
        if let rejected { effects.refuse(.busy(retryAfter: .seconds(1)), to: rejected) }
        startLogins(at: now, into: &effects)
    }

    mutating func startLogins(at now: Moment, into effects: inout Controller.Effects) {
        if let (ticket, login) = logins.next(at: now.monotonic) {
            checkedHash = login.purpose == .reset ? nil : users[login.email]?.passwordHash
            effects.rare.append(
                .check(PasswordCheck(ticket: ticket, password: login.password, storedHash: checkedHash)))
        } else if let due = logins.nextDue(at: now.monotonic) {
            loginDue = due
        }
    }

    mutating func finishLogin(
        _ ticket: UInt64, _ result: PasswordResult, in directory: inout Directory, at now: Moment,
        into effects: inout Controller.Effects
    ) {
        let isKnownUser = checkedHash != nil
        let login = logins.finish(ticket, at: now, into: &effects) { login in
            if !isKnownUser, placement?.place(of: login.email, in: nil) ?? .here != .here { return .counted }
            return switch login.purpose {
            case .session: result.didMatch ? .forgiven : .failed
            case .signUp: !isKnownUser ? .counted : result.didMatch ? .forgiven : .failed
            case .reset: .counted
            }
        }
        guard let login else { return }
        let refusal = place(of: login.email).refusal
        switch (login.purpose, refusal) {
        case (_, let refusal?): effects.refuse(refusal, to: login.waiter)
        case (.signUp, nil) where !isKnownUser:
            signUp(login, result, in: &directory, at: now, into: &effects)
        case (.session, nil), (.signUp, nil):
            open(for: login, result, in: &directory, at: now, into: &effects)
        case (.reset, nil): beginReset(login, result, at: now, into: &effects)
        }
        startLogins(at: now, into: &effects)
    }

    // MARK: Log-in and sign-up

    private mutating func open(
        for login: LoginQueue.Login, _ result: PasswordResult, in directory: inout Directory,
        at now: Moment, into effects: inout Controller.Effects
    ) {
        guard result.didMatch, let user = users[login.email], user.passwordHash == checkedHash else {
            return effects.refuse(.unauthenticated, to: login.waiter)
        }
        open(user.session, for: login.waiter, result, in: &directory, at: now.wall, into: &effects)
    }

    private mutating func open(
        _ session: Session, for waiter: Waiter, _ result: PasswordResult,
        in directory: inout Directory, at now: WallTime, into effects: inout Controller.Effects
    ) {
        guard let account = directory.accountMade(session.account) else {
            return effects.refuse(.unauthenticated, to: waiter)
        }
        let closed = sessions.open(result.digest, for: session, account: account, openedAt: now)
        if !closed.isEmpty { effects.store(.access(.sessionsClosed(closed))) }
        if !planted(.sessionNotStored) {
            effects.store(.access(.sessionOpened(result.digest, session.email, at: now)))
        }
        effects.reply(.session(shown(session), result.token), to: waiter)
    }

    /// Creates a user with a new account, as its owner and operator. An operator's rights are limited to the
    /// operator's account.
    private mutating func signUp(
        _ login: LoginQueue.Login, _ result: PasswordResult, in directory: inout Directory,
        at now: Moment, into effects: inout Controller.Effects
    ) {
        // Another sign-up with this address may have succeeded during the hashing.
        guard let hash = result.hash, users[login.email] == nil else {
            return effects.refuse(.unauthenticated, to: login.waiter)
        }
        guard let account = newAccount(in: &directory) else {
            let full = "there are already \(Directory.accountsAtMost) accounts, the maximum"
            return effects.refuse(.notAllowed(full), to: login.waiter)
        }
        let session = Session(account: account, email: login.email, role: .owner, isOperator: true)
        let user = ControllerConfiguration.User(session: session, passwordHash: hash)
        add(user)
        if !planted(.signUpNotStored) { effects.store(.access(.userAdded(user))) }
        open(session, for: login.waiter, result, in: &directory, at: now.wall, into: &effects)
    }

    /// Adds an account with a random name; nil if the table of accounts is full. The name is random because
    /// metrics show it.
    private mutating func newAccount(in directory: inout Directory) -> AccountID? {
        while true {
            let digits = String(generator.next().hexadecimal.prefix(8))
            guard let account = AccountID("account-\(digits)") else {
                preconditionFailure("account-\(digits) is not a valid account ID")
            }
            if directory.account(account) == nil, placement?.holder(of: account) == nil {
                return directory.accountMade(account).map { _ in account }
            }
        }
    }

    // MARK: Password reset

    /// Sends a reset token if the address belongs to a user and got no token within ``PasswordReset/pause``.
    /// The stored record and the reply are the same for every address.
    private mutating func beginReset(
        _ login: LoginQueue.Login, _ result: PasswordResult, at now: Moment,
        into effects: inout Controller.Effects
    ) {
        var reset = PasswordReset(digest: result.digest, email: login.email, begunAt: now.wall)
        if let recent = passwordResets.recent(of: login.email, at: now.monotonic) {
            reset = recent
        } else if users[login.email] != nil {
            passwordResets.begin(reset, at: now.monotonic)
            effects.rare.append(
                .message(
                    OutgoingMessage(
                        to: login.email, token: result.token,
                        expiresAt: now.wall.advanced(by: PasswordReset.lifetime), cell: placement?.own)))
        }
        effects.store(.access(.resetBegan(reset)))
        effects.reply(.selfService(.resetRequested), to: login.waiter)
    }

    /// Finishes a password reset after the worker has hashed the new password. The token may have expired or
    /// been used during the hashing, so it is checked again.
    mutating func finishReset(
        _ change: UserChanges.Change, hash: String, retainsKeys: Bool, at now: Moment,
        into effects: inout Controller.Effects
    ) {
        guard let email = passwordResets.user(of: change.asker, at: now.monotonic), let user = users[email]
        else { return effects.refuse(.unauthenticated, to: change.waiter) }
        if let refusal = place(of: email).refusal { return effects.refuse(refusal, to: change.waiter) }
        let changed = ControllerConfiguration.User(session: user.session, passwordHash: hash)
        users[email] = changed
        if !planted(.resetPasswordNotStored) { effects.store(.access(.passwordChanged(changed))) }
        endReset(of: email, into: &effects)
        logins.forgive(email, into: &effects)
        let ended = endSessions(of: email, into: &effects)
        let revoked = retainsKeys ? 0 : revokeKeys(of: email, into: &effects)
        effects.reply(.selfService(.passwordReset(email, sessions: ended, keys: revoked)), to: change.waiter)
    }

    /// Invalidates the user's reset token, if there is one.
    mutating func endReset(of email: Email, into effects: inout Controller.Effects) {
        guard passwordResets.end(of: email), !planted(.resetTokenReusable) else { return }
        effects.store(.access(.resetEnded(email)))
    }
}
