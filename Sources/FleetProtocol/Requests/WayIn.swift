/// What whoever has no session asks in order to come in, besides a log-in.
public enum WayInRequest: Sendable, Equatable {
    /// Asks which ways there are.
    case ways
    /// Logs in, and makes the user where there is none with that email, in an account of their own; the
    /// source is who is behind a program that asks for others.
    case signUp(email: Email, password: Password, source: LoginSource? = nil)
    /// Has a token sent to a user, with which they can give themselves another password.
    case forgotPassword(Email, source: LoginSource? = nil)
    /// Changes the password of the user who received the token, which takes the place of a session's; their
    /// keys are revoked unless `keepsKeys` is set.
    case resetPassword(to: Password, keepsKeys: Bool = false)
}

/// What the controller answers to that; to a sign-up it answers as to a log-in.
public enum WayInReply: Sendable, Equatable {
    /// The ways that there are.
    case ways(WaysIn)
    /// A token is on its way, if there is such a user.
    case recoveryBegun
    /// Whose password is another one, how many of their sessions ended, and how many keys were revoked.
    case passwordReset(Email, sessions: UInt32, keys: UInt32 = 0)
}

/// How somebody may come in who has no session, and cannot log in.
public struct WaysIn: Hashable, Sendable {
    /// Whether anybody may sign up.
    public let signsUp: Bool
    /// Whether users who forgot their password are sent a token.
    public let recovers: Bool

    /// Those ways.
    public init(signsUp: Bool, recovers: Bool) {
        self.signsUp = signsUp
        self.recovers = recovers
    }
}
