public import FleetProtocol
public import Stepping

/// The sequences of an account, as they were kept.
public struct KeptSequences: Hashable, Sendable {
    /// Whose they are.
    public let account: AccountID
    /// The sequences.
    public let reports: [SequenceReport]
    /// Of those with ids up to that time some are forgotten; nil: none is.
    public let horizon: WallTime?

    /// The sequences of those parts.
    public init(account: AccountID, reports: [SequenceReport], horizon: WallTime?) {
        self.account = account
        self.reports = reports
        self.horizon = horizon
    }
}
