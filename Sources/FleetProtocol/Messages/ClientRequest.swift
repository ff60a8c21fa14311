extension ClientRequest {
    /// The kinds of request.
    public enum Body: Sendable, Equatable {
        /// Opens a session; the source is the origin of a log-in that a program forwards.
        case login(email: Email, password: Password, source: LoginSource? = nil)
        /// Ends the session, or all sessions of its user.
        case logout(everywhere: Bool)
        /// Changes a device.
        case command(Command)
        /// Cancels a request, if there is still time.
        case cancel(RequestID, timeout: Duration?)
        /// Requests the outcome of a request.
        case outcome(RequestID)
        /// Requests the next chunk of the account's devices, from a slot on, and up to another; 0 for no end.
        case snapshot(cursor: UInt32, end: UInt32 = 0)
        /// Requests the status of the fleet.
        case status
        /// Injects a fault into devices; the delay is that of ``Fault/slow``.
        case inject(Fault, devices: [DeviceID], duration: Duration, delay: Duration = .zero)
        /// Adds a user to the account; this and most of the following are for operators.
        case addUser(User, password: Password)
        /// Requests the users of the account.
        case users
        /// Removes a user from the account, and ends their sessions.
        case removeUser(Email)
        /// Changes the password of a user of the account, ends their sessions except the one that asks, and
        /// revokes their keys unless `retainsKeys` is set.
        case changePassword(Email, to: Password, retainsKeys: Bool = false)
        /// Changes the role of a user of the account; it applies to the user's sessions and keys at once.
        case changeRole(Email, to: Session.Role)
        /// Ends the faults of devices, or of all of the account's devices if none is named.
        case heal([DeviceID])
        /// Switches every node of the account to another scenario: a name, or a file's absolute path.
        ///
        /// Its first day began at that time, or when the controller receives the request.
        case scenario(String, beganAt: WallTime?)
        /// Removes devices from the fleet permanently; each must be among the last of its node.
        case retire([DeviceID])
        /// Requests the active faults of the account's devices; for operators.
        case faults
        /// Requests the account's requests that ended in the given period, from a cursor on.
        case history(back: Duration, cursor: UInt32)
        /// Creates an API key for the user; only the digest of the key is sent, never the key.
        case addKey(APIKey.Name, TokenDigest, APIKey.Scope = .switch)
        /// Requests the user's API keys.
        case keys
        /// Revokes one of the user's API keys.
        case revokeKey(APIKey.Name)
        /// Requests the session that the token stands for.
        case who
        /// Requests the counters of the controller and of the next of the account's nodes, from a cursor on.
        case counters(cursor: UInt32)
        /// Requests a ticket to the account's stream.
        case streamTicket
        /// Requests a sign-up or a password reset, which need no session.
        indirect case selfService(SelfServiceRequest)
        /// A request of an account service.
        case service(ServiceMessage)
    }
}

/// A password in a request.
///
/// Its description never shows it.
public struct Password: Hashable, Sendable, CustomStringConvertible {
    /// The characters, 256 bytes at most.
    public let text: String

    /// Whether it is long enough for a new password; an older, shorter one still logs in.
    public var isLongEnough: Bool { text.utf8.count >= Limits.chosenPasswordBytes }

    /// The password with those characters; nil if it is empty or too long.
    public init?(_ text: String) {
        guard (1...Limits.passwordBytes).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    /// A constant in place of the secret.
    public var description: String { "password" }
}

extension ClientRequest.Body {
    /// What clients and the controller may do with the request; for a service's request, these are its
    /// ``ServiceRequest/traits``.
    public var traits: RequestTraits {
        switch self {
        case .outcome, .snapshot, .status, .faults, .who, .history, .counters, .streamTicket: .read
        case .users, .keys: RequestTraits(retry: .onReconnect, keyScope: nil, isReadOnly: true)
        case .command, .cancel: .switching
        case .selfService(.availability): RequestTraits(retry: .onReconnect, keyScope: nil)
        case .login, .logout, .inject, .heal, .scenario, .retire, .addUser, .removeUser, .changePassword,
            .changeRole, .addKey, .revokeKey, .selfService, .service:
            RequestTraits(retry: .never, keyScope: nil)
        }
    }
}
