public import FleetProtocol

/// A user and the token of a session, which every request shows.
public struct Credentials: Equatable, Sendable, CustomStringConvertible {
    /// The user of the session.
    public let user: Email
    /// The token of the session.
    public let token: Token
    /// Whether a program sends requests without a user: the session then does not count as used.
    public let isUnattended: Bool

    /// A user with the token of a session.
    public init(user: Email, token: Token, isUnattended: Bool = false) {
        (self.user, self.token, self.isUnattended) = (user, token, isUnattended)
    }

    /// The same credentials for requests that a program sends without a user.
    public var unattended: Credentials { Credentials(user: user, token: token, isUnattended: true) }

    /// The user; never the token.
    public var description: String { user.description }
}

/// The credentials of several users of an account; when a session ends, the next newest are used.
public struct KnownCredentials: Sendable {
    /// The maximum number of stored credentials; the newest are kept.
    public static let atMost = 8

    private var list: [Credentials] = []

    /// No credentials.
    public init() {}

    /// The credentials to use; nil if all were refused.
    public var newest: Credentials? { list.first }

    /// Adds credentials, to be used first.
    public mutating func offer(_ credentials: Credentials) {
        remove(credentials)
        list = [credentials] + list.prefix(Self.atMost - 1)
    }

    /// Removes credentials that the controller does not know.
    public mutating func remove(_ credentials: Credentials) {
        list.removeAll { $0.token == credentials.token }
    }
}
