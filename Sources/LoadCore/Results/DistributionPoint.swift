/// A point of a distribution of latencies.
public struct DistributionPoint: Codable, Equatable, Sendable {
    /// Which part of all, 0 to 100.
    public let percentile: Double
    /// Within which time that part stayed, microseconds.
    public let us: Double
    /// How many that is.
    public let count: UInt64
}
