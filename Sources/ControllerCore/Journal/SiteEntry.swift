public import FleetProtocol

/// What the controller must not forget of sites.
///
/// As a journal's entry, it is an effect that stands before every effect that depends on it.
public enum SiteEntry: Sendable, Equatable {
    /// A site is so from now on; it may be new.
    case said(AccountID, Site)
    /// What was said of a site is gone, and with it what was assigned to it; it was at that version.
    case forgotten(AccountID, SiteID, SiteVersion)
    /// Devices stand there from now on; nil: where their nodes say.
    case assigned(AccountID, [DeviceID], SiteID?)
}
