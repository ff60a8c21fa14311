/// A place of an account's where devices stand.
public struct Site: Hashable, Sendable {
    /// Its name for machines.
    public let id: SiteID
    /// How often somebody has said what it is.
    public let version: SiteVersion
    /// What was said.
    public let profile: SiteProfile

    /// The site of those parts.
    public init(id: SiteID, version: SiteVersion, profile: SiteProfile) {
        self.id = id
        self.version = version
        self.profile = profile
    }
}

/// Which site somebody means.
public enum SiteReference: Hashable, Sendable {
    /// The one of that id.
    case id(SiteID)
    /// The one of that name, in capitals or not.
    case name(String)
}

/// A site, and how many devices stand there.
public struct SiteReport: Hashable, Sendable {
    /// The site; in lists without its description.
    public let site: Site
    /// How many devices there are that the controller knows now.
    public let devices: UInt32
    /// Whether it has a description.
    public let isDescribed: Bool

    /// The report of those values.
    public init(site: Site, devices: UInt32, isDescribed: Bool) {
        self.site = site
        self.devices = devices
        self.isDescribed = isDescribed
    }
}
