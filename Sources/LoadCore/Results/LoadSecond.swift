/// One second of a load.
public struct LoadSecond: Codable, Equatable, Sendable {
    /// Which, counted from 0 at the begin of the measurement.
    public let second: Int
    /// Requests that were due in it.
    public let offered: Int
    /// Toggles whose answer, applied, came in it, whenever they were due.
    public let applied: Int
    /// Of those due in it, how many were not applied although nobody took them back.
    public let failed: Int
    /// The median latency of those due in it and applied, microseconds; nil for none.
    public let p50Us: Double?
    /// All but one in a hundred of those took no longer.
    public let p99Us: Double?
    /// The longest.
    public let maxUs: Double?
}
