public import FleetProtocol

/// What an account has said of its sites, as it was kept.
public struct KeptSites: Hashable, Sendable {
    /// Whose they are.
    public let account: AccountID
    /// The sites.
    public let sites: [Site]
    /// The highest version of sites that were removed; 0 where none was.
    public let removed: SiteVersion
    /// The devices that somebody has assigned to one of them.
    public let assignments: [SiteAssignment]

    /// The sites of those parts.
    public init(
        account: AccountID, sites: [Site], removed: SiteVersion = .zero, assignments: [SiteAssignment]
    ) {
        self.account = account
        self.sites = sites
        self.removed = removed
        self.assignments = assignments
    }
}
