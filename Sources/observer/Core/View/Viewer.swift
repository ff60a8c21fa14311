import FleetProtocol

/// The user of the screen, as far as the controller knows it.
enum Viewer: Hashable, Sendable {
    /// Not known yet.
    case unknown
    /// A user with a session, in a role.
    case signedIn(Email, Session.Role)
    /// The session is missing or invalid; the advice to the user.
    case signedOut(advice: String)
    /// The screen shows a recording, whose time the user can move.
    case replaying
}

/// Returns the offset of local time from UTC at a time, positive to the east.
typealias LocalOffset = @Sendable (WallTime) -> Duration
