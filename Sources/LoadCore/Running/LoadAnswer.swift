public import FleetProtocol

/// The answer to a request, independent of the protocol that transports it.
public enum LoadAnswer: Equatable, Sendable {
    /// The change was applied; its times in the fleet, nil if the answer has none.
    case applied(OutcomeReport.Timing?)
    /// The device already had the state to set; its times in the fleet.
    case unchanged(OutcomeReport.Timing?)
    /// Devices were read.
    case read
    /// The request was not carried out; the name of its outcome or of its refusal.
    case failed(String)

    /// The name of an answer of another kind than expected.
    static let unexpected = "unexpectedReply"

    /// The name under which the request is counted.
    var name: String {
        switch self {
        case .applied: "applied"
        case .unchanged: "unchanged"
        case .read: "read"
        case .failed(let name): name
        }
    }
}
