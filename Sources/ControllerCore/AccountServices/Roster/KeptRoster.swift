public import FleetProtocol

/// The roster of an account, as it was kept.
public struct KeptRoster: Hashable, Sendable {
    /// Whose it is.
    public let account: AccountID
    /// How often somebody has said something of it.
    public let version: RosterVersion
    /// What stands over it.
    public let heading: RosterHeading
    /// Where the clocks are by which its shifts were written.
    public let timeZone: TimeZoneName
    /// The import that its shifts came with; nil where none did.
    public let lastImport: RequestID?
    /// The shifts, in order.
    public let shifts: [Shift]

    /// The roster of those parts.
    public init(
        account: AccountID, version: RosterVersion, heading: RosterHeading, timeZone: TimeZoneName,
        lastImport: RequestID?, shifts: [Shift]
    ) {
        self.account = account
        self.version = version
        self.heading = heading
        self.timeZone = timeZone
        self.lastImport = lastImport
        self.shifts = shifts
    }
}
