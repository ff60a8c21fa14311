import Testing

@testable import FleetProtocol

extension Given {
    var siteID: SiteID { SiteID(of: "Mühle", in: account) }

    /// A site with all values, and one with its name only.
    func sites() -> [Site] {
        let whole = try? SiteProfile(
            name: "Mühle", description: "<p>Ask at the <b>gate</b>.</p>",
            coordinates: Coordinates(latitude: 59.913868, longitude: -10.752245),
            address: ["Mølleveien 3", "Gate B"], city: "Oslo", country: CountryCode("NO"), timeZone: zone)
        let bare = try? SiteProfile(name: "Shed")
        return [whole, bare].compactMap(\.self).map {
            Site(id: SiteID(of: $0.name, in: account), version: SiteVersion(3), profile: $0)
        }
    }

    var revision: SitesRevision { SitesRevision(epoch: epoch, changes: 12) }
}

extension SiteRequest: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let profiles = zip(["a site", "a site with a name only"], given.sites())
        let requests: [(name: String, value: SiteRequest)] =
            [
                ("a page of sites", .list(page: 2, size: 50)), ("a site by id", .site(.id(given.siteID))),
                ("a site by name", .site(.name("mühle"))), ("remove a site", .remove(given.siteID)),
                ("assign two devices", .assign([given.device, given.otherDevice], to: given.siteID)),
                ("remove an assignment", .assign([given.device], to: nil)),
                ("devices of a site", .devices(given.siteID, cursor: 0)),
                ("devices of a site, next chunk", .devices(given.siteID, cursor: 16_384)),
                ("assignments", .assignments(after: nil)),
                ("assignments, next chunk", .assignments(after: given.device)),
            ] + profiles.map { ("add \($0)", .add($1.profile)) }
            + profiles.map { ("change \($0)", .change($1.id, from: SiteVersion(2), to: $1.profile)) }
        return requests
    }
}

extension SiteReply: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let reports = given.sites().map {
            SiteReport(site: $0, devices: 12, isDescribed: !$0.profile.description.isEmpty)
        }
        let brief = given.sites().map {
            SiteReport(
                site: Site(id: $0.id, version: $0.version, profile: $0.profile.brief), devices: 12,
                isDescribed: !$0.profile.description.isEmpty)
        }
        let devices = [given.device, given.otherDevice].map { SiteDevices.Device(id: $0, name: "Room") }
        let assignment = SiteAssignment(device: given.device, site: given.siteID)
        let replies: [(name: String, value: SiteReply)] =
            [
                ("sites", .list(SitePage(sites: brief, total: 1_000, revision: given.revision))),
                ("no sites", .list(SitePage(sites: [], total: 0, revision: given.revision))),
                ("site removed", .removed(devices: 12)), ("devices assigned", .assigned(devices: 2)),
                (
                    "devices of a site",
                    .devices(SiteDevices(devices: devices, nextCursor: 16_384, isLast: false))
                ),
                (
                    "no more devices of a site",
                    .devices(SiteDevices(devices: [], nextCursor: 20_000, isLast: true))
                ),
                (
                    "assignments",
                    .assignments(
                        AssignmentChunk(assignments: [assignment], isLast: false, revision: given.revision))
                ),
                (
                    "no assignments",
                    .assignments(AssignmentChunk(assignments: [], isLast: true, revision: given.revision))
                ),
            ] + zip(["site", "site with a name only"], reports).map { ($0, .site($1)) }
        return replies
    }
}

extension SiteRecord: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        zip(["a stored site", "a stored site with a name only"], given.sites()).map { ($0, .site($1)) } + [
            ("a stored device at a site", .device(given.device, at: given.siteID)),
            ("the version of removed sites", .removed(upTo: SiteVersion(7))),
        ]
    }
}
