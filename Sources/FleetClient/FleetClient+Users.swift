public import FleetProtocol

/// Who may log in to the account; for operators.
///
/// The changes leave once: when one ends with `noAnswer`, `users` tells whether it was made.
extension FleetClient {
    /// Takes somebody into the account.
    ///
    /// - Throws: Also `refused` with `invalid` when somebody has that email already or the account is full.
    public func addUser(
        _ user: User, password: Password, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) {
        let reply = try await ask(.addUser(user, password: password), patience: patience)
        guard case .userAdded(user) = reply else { throw .unexpectedReply }
    }

    /// Everybody who may log in to the account, by email.
    public func users(patience: Duration = Limits.defaultPatience) async throws(FleetError) -> [User] {
        guard case .users(let users) = try await ask(.users, patience: patience) else {
            throw .unexpectedReply
        }
        return users
    }

    /// Takes somebody out of the account; what they asked for goes on.
    ///
    /// - Returns: How many of their sessions ended.
    /// - Throws: Also `refused` with `notAllowed` for oneself and for the last owner.
    @discardableResult
    public func removeUser(
        _ email: Email, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> Int {
        let reply = try await ask(.removeUser(email), patience: patience)
        guard case .userRemoved(let sessions) = reply else { throw .unexpectedReply }
        return Int(sessions)
    }

    /// Changes the role of a user of the account; it applies to the user's sessions and keys at once.
    ///
    /// - Returns: The user with the new role.
    /// - Throws: Also `refused` with `notAllowed` for oneself and for the last owner.
    @discardableResult
    public func changeRole(
        of email: Email, to role: Session.Role, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> User {
        let reply = try await ask(.changeRole(email, to: role), patience: patience)
        guard case .userChanged(let user) = reply, user.email == email else { throw .unexpectedReply }
        return user
    }

    /// Gives somebody of the account another password.
    ///
    /// - Parameter keepsKeys: Whether their keys go on; otherwise they are revoked.
    /// - Returns: How many sessions ended, which is all but the one that asks, and how many keys were
    ///   revoked.
    /// - Throws: Also `refused` with `invalid` for one shorter than ``Limits/chosenPasswordBytes``.
    @discardableResult
    public func changePassword(
        of email: Email, to password: Password, keepsKeys: Bool = false,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> (sessions: Int, keys: Int) {
        let reply = try await ask(
            .changePassword(email, to: password, keepsKeys: keepsKeys), patience: patience)
        guard case .passwordChanged(let sessions, let keys) = reply else { throw .unexpectedReply }
        return (Int(sessions), Int(keys))
    }
}

/// The keys by which programs act for the user who has logged in.
///
/// The changes leave once: when one ends with `noAnswer`, `keys` tells whether it was made.
extension FleetClient {
    /// Makes a key of that name and scope; the controller learns only its SHA-256.
    ///
    /// - Throws: Also `refused` with `invalid` when there is one of that name, or no room for another.
    @discardableResult
    public func addKey(
        _ name: APIKey.Name, digest: TokenDigest, scope: APIKey.Scope = .switch,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> APIKey {
        let reply = try await ask(.addKey(name, digest, scope), patience: patience)
        guard case .keyAdded(let key) = reply, key.name == name, key.scope == scope else {
            throw .unexpectedReply
        }
        return key
    }

    /// Every key of the user, by name.
    public func keys(patience: Duration = Limits.defaultPatience) async throws(FleetError) -> [APIKey] {
        guard case .keys(let keys) = try await ask(.keys, patience: patience) else {
            throw .unexpectedReply
        }
        return keys
    }

    /// Ends a key: whoever shows it is turned away from now on.
    ///
    /// - Throws: Also `refused` with `notFound` when the user has none of that name.
    @discardableResult
    public func revokeKey(
        _ name: APIKey.Name, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> APIKey {
        let reply = try await ask(.revokeKey(name), patience: patience)
        guard case .keyRevoked(let key) = reply, key.name == name else { throw .unexpectedReply }
        return key
    }
}

/// How somebody comes in who cannot log in.
///
/// What is asked here leaves once. Who signs up and hears nothing signs up again with the same password:
/// where the user was made, that is a log-in.
extension FleetClient {
    /// Which ways there are.
    public func waysIn(patience: Duration = Limits.defaultPatience) async throws(FleetError) -> WaysIn {
        let reply = try await ask(.wayIn(.ways), token: nil, patience: patience)
        guard case .wayIn(.ways(let ways)) = reply else { throw .unexpectedReply }
        return ways
    }

    /// Makes a user in an account of their own, opens a session, and asks in its name from then on.
    ///
    /// - Throws: Also `refused` with `notAllowed` where nobody may sign up, and with `unauthenticated` where
    ///   somebody has that email, and another password.
    public func signUp(
        email: Email, password: Password, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> (session: Session, token: Token) {
        let opened = try await openSession(signingUp: email, password: password, patience: patience)
        credentials = Credentials(user: opened.session.email, token: opened.token)
        return opened
    }

    /// Makes a user, and opens a session for them; otherwise as
    /// ``openSession(email:password:source:patience:)``.
    public func openSession(
        signingUp email: Email, password: Password, source: LoginSource? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> (session: Session, token: Token) {
        let request = WayInRequest.signUp(email: email, password: password, source: source)
        let reply = try await ask(.wayIn(request), token: nil, patience: patience)
        guard case .session(let session, let token) = reply else { throw .unexpectedReply }
        return (session, token)
    }

    /// Has a token sent to a user, with which they can give themselves another password.
    ///
    /// Whether there is such a user is told to nobody.
    ///
    /// - Parameter source: Who is behind it, for a program that asks for many.
    /// - Throws: Also `refused` with `notAllowed` where no tokens are sent.
    public func forgotPassword(
        of email: Email, source: LoginSource? = nil, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) {
        let reply = try await ask(
            .wayIn(.forgotPassword(email, source: source)), token: nil, patience: patience)
        guard case .wayIn(.recoveryBegun) = reply else { throw .unexpectedReply }
    }

    /// Changes the password of the user who received the token, and ends their sessions.
    ///
    /// - Parameter keepsKeys: Whether their keys go on; otherwise they are revoked.
    /// - Returns: Who they are, how many sessions ended, and how many keys were revoked.
    /// - Throws: Also `refused` with `unauthenticated` for a token that is none, was used, or is too old.
    public func resetPassword(
        with token: Token, to password: Password, keepsKeys: Bool = false,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> (email: Email, sessions: Int, keys: Int) {
        let request = WayInRequest.resetPassword(to: password, keepsKeys: keepsKeys)
        let reply = try await ask(.wayIn(request), token: token, patience: patience)
        guard case .wayIn(.passwordReset(let email, let sessions, let keys)) = reply else {
            throw .unexpectedReply
        }
        return (email, Int(sessions), Int(keys))
    }
}
