import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("Room for sites")
struct SiteRoomTests {
    private func site(_ number: Int, described length: Int = 0) throws -> Site {
        let name = "Site \(number)"
        let profile = try SiteProfile(name: name, description: String(repeating: "x", count: length))
        return Site(id: SiteID(of: name, in: AccountID.demo), version: .zero.next, profile: profile)
    }

    private func device(_ index: Int) -> DeviceID { Bench.device(index) }

    @Test("the number of an account's sites is bounded, and existing ones can still be changed")
    func count() throws {
        var bounds = Sites.Bounds()
        bounds.sites = 2
        var sites = Sites(bounds: bounds)
        for number in 1...2 {
            let site = try site(number)
            #expect(sites.objection(to: site.profile, of: nil, in: 0, within: 1_000) == nil)
            sites[0].put(site)
        }
        let third = try site(3).profile
        #expect(sites.objection(to: third, of: nil, in: 0, within: 1_000) != nil)
        #expect(sites.objection(to: third, of: try site(1).id, in: 0, within: 1_000) == nil)
        #expect(sites.objection(to: third, of: nil, in: 1, within: 1_000) == nil)
    }

    @Test("the size of an account's sites is bounded, independently of others, and can always be reduced")
    func bytes() throws {
        var sites = Sites()
        let long = try site(1, described: 80)
        sites[0].put(long)
        let short = try site(2, described: 10).profile
        #expect(sites.objection(to: short, of: nil, in: 0, within: 100) != nil)
        let shorter = try site(1, described: 79).profile
        #expect(sites.objection(to: shorter, of: long.id, in: 0, within: 10) == nil)
        #expect(sites.objection(to: try site(2, described: 70).profile, of: nil, in: 1, within: 100) == nil)
        _ = sites[0].remove(long.id)
        #expect(sites.objection(to: short, of: nil, in: 0, within: 100) == nil)
    }

    @Test("the number of assigned devices is bounded, and moving one needs no room")
    func assignments() throws {
        var sites = Sites()
        let id = try site(1).id
        sites[0].assign([device(0), device(1)], to: id)
        #expect(sites.objection(toAssigning: [device(2)], in: 0, within: 2) != nil)
        #expect(sites.objection(toAssigning: [device(0)], in: 0, within: 2) == nil)
        #expect(sites.objection(toAssigning: [device(6)], in: 1, within: 2) == nil)
        sites[0].assign([device(1)], to: nil)
        #expect(sites.objection(toAssigning: [device(2)], in: 0, within: 2) == nil)
    }

    @Test("the longest page of sites fits into a message")
    func longestPage() throws {
        let line = String(repeating: "w", count: Limits.nameBytes)
        let profile = try SiteProfile(
            name: line, coordinates: Coordinates(latitude: -89.999999, longitude: -179.999999),
            address: Array(repeating: line, count: Limits.siteAddressLines), city: line,
            country: CountryCode("NO"),
            timeZone: TimeZoneName(String(repeating: "w", count: Limits.timeZoneBytes)))
        let id = SiteID(of: line, in: AccountID.demo)
        let report = SiteReport(
            site: Site(id: id, version: SiteVersion(Limits.largestOrdinal), profile: profile),
            devices: .max, isDescribed: true)
        let revision = SitesRevision(epoch: Epoch(Limits.largestOrdinal), changes: .max)
        let page = SitePage(
            sites: Array(repeating: report, count: Limits.pageSites), total: .max, revision: revision)
        let reply = ClientReply(correlation: .max, body: .sites(.list(page)))
        #expect(reply.wireBytes.count <= Limits.chunkBytes)
        let assignments = AssignmentChunk(
            assignments: Array(
                repeating: SiteAssignment(device: device(0), site: id), count: Limits.chunkAssignments),
            isLast: false, revision: revision)
        let chunk = ClientReply(correlation: .max, body: .sites(.assignments(assignments)))
        #expect(chunk.wireBytes.count <= Limits.chunkBytes)
    }

    @Test("the longest site profile fits into a request")
    func longestRequest() throws {
        let line = String(repeating: "w", count: Limits.nameBytes)
        let profile = try SiteProfile(
            name: line, description: String(repeating: "w", count: Limits.siteDescriptionBytes),
            coordinates: Coordinates(latitude: -89.999999, longitude: -179.999999),
            address: Array(repeating: line, count: Limits.siteAddressLines), city: line,
            country: CountryCode("NO"),
            timeZone: TimeZoneName(String(repeating: "w", count: Limits.timeZoneBytes)))
        let request = ClientRequest(
            correlation: .max, token: Token([UInt8](repeating: 255, count: Token.length)),
            body: .sites(
                .change(
                    SiteID(of: line, in: AccountID.demo),
                    from: SiteVersion(Limits.largestOrdinal), to: profile)))
        #expect(request.wireBytes.count <= Limits.messageBytes)
    }
}
