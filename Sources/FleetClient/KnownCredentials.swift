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
