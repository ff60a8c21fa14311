public import FleetProtocol
public import FleetTime

/// Who looks at the screen, as far as the controller knows them.
public enum Viewer: Hashable, Sendable {
    /// Nobody has said yet.
    case unknown
    /// Somebody with a session, in a role.
    case signedIn(Email, Session.Role)
    /// Nobody: there is no session, or none that the controller knows; what to do, in words.
    case signedOut(advice: String)
    /// Somebody who looks at a recording: what it shows is over, and its time is theirs to move.
    case replaying
}

/// How far east of UTC somebody's clocks are at a time: what they say then, and not what they say today.
public typealias LocalOffset = @Sendable (WallTime) -> Duration
