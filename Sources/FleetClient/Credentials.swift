public import FleetProtocol

/// Who asks, and how the controller knows: what a log-in leaves behind.
public struct Credentials: Equatable, Sendable, CustomStringConvertible {
    /// Who logged in.
    public let user: Email
    /// What every request shows.
    public let token: Token

    /// A user with the token of a session.
    public init(user: Email, token: Token) {
        self.user = user
        self.token = token
    }

    /// The user; never the token.
    public var description: String { user.description }
}
