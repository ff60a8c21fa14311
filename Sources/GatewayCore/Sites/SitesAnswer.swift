public import FleetProtocol
public import Wording

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
