import FleetProtocol
import UserText

extension SiteReport {
    /// The table for people, of sites in their order.
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

    /// The whole site for people, but for its devices.
    var lines: [String] {
        let profile = site.profile
        var lines = ["\(SafeText.of(profile.name)) (\(site.id))"]
        if !profile.whereabouts.isEmpty { lines.append(SafeText.of(profile.whereabouts)) }
        lines.append(profile.coordinates.map { "coordinates \($0)" } ?? "no coordinates")
        if let zone = profile.timeZone { lines.append("time zone \(zone)") }
        lines.append("\(devices) devices")
        guard isDescribed else { return lines + ["no description"] }
        let description = profile.description.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines + [""] + description.map { SafeText.of(String($0.replacing("\t", with: "    "))) }
    }
}
