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
