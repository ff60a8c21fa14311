public import FleetProtocol
public import Stepping

/// What the controller must not forget of who may come in: users, their sessions, who failed to log in, and
/// who forgot their password.
///
/// As a journal's entry, it is an effect that stands before every effect that depends on it.
public enum AccessEntry: Sendable, Equatable {
    /// Somebody logged in.
    case sessionOpened(TokenDigest, Email, at: WallTime)
    /// A session is used, a day or more after its last use that is stored.
    case sessionUsed(TokenDigest, at: WallTime)
    /// Sessions have ended.
    case sessionsClosed([TokenDigest])
    /// A key lets in whoever shows what hashes to this.
    case keyAdded(APIKey, TokenDigest)
    /// Keys open nothing any more.
    case keysRevoked([TokenDigest])
    /// Somebody may log in from now on.
    case userAdded(ControllerConfiguration.User)
    /// Somebody may not any more.
    case userRemoved(Email)
    /// Somebody has another password; the user as they are now.
    case passwordChanged(ControllerConfiguration.User)
    /// A user's role was changed; the user with the new role.
    case roleChanged(ControllerConfiguration.User)
    /// A password was wrong, or there is no such user; with how often in a row now.
    case loginFailed(LoginFailures)
    /// The failures under an address count no more.
    case loginForgiven(Email)
    /// Somebody asked for another password, in the place of any earlier time that they did.
    case recoveryBegan(Recovery)
    /// That was done, or is not wanted any more.
    case recoveryEnded(Email)
    /// A sign-up was asked for; with when the allowance is whole again.
    case signUpsSpent(wholeAt: WallTime)
}
