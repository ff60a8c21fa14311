import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

extension SiteReport {
    static func table(of sites: [SiteReport]) -> TextTable {
        var table = TextTable([
            ("SITE", .left), ("DEVICES", .right), ("WHERE", .left), ("COORDINATES", .left), ("ID", .left),
        ])
        for report in sites {
            let profile = report.site.profile
            table.add([
                profile.name, "\(report.devices)", profile.whereabouts.isEmpty ? "-" : profile.whereabouts,
                profile.coordinates?.description ?? "-", report.site.id.description,
            ])
        }
        return table
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
        guard (1...Int(UInt32.max)).contains(page) else { throw ValidationError("--page is 1 or more") }
        try require((1...Limits.pageSites).contains(pageSize), "--page-size is 1 to \(Limits.pageSites)")
    }

    /// Lists one page of the sites.
    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let list = try await access.withSession { try await $0.sites(page: page, size: pageSize) }
        guard list.total > 0 else {
            return .nothing(remark: "fleet: no sites yet; add one with `fleet site add NAME`")
        }
        let pages = (Int(list.total) + pageSize - 1) / pageSize
        let more = pages > 1 ? ", page \(page) of \(pages)" : ""
        return CommandOutput(
            json: list.sites.map(\.json), lines: SiteReport.table(of: list.sites).lines,
            remark: "\(list.sites.count) of \(list.total) sites\(more)")
    }
}
