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
