public import FleetProtocol
public import Stepping

/// How far east of UTC the clocks of time zones are: what a calendar has to be told, for states decide on it.
public protocol ZoneOffsets: Sendable {
    /// How many seconds the clocks of a zone are ahead of UTC at a time, negative where they are behind; nil
    /// where the zone is not known.
    func secondsEast(in zone: TimeZoneName, at time: WallTime) -> Int64?
}

/// Nobody knows of any zone but UTC.
public struct UniversalTime: ZoneOffsets {
    /// UTC and nothing else.
    public init() {}

    public func secondsEast(in zone: TimeZoneName, at time: WallTime) -> Int64? { zone == .utc ? 0 : nil }
}
