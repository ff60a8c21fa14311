import FleetProtocol

/// What the first of two copies of a request was told, for the second to be held against.
enum FirstAnswer: Equatable, Sendable {
    /// How it ended.
    case ended(Outcome, versionBefore: Version)
    /// Nothing that lasts: it was refused, or is not known to have ended.
    case undecided

    /// What an answer says.
    init(_ body: ClientReply.Body) {
        if case .outcome(let report) = body, report.outcome.isFinal {
            self = .ended(report.outcome, versionBefore: report.versionBefore)
        } else {
            self = .undecided
        }
    }
}
