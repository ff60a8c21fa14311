public import FleetProtocol

/// Who asks, and how the controller knows: what a log-in leaves behind.
public struct Credentials: Equatable, Sendable, CustomStringConvertible {
    /// Who logged in.
    public let user: Email
    /// What every request shows.
    public let token: Token
    /// Whether a program asks for itself: then the session does not count as used.
    public let isUnattended: Bool

    /// A user with the token of a session.
    public init(user: Email, token: Token, isUnattended: Bool = false) {
        self.user = user
        self.token = token
        self.isUnattended = isUnattended
    }

    /// The same for what a program asks for itself.
    public var unattended: Credentials { Credentials(user: user, token: token, isUnattended: true) }

    /// The user; never the token.
    public var description: String { user.description }
}
