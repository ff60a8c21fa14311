public import FleetProtocol
public import Stepping

/// What a user is to be sent: the token with which they choose another password.
///
/// Its description never shows the token.
public struct OutgoingMessage: Sendable, Equatable, CustomStringConvertible {
    /// Where it goes.
    public let recipient: Email
    /// What opens the door, once.
    public let token: Token
    /// Until when it does.
    public let expiresAt: WallTime

    /// The message of those values.
    public init(to recipient: Email, token: Token, expiresAt: WallTime) {
        self.recipient = recipient
        self.token = token
        self.expiresAt = expiresAt
    }

    /// Whom it is for.
    public var description: String { "message to \(recipient)" }
}
