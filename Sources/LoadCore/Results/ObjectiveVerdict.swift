/// Whether a load was as fast as was wanted.
public struct ObjectiveVerdict: Equatable, Sendable {
    /// What was wanted, as it was written.
    public let slo: String
    /// Whether it was so.
    public let isMet: Bool
    /// What was measured, microseconds; nil when so many toggles failed that there is no such latency.
    public let valueUs: Double?
}

extension ObjectiveVerdict: Codable {
    private enum CodingKeys: String, CodingKey {
        case slo, isMet, valueUs
    }

    /// Writes every key, null where there is no value.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(slo, forKey: .slo)
        try members.encode(isMet, forKey: .isMet)
        try members.encode(valueUs, forKey: .valueUs)
    }
}
