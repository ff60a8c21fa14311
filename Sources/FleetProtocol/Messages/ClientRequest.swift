/// What a user's program asks of the controller.
public struct ClientRequest: Sendable, Equatable {
    /// The kinds of request.
    public enum Body: Sendable, Equatable {
        /// Opens a session; the source is who is behind a program that logs in for others.
        case login(email: Email, password: Password, source: LoginSource? = nil)
        /// Ends the session, or every one of its user.
        case logout(everywhere: Bool)
        /// Has a device changed.
        case command(Command)
        /// Takes a request back, if there is still time.
        case cancel(RequestID, patience: Duration?)
        /// Asks what became of a request.
        case outcome(RequestID)
        /// Asks for the next chunk of the account's devices, from a slot on, and up to another; 0 is none.
        case snapshot(cursor: UInt32, end: UInt32 = 0)
        /// Asks how the fleet is.
        case status
        /// Makes something go wrong with devices; the delay is that of ``Fault/slow``.
        case inject(Fault, devices: [DeviceID], duration: Duration, delay: Duration = .zero)
        /// Takes somebody into the account; this and the rest is for operators.
        case addUser(User, password: Password)
        /// Asks who may log in to the account.
        case users
        /// Takes somebody out of the account, and ends their sessions.
        case removeUser(Email)
        /// Changes the password of a user of the account, ends their sessions except the one that asks, and
        /// revokes their keys unless `keepsKeys` is set.
        case changePassword(Email, to: Password, keepsKeys: Bool = false)
        /// Changes the role of a user of the account; it applies to the user's sessions and keys at once.
        case changeRole(Email, to: Session.Role)
        /// Ends what goes wrong with devices, or with all of the account's where none is named.
        case heal([DeviceID])
        /// Has every node of the account go on with another scenario: a name, or a file's absolute path.
        case scenario(String)
        /// Has devices leave the fleet for good; each has to be among the last of its node.
        case retire([DeviceID])
        /// Requests the active faults of the account's devices; for operators.
        case faults
        /// Asks for the next of the account's requests that ended in the last while, from a cursor on.
        case history(back: Duration, cursor: UInt32)
        /// Makes a key for the user who asks; the key itself never travels, but what it hashes to.
        case addKey(APIKey.Name, TokenDigest, APIKey.Scope = .switch)
        /// Asks which keys one has.
        case keys
        /// Ends a key of one's own.
        case revokeKey(APIKey.Name)
        /// Asks whom the token stands for.
        case who
        /// Asks what the controller and the next of the account's nodes have counted, from a cursor on.
        case counters(cursor: UInt32)
        /// Asks for a ticket to the account's stream.
        case streamTicket
        /// Asks to come in, where one cannot log in.
        indirect case wayIn(WayInRequest)
        /// A request of an account service.
        case service(ServiceMessage)
    }

    /// Comes back in the reply; the client's own to choose.
    public let correlation: UInt64
    /// The session, or what stands in its place; nil for whoever has none.
    public let token: Token?
    /// What is asked.
    public let body: Body
    /// Whether a program asks for itself: the session does not count as used.
    public let isUnattended: Bool

    /// The request of those parts.
    public init(correlation: UInt64, token: Token?, isUnattended: Bool = false, body: Body) {
        self.correlation = correlation
        self.token = token
        self.isUnattended = isUnattended
        self.body = body
    }
}

/// A password on its way to be checked.
///
/// Its description never shows it.
public struct Password: Sendable, Equatable, CustomStringConvertible {
    /// The characters, 256 bytes at most.
    public let text: String

    /// Whether it may be chosen as a new password; an older, shorter one still logs in.
    public var isLongEnough: Bool { text.utf8.count >= Limits.chosenPasswordBytes }

    /// The password of those characters; nil when it is empty or too long.
    public init?(_ text: String) {
        guard (1...Limits.passwordBytes).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    /// A word in place of the secret.
    public var description: String { "password" }
}

extension ClientRequest.Body {
    /// What clients and the controller may do with the request; of a service's request, its
    /// ``ServiceRequest/traits`` say that.
    public var traits: RequestTraits {
        switch self {
        case .outcome, .snapshot, .status, .faults, .who, .history, .counters, .streamTicket: .read
        case .users, .keys: RequestTraits(retry: .onReconnect, keyScope: nil, isReadOnly: true)
        case .command, .cancel: RequestTraits(retry: .onSilence, keyScope: .switch)
        case .wayIn(.ways): RequestTraits(retry: .onReconnect, keyScope: nil)
        case .login, .logout, .inject, .heal, .scenario, .retire, .addUser, .removeUser, .changePassword,
            .changeRole, .addKey, .revokeKey, .wayIn, .service:
            RequestTraits(retry: .never, keyScope: nil)
        }
    }
}
