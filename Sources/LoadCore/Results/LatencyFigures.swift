/// How long something took, in microseconds; nil where nothing was measured.
public struct LatencyFigures: Equatable, Sendable {
    /// How many were measured.
    public let count: UInt64
    /// The mean.
    public let mean: Double?
    /// Half took no longer.
    public let p50: Double?
    /// Nine in ten took no longer.
    public let p90: Double?
    /// All but one in a hundred took no longer.
    public let p99: Double?
    /// All but one in a thousand took no longer.
    public let p999: Double?
    /// The longest.
    public let max: Double?
}

extension LatencyFigures {
    /// Nothing was measured.
    static let none = LatencyFigures(
        count: 0, mean: nil, p50: nil, p90: nil, p99: nil, p999: nil, max: nil)
}

extension LatencyFigures: Codable {
    private enum CodingKeys: String, CodingKey {
        case count, mean, p50, p90, p99, p999, max
    }

    /// Writes every key, null where nothing was measured: scripts rely on them.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(count, forKey: .count)
        try members.encode(mean, forKey: .mean)
        try members.encode(p50, forKey: .p50)
        try members.encode(p90, forKey: .p90)
        try members.encode(p99, forKey: .p99)
        try members.encode(p999, forKey: .p999)
        try members.encode(max, forKey: .max)
    }
}
