public import FleetProtocol

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
