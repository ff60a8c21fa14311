public import FleetProtocol
public import Stepping

/// Somebody asked for another password: who shows what hashes to this may choose it.
public struct Recovery: Sendable, Equatable {
    /// A token is good for this long.
    public static let lifetime: Duration = .seconds(900)
    /// An address is sent no other token for this long.
    public static let pause: Duration = .seconds(60)

    /// What the token hashes to; the token itself is in the message, and nowhere else.
    public let digest: TokenDigest
    /// The address that was named, of a user or of nobody.
    public let email: Email
    /// When.
    public let begunAt: WallTime

    /// The recovery of those values.
    public init(digest: TokenDigest, email: Email, begunAt: WallTime) {
        self.digest = digest
        self.email = email
        self.begunAt = begunAt
    }
}
