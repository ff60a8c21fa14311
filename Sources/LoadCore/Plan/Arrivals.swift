/// How the requests of an open loop are spread over time.
public enum Arrivals: String, CaseIterable, Codable, Sendable {
    /// As of many people who know nothing of each other: the gaps are exponentially distributed.
    case poisson
    /// One after the other, at equal distances.
    case uniform
}
