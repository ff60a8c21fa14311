public import Stepping

/// What a log-in gives.
public struct Session: Hashable, Sendable {
    /// What a user may do within the account.
    public enum Role: UInt8, CaseIterable, Hashable, Sendable {
        /// Everything.
        case owner
        /// Switches devices.
        case member
        /// Looks on.
        case viewer

        /// Its name, in lower case.
        public var name: String { "\(self)" }
    }

    /// Who owns the devices.
    public let account: AccountID
    /// Who logged in.
    public let email: Email
    /// What they may do.
    public let role: Role
    /// Whether they may change the fleet itself: inject faults, scale, manage users.
    public let isOperator: Bool

    /// The session of those parts.
    public init(account: AccountID, email: Email, role: Role, isOperator: Bool) {
        self.account = account
        self.email = email
        self.role = role
        self.isOperator = isOperator
    }
}

/// One who may log in, as the operators of the account see them.
public struct User: Hashable, Sendable {
    /// Their name at log-in.
    public let email: Email
    /// What they may do.
    public let role: Session.Role
    /// Whether they may change the fleet itself: inject faults, scale, manage users.
    public let isOperator: Bool

    /// The user of those parts.
    public init(email: Email, role: Session.Role, isOperator: Bool) {
        self.email = email
        self.role = role
        self.isOperator = isOperator
    }
}

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

/// Who is behind a program that logs in for others: a browser's address, say.
///
/// A connection that fails to log in waits longer each time. Through a gateway everybody comes by one
/// connection; with a source each waits for their own failures.
public struct LoginSource: Hashable, Sendable, CustomStringConvertible {
    /// Printable ASCII, 1 to ``Limits/loginSourceBytes`` bytes.
    ///
    /// A source of a network that can have many begins with that network's name and a space.
    public let text: String

    /// The source of that name; nil when it is empty, too long, or has bytes that are not printable ASCII.
    public init?(_ text: String) {
        guard (1...Limits.loginSourceBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        self.text = text
    }

    /// The network that the source is of: the text before the first space; nil without one.
    public var network: LoginSource? {
        text.firstIndex(of: " ").flatMap { LoginSource(String(text[..<$0])) }
    }

    /// The text.
    public var description: String { text }
}

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
