public import FleetProtocol

/// The answer to a toggle, independent of the protocol that transports it.
public enum LoadAnswer: Equatable, Sendable {
    /// The toggle was applied; its times in the fleet, nil if the answer has none.
    case applied(OutcomeReport.Timing?)
    /// The toggle was not applied; the name of its outcome or of its refusal.
    case failed(String)

    /// The name of an answer of another kind than expected.
    static let unexpected = "unexpectedReply"

    /// The name under which the request is counted.
    var name: String {
        switch self {
        case .applied: "applied"
        case .failed(let name): name
        }
    }
}
