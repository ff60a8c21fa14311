/// The controller's reply to a ``SiteRequest``.
public enum SiteReply: Sendable, Equatable {
    /// Some of the sites.
    case list(SitePage)
    /// A site as stored.
    case site(SiteReport)
    /// The site was removed; `devices` had been assigned to it.
    case removed(devices: UInt32)
    /// The number of devices that were assigned.
    case assigned(devices: UInt32)
    /// Some of the devices of a site.
    case devices(SiteDevices)
    /// Some of the devices that users assigned to sites.
    case assignments(AssignmentChunk)
}

/// The revision of an account's sites, which changes with each change of a site and each start of the
/// controller.
public struct SitesRevision: Hashable, Sendable {
    /// The controller's start number.
    public let epoch: Epoch
    /// The number of changes since the start.
    public let changes: UInt64

    /// A revision with the given values.
    public init(epoch: Epoch, changes: UInt64) { (self.epoch, self.changes) = (epoch, changes) }
}

/// A page of an account's sites, by name.
public struct SitePage: Hashable, Sendable {
    /// The sites, without their descriptions.
    public let sites: [SiteReport]
    /// The number of sites on all pages.
    public let total: UInt32
    /// The revision of the account's sites that the page shows.
    public let revision: SitesRevision

    /// A page with the given values.
    public init(sites: [SiteReport], total: UInt32, revision: SitesRevision) {
        (self.sites, self.total, self.revision) = (sites, total, revision)
    }
}

/// Some of the devices of a site, in no particular order.
public struct SiteDevices: Hashable, Sendable {
    /// A device with its name.
    public struct Device: Hashable, Sendable {
        /// The device.
        public let id: DeviceID
        /// The name, as untrusted text.
        public let name: String

        /// A device with a name.
        public init(id: DeviceID, name: String) { (self.id, self.name) = (id, name) }
    }

    /// The devices; may be empty even if more chunks follow.
    public let devices: [Device]
    /// The cursor of the next request.
    public let nextCursor: UInt32
    /// Whether this is the last chunk.
    public let isLast: Bool

    /// Devices with the given values.
    public init(devices: [Device], nextCursor: UInt32, isLast: Bool) {
        (self.devices, self.nextCursor, self.isLast) = (devices, nextCursor, isLast)
    }
}

/// A device that a user assigned to a site.
public struct SiteAssignment: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// The site.
    public let site: SiteID

    /// The assignment of that device to that site.
    public init(device: DeviceID, site: SiteID) { (self.device, self.site) = (device, site) }
}

/// A stored record of an account's sites.
public enum SiteRecord: Hashable, Sendable {
    /// A site that was described.
    case site(Site)
    /// A device that a user assigned to a site.
    case device(DeviceID, at: SiteID)
    /// The highest version of the removed sites.
    case removed(upTo: SiteVersion)
}

/// Some of the devices that users assigned to sites, in the order of their IDs.
public struct AssignmentChunk: Hashable, Sendable {
    /// The assignments.
    public let assignments: [SiteAssignment]
    /// Whether this is the last chunk.
    public let isLast: Bool
    /// The revision of the account's sites that the chunk shows.
    public let revision: SitesRevision

    /// A chunk with the given values.
    public init(assignments: [SiteAssignment], isLast: Bool, revision: SitesRevision) {
        (self.assignments, self.isLast, self.revision) = (assignments, isLast, revision)
    }
}

/// A request about the sites of the user's account.
public enum SiteRequest: Sendable, Equatable, ServiceRequest {
    /// Lists a page of sites by name; pages count from 1 and have 1 to ``Limits/pageSites`` sites.
    case list(page: UInt32, size: UInt32)
    /// Reads a site.
    case site(SiteReference)
    /// Creates a site.
    case add(SiteProfile)
    /// Replaces the profile of a site if the site has that version.
    case change(SiteID, from: SiteVersion, to: SiteProfile)
    /// Removes the profile of a site.
    case remove(SiteID)
    /// Assigns 1 to ``Limits/faultDevices`` devices to a site; nil returns them to the site that their nodes
    /// report.
    case assign([DeviceID], to: SiteID?)
    /// Lists the devices of a site; the cursor is 0 at first, then that of the last reply.
    case devices(SiteID, cursor: UInt32)
    /// Lists the devices that users assigned, after the given device; nil starts with the first.
    case assignments(after: DeviceID?)

    /// The reply to a ``SiteRequest``.
    public typealias Reply = SiteReply

    /// The service `sites`.
    public static let service = ServiceName(constant: "sites")

    /// A change names the version that it is based on and may be sent again; a second removal would be
    /// refused as not found.
    public var traits: RequestTraits {
        switch self {
        case .list, .site, .devices, .assignments: .read
        case .add, .change, .assign: RequestTraits(retry: .onSilence, keyScope: nil)
        case .remove: RequestTraits(retry: .never, keyScope: nil)
        }
    }
}
