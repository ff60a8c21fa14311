public import Stepping

/// What a program shows instead of logging in, for a user who made it: it acts as they do, until it is
/// revoked.
public struct APIKey: Hashable, Sendable {
    /// A key's name, one of its user's: 1 to 32 characters of `[A-Za-z0-9._-]`.
    public struct Name: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// The characters.
        public let text: String

        /// The key of that name; nil when the name has other characters or another length.
        public init?(_ text: String) {
            // The rule is a node's, and so are its bounds.
            guard let name = NodeName(text) else { return nil }
            self.text = name.text
        }

        /// The characters.
        public var description: String { text }

        /// Alphabetical order.
        public static func < (left: Name, right: Name) -> Bool { left.text < right.text }
    }

    /// What its user calls it.
    public let name: Name
    /// Whom it acts for.
    public let user: Email
    /// When it was made.
    public let madeAt: WallTime

    /// The key of those parts.
    public init(name: Name, user: Email, madeAt: WallTime) {
        self.name = name
        self.user = user
        self.madeAt = madeAt
    }
}
