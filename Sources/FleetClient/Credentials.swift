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

/// Credentials of several users of an account, one of them in use: when its session ends, another goes on.
public struct KnownCredentials: Sendable {
    /// Credentials that are remembered; the newest count.
    public static let atMost = 8

    private var list: [Credentials] = []

    /// No credentials.
    public init() {}

    /// The credentials to use; nil if all were refused.
    public var newest: Credentials? { list.first }

    /// Adds credentials, to be used first.
    public mutating func offer(_ credentials: Credentials) {
        forget(credentials)
        list = [credentials] + list.prefix(Self.atMost - 1)
    }

    /// Removes credentials that the controller does not know.
    public mutating func forget(_ credentials: Credentials) {
        list.removeAll { $0.token == credentials.token }
    }
}
