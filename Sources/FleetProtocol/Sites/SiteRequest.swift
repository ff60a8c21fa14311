/// What a user's program asks about the sites of its account.
public enum SiteRequest: Sendable, Equatable {
    /// Asks for a page of them, by name: pages count from 1, and have 1 to ``Limits/pageSites`` sites.
    case list(page: UInt32, size: UInt32)
    /// Asks for one.
    case site(SiteReference)
    /// Has one made.
    case add(SiteProfile)
    /// Has one changed that is at that version.
    case change(SiteID, from: SiteVersion, to: SiteProfile)
    /// Has forgotten what was said of one.
    case remove(SiteID)
    /// Has 1 to ``Limits/faultDevices`` devices stand there; nil: where their nodes say.
    case assign([DeviceID], to: SiteID?)
    /// Asks for the devices that stand there: from 0 on, and then from where the last answer ended.
    case devices(SiteID, cursor: UInt32)
    /// Asks for the devices that somebody has assigned: after that one, nil for the first.
    case assignments(after: DeviceID?)
}
