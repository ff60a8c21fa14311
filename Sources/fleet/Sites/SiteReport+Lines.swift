import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

extension SiteReport {
    static var columns: [TextTable.Column<SiteReport>] {
        [
            ("SITE", .left, { $0.site.profile.name }), ("DEVICES", .right, { "\($0.devices)" }),
            ("WHERE", .left, { $0.site.profile.whereabouts.nonEmpty ?? "-" }),
            ("COORDINATES", .left, { $0.site.profile.coordinates?.description ?? "-" }),
            ("ID", .left, { $0.site.id.description }),
        ]
    }

    /// All lines for people, except for the site's devices.
    var lines: [String] {
        let profile = site.profile
        var lines = ["\(SafeText.of(profile.name)) (\(site.id))"]
        if !profile.whereabouts.isEmpty { lines.append(SafeText.of(profile.whereabouts)) }
        lines.append(profile.coordinates.map { "coordinates \($0)" } ?? "no coordinates")
        if let zone = profile.timeZone { lines.append("time zone \(zone)") }
        lines.append(Count.of(Int(devices), "device"))
        guard isDescribed else { return lines + ["no description"] }
        let description = profile.description.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines + [""] + description.map { SafeText.of(String($0.replacing("\t", with: "    "))) }
    }
}

/// The options and the work of `fleet sites` and `fleet site list`.
struct SiteListing: ParsableArguments {
    @Option(help: "The page to show, from 1.") var page = 1

    @Option(help: "The number of sites on a page, 1 to \(Limits.pageSites).") var pageSize = Limits.pageSites

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require((1...Int(UInt32.max)).contains(page), "--page is 1 or more")
        try require((1...Limits.pageSites).contains(pageSize), "--page-size is 1 to \(Limits.pageSites)")
    }

    /// Lists one page of the sites.
    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let list = try await access.withSession { try await $0.sites(page: page, size: pageSize) }
        let pages = (Int(list.total) + pageSize - 1) / pageSize
        let more = pages > 1 ? ", page \(page) of \(pages)" : ""
        return .list(
            list.sites, SiteReport.columns, json: \.json,
            absence: list.total > 0 ? nil : "fleet: no sites yet; add one with `fleet site add NAME`",
            remark: "\(list.sites.count) of \(list.total) sites\(more)")
    }
}
