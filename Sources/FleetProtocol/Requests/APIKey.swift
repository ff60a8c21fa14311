public import Stepping

/// What a program shows instead of logging in, for a user who made it: it acts as they do, as far as its
/// scope goes, until it is revoked.
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

    /// What a key may do, as far as its user may.
    ///
    /// No key manages users, keys, sites, rosters or faults.
    public enum Scope: UInt8, CaseIterable, Sendable {
        /// Reads, switches devices, runs sequences, and writes in the logbook.
        case `switch`
        /// Reads alone.
        case read

        /// The scope's name on command lines and in the store.
        public var name: String { "\(self)" }

        /// Whether what needs another scope may be done with this one.
        public func includes(_ other: Scope) -> Bool { self == .switch || other == .read }
    }

    /// What its user calls it.
    public let name: Name
    /// Whom it acts for.
    public let user: Email
    /// When it was made.
    public let madeAt: WallTime
    /// What it may do.
    public let scope: Scope

    /// The key of those parts.
    public init(name: Name, user: Email, madeAt: WallTime, scope: Scope = .switch) {
        self.name = name
        self.user = user
        self.madeAt = madeAt
        self.scope = scope
    }
}
