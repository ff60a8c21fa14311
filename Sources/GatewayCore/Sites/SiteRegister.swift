public import FleetProtocol
public import Wording

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

/// Sites as the page reads them.
public enum SitesAnswer {
    /// Devices that are listed with a site; of more, their number is told.
    public static let devicesAtMost = 500

    /// A page of them, without their descriptions.
    public static func list(_ list: SitePage, _ page: SitesPage) -> JSONValue {
        [
            "sites": .array(list.sites.map(\.json)), "total": .integer(Int64(list.total)),
            "page": .integer(Int64(page.page - 1 + page.firstPage)), "pageSize": .integer(Int64(page.size)),
        ]
    }

    /// One of them, with its description as it was written, and its devices.
    public static func site(_ report: SiteReport, _ devices: [SiteDevices.Device]) -> JSONValue {
        ["site": report.json, "devices": .array(devices.prefix(devicesAtMost).map(\.json))]
    }
}

/// Which page of an account's sites a query wants: `page`, of `pageSize` sites.
public struct SitesPage: Hashable, Sendable {
    /// Sites of a page where the query does not say.
    public static let usualSize = 50

    /// Which page, from 1.
    public let page: Int
    /// The number that the client gives to the first page.
    let firstPage: Int
    /// How many there are on it.
    public let size: Int

    /// The page that a query names.
    ///
    /// - Parameter firstPage: The number that the client gives to the first page, 0 or 1.
    /// - Throws: ``APIError/badRequest(_:)`` for what is no such number.
    public init(_ query: FormFields, firstPage: Int = 1) throws(APIError) {
        let number = try Self.number("page", in: query, firstPage...firstPage + 999_999) ?? firstPage
        page = number - firstPage + 1
        self.firstPage = firstPage
        size = try Self.number("pageSize", in: query, 1...Limits.pageSites) ?? Self.usualSize
    }

    private static func number(
        _ name: String, in query: FormFields, _ allowed: ClosedRange<Int>
    ) throws(APIError) -> Int? {
        guard let text = query[name] else { return nil }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(text), allowed.contains(number)
        else {
            throw .badRequest("\(name) has to be a number of \(allowed.lowerBound) to \(allowed.upperBound)")
        }
        return number
    }
}
