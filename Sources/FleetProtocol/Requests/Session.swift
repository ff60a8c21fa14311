/// The identity and the rights that a log-in grants.
public struct Session: Hashable, Sendable {
    /// The account that owns the devices.
    public let account: AccountID
    /// The email of the user who logged in.
    public let email: Email
    /// The user's role.
    public let role: Role
    /// Whether the user is an operator, who may inject faults, scale the fleet and manage users.
    public let isOperator: Bool
    /// The cell of the account; nil for a fleet without cells.
    public var cell: CellName?
    /// The API key of the token, in the reply about a token; nil for the session of a log-in.
    public var key: APIKey?

    /// A session with the given values.
    public init(
        account: AccountID, email: Email, role: Role, isOperator: Bool, cell: CellName? = nil,
        key: APIKey? = nil
    ) {
        (self.account, self.email, self.role, self.isOperator) = (account, email, role, isOperator)
        (self.cell, self.key) = (cell, key)
    }

    /// Why a viewer cannot change anything; nil for other roles.
    @inlinable public var viewerRefusal: Refusal? {
        role == .viewer ? .notAllowed("viewers are read-only; ask an account owner for the member role") : nil
    }

    /// Why the scope of the key or the role does not permit a command; nil if both do.
    public var commandRefusal: Refusal? { key?.scope.refusal(of: .switching) ?? viewerRefusal }
}

extension APIKey {
    /// A key's name, one of its user's: 1 to 32 characters of `[A-Za-z0-9._-]`.
    public struct Name: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// The characters.
        public let text: String

        /// The key of that name; nil when the name has other characters or another length.
        public init?(_ text: String) {
            // Key names follow the same rule as node names.
            guard let name = NodeName(text) else { return nil }
            self.text = name.text
        }

        /// The characters.
        public var description: String { text }

        /// Alphabetical order.
        public static func < (left: Name, right: Name) -> Bool { left.text < right.text }
    }
}

/// The origin of a log-in that a program forwards for its users, such as a browser's address.
///
/// The controller delays log-ins on a connection after each failure. All users of a gateway share one
/// connection. A source makes the controller count failures for each user separately.
public struct LoginSource: Hashable, Sendable, CustomStringConvertible {
    /// Printable ASCII, 1 to ``Limits/loginSourceBytes`` bytes.
    ///
    /// If one network has many sources, the text starts with the network's name and a space.
    public let text: String

    /// Creates a source; nil if the text is empty, too long, or has bytes that are not printable ASCII.
    public init?(_ text: String) {
        guard (1...Limits.loginSourceBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        self.text = text
    }

    /// The source's network, which is the text before the first space; nil without a space.
    public var network: LoginSource? {
        text.firstIndex(of: " ").flatMap { LoginSource(String(text[..<$0])) }
    }

    /// The text.
    public var description: String { text }
}

/// A request without a session, other than a log-in: sign-up or password reset.
public enum SelfServiceRequest: Sendable, Equatable {
    /// Asks whether sign-up and password reset are available.
    case availability
    /// Logs in, and first creates the user and an account of their own if the email is unknown.
    ///
    /// The source is the origin of the request if a program forwards it.
    case signUp(email: Email, password: Password, source: LoginSource? = nil)
    /// Asks the controller to send the user a password-reset token.
    case forgotPassword(Email, source: LoginSource? = nil)
    /// Changes the password of the user who received the token, and revokes the user's keys unless
    /// `retainsKeys` is set; the request carries the token in place of a session's.
    case resetPassword(to: Password, retainsKeys: Bool = false)
}

/// The reply to a ``SelfServiceRequest`` other than a sign-up, which gets the reply of a log-in.
public enum SelfServiceReply: Sendable, Equatable {
    /// Whether sign-up and password reset are available.
    case availability(SelfService)
    /// The controller sends a token if the user exists.
    case resetRequested
    /// The user whose password changed, with the numbers of ended sessions and of revoked keys.
    case passwordReset(Email, sessions: UInt32, keys: UInt32 = 0)
}

extension APIKey.Scope {
    /// The scope's name on command lines and in the store.
    public var name: String { "\(self)" }

    /// Returns whether this scope grants everything that the other scope grants.
    public func includes(_ other: Self) -> Bool { self == .switch || other == .read }

    /// Why a key of this scope does not permit a request; nil if the scope includes it.
    ///
    /// A stolen key must not extend its own life, so no key permits changes of who has access.
    public func refusal(of traits: RequestTraits) -> Refusal? {
        guard let needed = traits.keyScope else {
            return .notAllowed("API keys cannot do this; log in with a password")
        }
        guard includes(needed) else {
            return .notAllowed("the API key has scope \(name); this needs scope \(needed.name)")
        }
        return nil
    }
}

extension Session.Role {
    /// Its name, in lower case.
    public var name: String { "\(self)" }
}
