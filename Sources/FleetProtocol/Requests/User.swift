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
