import FleetProtocol
import FleetTime
import PlantedBugs

/// Requests that need no session: log-in, sign-up and password reset.
///
/// The controller does the same work for the address of a user and for an unknown address, so that response
/// times do not reveal who has an account. Both wait in the same queue, cost one hash, and store one record.
extension AccessControl {
    /// Handles a request that needs no session.
    mutating func handle(
        _ request: SelfServiceRequest, from waiter: Waiter, digest: TokenDigest?, in directory: Directory,
        at now: Moment, into effects: inout Controller.Effects
    ) {
        switch request {
        case .ways: effects.reply(.wayIn(.ways(waysIn)), to: waiter)
        case .signUp(let email, let password, let source):
            guard waysIn.signsUp else {
                let reason = "sign-up is disabled; ask the operator for access"
                return effects.refuse(.notAllowed(reason), to: waiter)
            }
            // A request that cannot succeed does not count towards the rate limit.
            guard password.isLongEnough else { return effects.refuse(.shortPassword, to: waiter) }
            if isStorageFull {
                return effects.refuse(.storageFull(retryAfter: Limits.storageRetry), to: waiter)
            }
            let asker = LoginQueue.Source(connection: waiter.connection, behind: source)
            if let wait = signUps.spend(by: asker, at: now.monotonic) {
                return effects.refuse(.busy(retryAfter: wait), to: waiter)
            }
            effects.store(.access(.signUpsSpent(wholeAt: signUps.wholeAt(asOf: now))))
            enqueue(.signUp, email, password, from: waiter, source, at: now, into: &effects)
        case .forgotPassword(let email, let source):
            guard waysIn.recovers else { return refuseRecovery(waiter, into: &effects) }
            enqueue(.recovery, email, nil, from: waiter, source, at: now, into: &effects)
        case .resetPassword(let password, let keepsKeys):
            guard waysIn.recovers else { return refuseRecovery(waiter, into: &effects) }
            guard let digest, let email = recoveries.user(of: digest, at: now.monotonic),
                let account = users[email].flatMap({ directory.account($0.session.account) })
            else { return effects.refuse(.unauthenticated, to: waiter) }
            let change = UserChanges.Change(
                kind: .reset(keepsKeys: keepsKeys), password: password, account: account, asker: digest,
                waiter: waiter)
            enqueue(change, in: directory, into: &effects)
        }
    }

    private func refuseRecovery(_ waiter: Waiter, into effects: inout Controller.Effects) {
        let reason = "password reset is disabled; ask the operator for a new password"
        effects.refuse(.notAllowed(reason), to: waiter)
    }

    // MARK: Queue

    mutating func enqueue(
        _ purpose: LoginQueue.Purpose, _ email: Email, _ password: Password?, from waiter: Waiter,
        _ source: LoginSource?, at now: Moment, into effects: inout Controller.Effects
    ) {
        if isStorageFull {
            return effects.refuse(.storageFull(retryAfter: Limits.storageRetry), to: waiter)
        }
        let turnedAway = logins.enqueue(
            waiter, source, for: purpose, email: email, password: password, at: now.monotonic)
        if let turnedAway { effects.refuse(.busy(retryAfter: .seconds(1)), to: turnedAway) }
        startLogins(at: now, into: &effects)
    }

    mutating func startLogins(at now: Moment, into effects: inout Controller.Effects) {
        if let (ticket, login) = logins.next(at: now.monotonic) {
            checkedHash = login.purpose == .recovery ? nil : users[login.email]?.passwordHash
            effects.checks.append(
                PasswordCheck(ticket: ticket, password: login.password, storedHash: checkedHash))
        } else if let due = logins.nextDue(at: now.monotonic) {
            loginDue = due
        }
    }

    mutating func finishLogin(
        _ ticket: UInt64, _ verdict: PasswordResult, in directory: inout Directory, at now: Moment,
        into effects: inout Controller.Effects
    ) {
        let isAnybodys = checkedHash != nil
        let login = logins.finish(ticket, at: now, into: &effects) { login in
            switch login.purpose {
            case .session: verdict.didMatch ? .forgiven : .failed
            case .signUp: !isAnybodys ? .counted : verdict.didMatch ? .forgiven : .failed
            case .recovery: .counted
            }
        }
        guard let login else { return }
        switch login.purpose {
        case .session: open(for: login, verdict, in: &directory, at: now, into: &effects)
        case .signUp:
            if isAnybodys {
                open(for: login, verdict, in: &directory, at: now, into: &effects)
            } else {
                signUp(login, verdict, in: &directory, at: now, into: &effects)
            }
        case .recovery: beginRecovery(login, verdict, at: now, into: &effects)
        }
        startLogins(at: now, into: &effects)
    }

    // MARK: Log-in and sign-up

    /// Opens a session if the password is that of the user.
    private mutating func open(
        for login: LoginQueue.Login, _ verdict: PasswordResult, in directory: inout Directory,
        at now: Moment, into effects: inout Controller.Effects
    ) {
        guard verdict.didMatch, let user = users[login.email], user.passwordHash == checkedHash else {
            return effects.refuse(.unauthenticated, to: login.waiter)
        }
        open(user.session, for: login.waiter, verdict, in: &directory, at: now.wall, into: &effects)
    }

    private mutating func open(
        _ session: Session, for waiter: Waiter, _ verdict: PasswordResult,
        in directory: inout Directory, at now: WallTime, into effects: inout Controller.Effects
    ) {
        guard let account = directory.accountMade(session.account) else {
            return effects.refuse(.unauthenticated, to: waiter)
        }
        let closed = sessions.open(verdict.digest, for: session, account: account, openedAt: now)
        if !closed.isEmpty { effects.store(.access(.sessionsClosed(closed))) }
        if !planted(.sessionNotStored) {
            effects.store(.access(.sessionOpened(verdict.digest, session.email, at: now)))
        }
        effects.reply(.session(session, verdict.token), to: waiter)
    }

    /// Creates a user with a new account, as its owner and operator.
    ///
    /// An operator's rights are limited to the operator's account.
    private mutating func signUp(
        _ login: LoginQueue.Login, _ verdict: PasswordResult, in directory: inout Directory,
        at now: Moment, into effects: inout Controller.Effects
    ) {
        // Another sign-up with this address may have succeeded during the hashing.
        guard let hash = verdict.hash, users[login.email] == nil else {
            return effects.refuse(.unauthenticated, to: login.waiter)
        }
        guard let account = newAccount(in: &directory) else {
            let full = "there are already \(Directory.accountsAtMost) accounts, the maximum"
            return effects.refuse(.notAllowed(full), to: login.waiter)
        }
        let session = Session(account: account, email: login.email, role: .owner, isOperator: true)
        let user = ControllerConfiguration.User(session: session, passwordHash: hash)
        users[login.email] = user
        if !planted(.signUpNotStored) { effects.store(.access(.userAdded(user))) }
        open(session, for: login.waiter, verdict, in: &directory, at: now.wall, into: &effects)
    }

    /// Adds an account with a random name; nil if the table of accounts is full.
    ///
    /// The name is random because metrics show it.
    private mutating func newAccount(in directory: inout Directory) -> AccountID? {
        while true {
            let digits = String(generator.next().hexadecimal.prefix(8))
            guard let account = AccountID("account-\(digits)") else {
                preconditionFailure("account-\(digits) is not a valid account ID")
            }
            if directory.account(account) == nil {
                return directory.accountMade(account).map { _ in account }
            }
        }
    }

    // MARK: Password reset

    /// Sends a reset token if the address belongs to a user and got no token within ``Recovery/pause``.
    ///
    /// The stored record and the reply are the same for every address.
    private mutating func beginRecovery(
        _ login: LoginQueue.Login, _ verdict: PasswordResult, at now: Moment,
        into effects: inout Controller.Effects
    ) {
        var recovery = Recovery(digest: verdict.digest, email: login.email, begunAt: now.wall)
        if let recent = recoveries.recent(of: login.email, at: now.monotonic) {
            recovery = recent
        } else if users[login.email] != nil {
            recoveries.begin(recovery, at: now.monotonic)
            effects.outgoing.append(
                OutgoingMessage(
                    to: login.email, token: verdict.token,
                    expiresAt: now.wall.advanced(by: Recovery.lifetime)))
        }
        effects.store(.access(.recoveryBegan(recovery)))
        effects.reply(.wayIn(.recoveryBegun), to: login.waiter)
    }

    /// Finishes a password reset after the worker has hashed the new password.
    ///
    /// The token may have expired or been used during the hashing, so it is checked again.
    mutating func finishReset(
        _ change: UserChanges.Change, hash: String, keepsKeys: Bool, at now: Moment,
        into effects: inout Controller.Effects
    ) {
        guard let email = recoveries.user(of: change.asker, at: now.monotonic), let user = users[email] else {
            return effects.refuse(.unauthenticated, to: change.waiter)
        }
        let changed = ControllerConfiguration.User(session: user.session, passwordHash: hash)
        users[email] = changed
        if !planted(.resetPasswordNotStored) { effects.store(.access(.passwordChanged(changed))) }
        endRecovery(of: email, into: &effects)
        logins.forgive(email, into: &effects)
        let ended = endSessions(of: email, into: &effects)
        let revoked = keepsKeys ? 0 : revokeKeys(of: email, into: &effects)
        effects.reply(.wayIn(.passwordReset(email, sessions: ended, keys: revoked)), to: change.waiter)
    }

    /// Invalidates the user's reset token, if there is one.
    mutating func endRecovery(of email: Email, into effects: inout Controller.Effects) {
        guard recoveries.end(of: email), !planted(.resetTokenReusable) else { return }
        effects.store(.access(.recoveryEnded(email)))
    }
}
