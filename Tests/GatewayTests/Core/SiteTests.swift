import FleetProtocol
import Foundation
import Testing
import UserText

@testable import GatewayCore

@Suite("Sites over HTTP")
struct SiteTests {
    private static let revision = SitesRevision(epoch: Epoch(1), changes: 1)

    private let account: AccountID

    init() throws {
        account = try #require(AccountID("demo"))
    }

    private func site(_ profile: SiteProfile, version: UInt64 = 1, once name: String? = nil) -> Site {
        Site(
            id: SiteID(of: name ?? profile.name, in: account), version: SiteVersion(version),
            profile: profile)
    }

    private func location(_ reported: String, _ register: SiteRegister) throws -> [String: Any] {
        let pod = try Sample.pod(site: reported)
        let answer = APIResponse.pod(
            pod, of: account, at: register, fields: PodFields(query: "location"), now: Sample.present)
        let document = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        let result = try #require(document?["result"] as? [String: Any])
        return try #require(result["location"] as? [String: Any])
    }

    @Test("a pod's location has its site's profile, except the description")
    func described() throws {
        let oslo = site(
            try SiteProfile(
                name: "Mill", description: "<b>secret</b>",
                coordinates: Coordinates(latitude: 59.9139, longitude: -10.5), address: ["Gate 3", "B"],
                city: "Oslo", country: CountryCode("NO"), timeZone: TimeZoneName("Europe/Oslo")))
        let shown = try location("mill", SiteRegister([oslo], [], revision: Self.revision))
        #expect(shown["id"] as? String == oslo.id.description)
        #expect(shown["name"] as? String == "Mill")
        #expect(shown["latLon"] as? [Double] == [59.9139, -10.5])
        #expect(shown["address"] as? [String] == ["Gate 3", "B"])
        #expect(shown["city"] as? String == "Oslo")
        #expect(shown["country"] as? String == "Norway")
        #expect(shown["countryAlpha2"] as? String == "NO")
        #expect(shown["timezone"] as? String == "Europe/Oslo")
        #expect(["me", "someone", "empty"].contains(shown["occupancy"] as? String))
    }

    @Test("a site without a profile has the name that nodes report, and the same ID later")
    func undescribed() throws {
        let before = try location("Mill", SiteRegister())
        #expect(before["name"] as? String == "Mill")
        #expect(before["latLon"] as? [Double] == [0, 0])
        #expect(before["country"] is NSNull)
        let renamed = site(try SiteProfile(name: "Villa"), once: "Mill")
        let after = try location("Mill", SiteRegister([renamed], [], revision: Self.revision))
        #expect(after["id"] as? String == before["id"] as? String)
        #expect(after["name"] as? String == "Villa")
        let undescribed = site(try SiteProfile(name: "Mill"), version: 0)
        let passedOver = SiteRegister([undescribed], [], revision: Self.revision)
        #expect(passedOver.place(of: Sample.device, reported: "Mill", in: account).profile == nil)
    }

    @Test("a site has its assigned pods, whatever their nodes report")
    func assigned() throws {
        let (mill, attic) = (site(try SiteProfile(name: "Mill")), site(try SiteProfile(name: "Attic")))
        let register = SiteRegister(
            [mill, attic], [SiteAssignment(device: Sample.device, site: attic.id)], revision: Self.revision)
        #expect(try location("Mill", register)["name"] as? String == "Attic")
        #expect(PageSites(register, of: account).name(of: Sample.device, reported: "Mill") == "Attic")
        let other = DeviceID(fleetSeed: 9, index: 9)
        #expect(PageSites(register, of: account).name(of: other, reported: "Mill") == "Mill")
        #expect(PageSites().name(of: Sample.device, reported: "Mill") == "Mill")
    }

    @Test("a hostile site name or address stays within its text")
    func hostile() throws {
        let text = "\"},{\"id\":\"x\u{202e}</script>\\"
        let register = SiteRegister(
            [site(try SiteProfile(name: text, address: [text]))], [], revision: Self.revision)
        let shown = try location(text, register)
        #expect(shown["name"] as? String == text)
        #expect(shown["address"] as? [String] == [text])
    }

    @Test("sites are returned page by page, fifty by default")
    func pages() throws {
        #expect(try SitesPage(FormFields("")).size == 50)
        #expect(try SitesPage(FormFields("")).page == 1)
        let wanted = try SitesPage(FormFields("page=3&pageSize=20"))
        #expect((wanted.page, wanted.size) == (3, 20))
    }

    @Test("site pages are numbered from 0 if the client does so")
    func firstPage() throws {
        #expect(try SitesPage(FormFields(""), firstPage: 0).page == 1)
        let wanted = try SitesPage(FormFields("page=2&pageSize=10"), firstPage: 0)
        #expect((wanted.page, wanted.size) == (3, 10))
        let list = SitesResponse.list(SitePage(sites: [], total: 7, revision: Self.revision), wanted)
        #expect(list.line.contains(#""page":2"#))
        #expect(throws: APIError.self) { try SitesPage(FormFields("page=-1"), firstPage: 0) }
    }

    @Test(
        "an invalid page of sites is refused",
        arguments: ["page=0", "page=x", "page=-1", "page=", "pageSize=0", "pageSize=101", "page=1e3"])
    func noPage(query: String) {
        #expect(throws: APIError.self) { try SitesPage(FormFields(query)) }
    }

    @Test("sites on the page have their profile, and descriptions unchanged")
    func reported() throws {
        let html = "<p onclick=alert(1)>At the gate</p>"
        let profile = try SiteProfile(name: "Mill", description: html)
        let report = SiteReport(site: site(profile), devices: 501, isDescribed: true)
        let devices = (0..<501).map {
            SiteDevices.Device(id: DeviceID(fleetSeed: 1, index: UInt64($0)), name: "Room")
        }
        let answer = SitesResponse.site(report, devices)
        let document =
            try JSONSerialization.jsonObject(with: Data(answer.line.utf8)) as? [String: Any]
        let shown = try #require(document?["site"] as? [String: Any])
        #expect(shown["description"] as? String == html)
        #expect(shown["latitude"] is NSNull)
        #expect(shown["devices"] as? Int == 501)
        #expect((document?["devices"] as? [Any])?.count == SitesResponse.devicesAtMost)
        let list = SitesResponse.list(
            SitePage(sites: [report], total: 7, revision: Self.revision),
            try SitesPage(FormFields("page=2&pageSize=1")))
        let listed = try JSONSerialization.jsonObject(with: Data(list.line.utf8)) as? [String: Any]
        #expect(listed?["total"] as? Int == 7)
        #expect(listed?["page"] as? Int == 2)
        #expect(listed?["pageSize"] as? Int == 1)
    }
}
