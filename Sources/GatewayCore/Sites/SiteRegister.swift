public import FleetProtocol

/// What is known of an account's sites: where each of its devices stands.
public struct SiteRegister: Sendable {
    /// Where a device stands.
    public struct Place: Sendable {
        /// The site's id.
        public let id: SiteID
        /// What it is called; empty where nobody said where the device is.
        public let name: String
        /// What is said of it, but for its description; nil where nothing is.
        public let profile: SiteProfile?
    }

    /// The state of the account's sites that it is of; nil: none was read yet.
    public let revision: SitesRevision?
    private let sites: [SiteID: SiteProfile]
    private let names: [String: SiteID]
    private let assigned: [DeviceID: SiteID]

    /// A register in which nothing is: devices stand where their nodes say.
    public init() {
        (revision, sites, names, assigned) = (nil, [:], [:], [:])
    }

    /// The register of those sites.
    ///
    /// - Parameters:
    ///   - sites: All sites of the account; those of which nobody has said anything are passed over.
    ///   - assignments: The devices that somebody has assigned.
    public init(_ sites: [Site], _ assignments: [SiteAssignment], revision: SitesRevision) {
        let said = sites.filter { $0.version != .zero }
        self.revision = revision
        self.sites = Dictionary(said.map { ($0.id, $0.profile) }, uniquingKeysWith: { first, _ in first })
        names = Dictionary(
            said.map { ($0.profile.name.lowercased(), $0.id) }, uniquingKeysWith: { first, _ in first })
        assigned = Dictionary(
            assignments.map { ($0.device, $0.site) }, uniquingKeysWith: { first, _ in first })
    }

    /// Where a device stands.
    ///
    /// - Parameter told: What its node says; empty where that is nothing.
    public func place(of device: DeviceID, told: String, in account: AccountID) -> Place {
        if let id = assigned[device], let profile = sites[id] {
            return Place(id: id, name: profile.name, profile: profile)
        }
        guard !told.isEmpty else {
            return Place(id: SiteID(of: "", in: account), name: "", profile: nil)
        }
        let id = SiteID.told(
            told, in: account, isSaid: { sites[$0] != nil }, named: { names[$0.lowercased()] })
        return Place(id: id, name: sites[id]?.name ?? told, profile: sites[id])
    }
}
