public import FleetProtocol
public import Stepping

/// How often in a row the password under an address was wrong.
public struct LoginFailures: Sendable, Equatable {
    /// Failures are forgotten after this long.
    public static let memory: Duration = .seconds(900)

    /// The address, of a user or of nobody.
    public let email: Email
    /// How often.
    public let count: Int
    /// When it last was.
    public let lastAt: WallTime

    /// The failures of those values.
    public init(email: Email, count: Int, lastAt: WallTime) {
        self.email = email
        self.count = count
        self.lastAt = lastAt
    }
}
