public import FleetTime

/// How far east of UTC somebody's clocks are at a time: what they say then, and not what they say today.
public typealias LocalOffset = @Sendable (WallTime) -> Duration
