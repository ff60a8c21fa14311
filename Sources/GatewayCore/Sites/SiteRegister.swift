public import FleetProtocol
public import UserText

/// An account's sites, and the site of each of its devices.
public struct SiteRegister: Sendable {
    public struct Place: Sendable {
        public let id: SiteID
        public let name: String
        /// The site's profile, without its description; nil without one.
        let profile: SiteProfile?
    }

    /// The revision of the account's sites; nil before the first reading.
    public let revision: SitesRevision?
    private let sites: [SiteID: SiteProfile]
    private let names: [String: SiteID]
    private let assigned: [DeviceID: SiteID]

    public init() { (revision, sites, names, assigned) = (nil, [:], [:], [:]) }

    /// Creates a register from assignments and all sites; sites without a profile are ignored.
    public init(_ sites: [Site], _ assignments: [SiteAssignment], revision: SitesRevision) {
        let described = sites.filter { $0.version != .zero }
        self.revision = revision
        self.sites = Dictionary(described.map { ($0.id, $0.profile) }) { first, _ in first }
        names = Dictionary(described.map { ($0.profile.name.lowercased(), $0.id) }) { first, _ in first }
        assigned = Dictionary(assignments.map { ($0.device, $0.site) }) { first, _ in first }
    }

    /// Returns the site of a device: its assignment takes precedence over its node's report, empty without
    /// one.
    public func place(of device: DeviceID, reported: String, in account: AccountID) -> Place {
        if let id = assigned[device], let profile = sites[id] {
            return Place(id: id, name: profile.name, profile: profile)
        }
        guard !reported.isEmpty else { return Place(id: SiteID(of: "", in: account), name: "", profile: nil) }
        let id = SiteID.reported(
            reported, in: account, hasProfile: { sites[$0] != nil }, named: { names[$0.lowercased()] })
        return Place(id: id, name: sites[id]?.name ?? reported, profile: sites[id])
    }
}

public enum SitesResponse {
    /// The maximum number of devices listed with a site; the site's object has the number of all.
    public static let devicesAtMost = 500

    /// A page of them, without their descriptions.
    public static func list(_ list: SitePage, _ page: SitesPage) -> JSONObject {
        [
            "sites": list.sites.map(\.json), "total": list.total, "page": page.page - 1 + page.firstPage,
            "pageSize": page.size,
        ]
    }

    public static func site(_ report: SiteReport, _ devices: [SiteDevices.Device]) -> JSONObject {
        ["site": report.json, "devices": devices.prefix(devicesAtMost).map(\.json)]
    }
}

/// The page of an account's sites that a query requests: `page`, of `pageSize` sites.
public struct SitesPage: Hashable, Sendable {
    static let usualSize = 50

    /// The page's number, from 1.
    public let page: Int
    /// The number that the client gives to the first page.
    let firstPage: Int
    public let size: Int

    /// Parses the query parameters `page` and `pageSize`; clients number the first page 0 or 1.
    public init(_ query: FormFields, firstPage: Int = 1) throws(APIError) {
        let number = try query.number("page", in: firstPage...firstPage + 999_999) ?? firstPage
        page = number - firstPage + 1
        self.firstPage = firstPage
        size = try query.number("pageSize", in: 1...Limits.pageSites) ?? Self.usualSize
    }
}

/// The English names of countries. `deploy/make-places` makes the names in `countries.txt` from `iso3166.tab`
/// of the time zone database, which is in the public domain.
enum CountryNames {
    static func name(of country: CountryCode) -> String? { byLetters[country.letters] }

    private static let byLetters = Dictionary(
        (EmbeddedText.files["Sites/countries.txt"]?.description ?? "").split(separator: "\n")
            .map { (String($0.prefix(2)), String($0.dropFirst(3))) },
        uniquingKeysWith: { first, _ in first })
}
