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

extension SiteDevices {
    /// A device with its name.
    public struct Device: Hashable, Sendable {
        /// The device.
        public let id: DeviceID
        /// The name, as untrusted text.
        public let name: String

        /// A device with a name.
        public init(id: DeviceID, name: String) { (self.id, self.name) = (id, name) }
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

extension SiteRequest: ServiceRequest {
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
