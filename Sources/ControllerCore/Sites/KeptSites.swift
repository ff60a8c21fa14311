public import FleetProtocol

/// What an account has said of its sites, as it was kept.
public struct KeptSites: Hashable, Sendable {
    /// Whose they are.
    public let account: AccountID
    /// The sites.
    public let sites: [Site]
    /// The devices that somebody has assigned to one of them.
    public let assignments: [SiteAssignment]

    /// The sites of those parts.
    public init(account: AccountID, sites: [Site], assignments: [SiteAssignment]) {
        self.account = account
        self.sites = sites
        self.assignments = assignments
    }
}
