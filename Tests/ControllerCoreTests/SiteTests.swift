import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

extension Bench {
    /// The node comes with three devices: one at Home, two at the Mill.
    fileprivate func bringSites() {
        let groups = ["Home", "Mill"].map {
            DeviceGroup(model: .sky, site: $0, firmware: "", remote: .discrete)
        }
        let devices = (0..<3).map { index in
            RowChunk.Row(device: .off(index), name: "Room \(index)", group: index == 0 ? 0 : 1)
        }
        join(with: devices, groups: groups)
    }

    fileprivate func site(_ request: SiteRequest, token: TokenDigest? = Bench.token) throws -> SiteReport {
        guard case .site(let report) = try answer(to: request, token: token) else {
            throw Refused(refusal: nil)
        }
        return report
    }

    fileprivate func addSite(_ name: String, city: String = "") throws -> SiteReport {
        try site(.add(try SiteProfile(name: name, city: city)))
    }

    fileprivate func page(_ page: UInt32 = 1, size: UInt32 = 100) throws -> SitePage {
        guard case .list(let list) = try answer(to: SiteRequest.list(page: page, size: size)) else {
            throw Refused(refusal: nil)
        }
        return list
    }

    /// Name, version and number of devices of each site.
    fileprivate func sites() throws -> [String] {
        try page().sites.map { "\($0.site.profile.name) v\($0.site.version) \($0.devices)" }
    }

    fileprivate func devices(at id: SiteID) throws -> [String] {
        guard case .devices(let devices) = try answer(to: SiteRequest.devices(id, cursor: 0)) else {
            return []
        }
        #expect(devices.isLast)
        return devices.devices.map(\.name)
    }

    fileprivate func assign(_ devices: [Int], to site: SiteID?) throws -> SiteReply {
        try answer(to: SiteRequest.assign(devices.map(Self.device), to: site))
    }
}

@Suite("Sites")
struct SiteTests {
    private let bench = Bench()

    init() {
        bench.bringSites()
        bench.effects = []
    }

    @Test("sites that nodes report exist before a user adds any")
    func undescribed() throws {
        #expect(try bench.sites() == ["Home v0 1", "Mill v0 2"])
        let mill = try bench.site(.site(.name("MILL")))
        #expect(try bench.devices(at: mill.site.id) == ["Room 1", "Room 2"])
        #expect(try bench.site(.site(.id(mill.site.id))) == mill)
        #expect(bench.recordChanges.isEmpty)
    }

    @Test("an added site is stored before the reply, exists once when repeated, and survives a restart")
    func added() throws {
        let profile = try SiteProfile(
            name: "Attic", description: "<p>Up</p>",
            coordinates: Coordinates(latitude: 59.9, longitude: 10.75), address: ["Storgata 1"], city: "Oslo",
            country: CountryCode("no"), timeZone: TimeZoneName("Europe/Oslo"))
        let made = try bench.site(.add(profile))
        let account = AccountID.demo
        #expect(made.site.profile == profile)
        #expect(bench.recordChanges == [ServiceRecord(SiteRecord.site(made.site), of: account)])
        #expect(try bench.site(.add(profile)) == made)
        #expect(bench.recordChanges.count == 1)
        try bench.restart()
        #expect(try bench.site(.site(.id(made.site.id))) == made)
        #expect(try bench.site(.add(profile)) == made)
    }

    @Test("a site's name is unique in its account, ignoring case")
    func names() throws {
        let attic = try bench.addSite("Attic")
        for name in ["ATTIC", "home"] {
            #expect(
                bench.refusal(to: SiteRequest.add(try SiteProfile(name: name, city: "Oslo")))?.kind
                    == "invalid")
        }
        #expect(
            bench.refusal(
                to: SiteRequest.change(
                    attic.site.id, from: attic.site.version, to: try SiteProfile(name: "mill")))?.kind
                == "invalid")
        #expect(try bench.sites() == ["Attic v1 0", "Home v0 1", "Mill v0 2"])
    }

    @Test("a renamed site keeps its ID and the devices that nodes report")
    func renamed() throws {
        let home = try bench.site(.site(.name("Home"))).site
        let villa = try bench.site(.change(home.id, from: .zero, to: try SiteProfile(name: "Villa")))
        #expect(villa.site.id == home.id)
        #expect(try bench.sites() == ["Mill v0 2", "Villa v1 1"])
        let other = try bench.addSite("Home")
        #expect(other.site.id != home.id)
        #expect(other.devices == 0)
        #expect(try bench.devices(at: home.id) == ["Room 0"])
    }

    @Test("a site is changed from a given version, and a repeated change has the same answer")
    func versions() throws {
        let made = try bench.addSite("Attic")
        let request = SiteRequest.change(
            made.site.id, from: made.site.version, to: try SiteProfile(name: "Attic", city: "Oslo"))
        let changed = try bench.site(request)
        #expect(changed.site.version == SiteVersion(2))
        #expect(try bench.site(request) == changed)
        let late = SiteRequest.change(
            made.site.id, from: made.site.version, to: try SiteProfile(name: "Attic", city: "Bergen"))
        #expect(bench.refusal(to: late)?.kind == "invalid")
        #expect(try bench.site(.site(.id(made.site.id))) == changed)
    }

    @Test("an assigned device moves to that site, also after a restart")
    func assigned() throws {
        let attic = try bench.addSite("Attic").site.id
        #expect(try bench.assign([0, 1, 1], to: attic) == .assigned(devices: 2))
        #expect(try bench.sites() == ["Attic v1 2", "Mill v0 1"])
        #expect(try bench.devices(at: attic) == ["Room 0", "Room 1"])
        try bench.restart()
        bench.bringSites()
        #expect(try bench.sites() == ["Attic v1 2", "Mill v0 1"])
        #expect(try bench.assign([0], to: nil) == .assigned(devices: 1))
        #expect(try bench.sites() == ["Attic v1 1", "Home v0 1", "Mill v0 1"])
    }

    @Test("a site to which devices are assigned is stored with its name")
    func retainedByAssignment() throws {
        let mill = try bench.site(.site(.name("Mill"))).site.id
        _ = try bench.assign([0], to: mill)
        #expect(try bench.sites() == ["Mill v1 3"])
        try bench.restart()
        #expect(try bench.sites() == ["Mill v1 0"])
    }

    @Test("a site that only nodes report is not refused as unknown until they return after a restart")
    func settling() throws {
        let mill = try bench.site(.site(.name("Mill"))).site.id
        try bench.restart()
        for query in [SiteRequest.site(.name("Mill")), .site(.id(mill))] {
            #expect(bench.refusal(to: query)?.kind == "busy")
        }
        bench.bringSites()
        #expect(try bench.site(.site(.id(mill))).devices == 2)
    }

    @Test("an assignment with an unknown or foreign device is not found, and assigns none")
    func foreign() throws {
        bench.passWithPings(.seconds(2))
        let attic = try bench.addSite("Attic").site.id
        #expect(
            bench.refusal(to: SiteRequest.assign([Bench.device(0), Bench.device(77)], to: attic)) == .notFound
        )
        #expect(try bench.sites().first == "Attic v1 0")
        let theirs = SiteRequest.add(try SiteProfile(name: "Theirs"))
        let report = try bench.site(theirs, token: Bench.strangerToken)
        let order = SiteRequest.assign([Bench.device(0)], to: report.site.id)
        #expect(bench.refusal(to: order, token: Bench.strangerToken) == .notFound)
        #expect(bench.refusal(to: order) == .notFound)
    }

    @Test("devices of a removed site return to the sites that nodes report")
    func removed() throws {
        let attic = try bench.addSite("Attic").site.id
        _ = try bench.assign([0, 1], to: attic)
        #expect(try bench.answer(to: SiteRequest.remove(attic)) == .removed(devices: 2))
        #expect(bench.refusal(to: SiteRequest.remove(attic)) == .notFound)
        #expect(try bench.sites() == ["Home v0 1", "Mill v0 2"])
        let home = try bench.site(.site(.name("Home"))).site.id
        #expect(bench.refusal(to: SiteRequest.remove(home))?.kind == "invalid")
        try bench.restart()
        #expect(try bench.sites() == [])
    }

    @Test(
        "a site that is removed and added again has a version that was not used before",
        arguments: [false, true])
    func addedAgain(restarts: Bool) throws {
        let seen = try bench.addSite("Attic").site
        _ = try bench.answer(to: SiteRequest.remove(seen.id))
        if restarts {
            try bench.restart()
            bench.bringSites()
        }
        let again = SiteRequest.add(try SiteProfile(name: "Attic", city: "Oslo"))
        let made = try bench.site(again).site
        #expect((made.id, made.version) == (seen.id, SiteVersion(2)))
        #expect(try bench.site(again).site == made)
        let late = SiteRequest.change(
            seen.id, from: seen.version, to: try SiteProfile(name: "Attic", city: "Bergen"))
        #expect(bench.refusal(to: late)?.kind == "invalid")
        let mill = try bench.site(.site(.name("Mill"))).site
        let first = SiteRequest.change(
            mill.id, from: mill.version, to: try SiteProfile(name: "Mill", city: "Ås"))
        #expect(try bench.site(first).site.version == SiteVersion(2))
        #expect(try bench.site(first).site.version == SiteVersion(2))
    }

    @Test("a list has one page of sites, orders numbers in names by value, and has the total")
    func pages() throws {
        for number in (1...12).reversed() { _ = try bench.addSite("Site \(number)") }
        let pages = try (1...3).map { try bench.page($0, size: 5) }
        #expect(pages.map(\.total) == [14, 14, 14])
        let names = ["Home", "Mill"] + (1...12).map { "Site \($0)" }
        #expect(pages.flatMap(\.sites).map(\.site.profile.name) == names)
        #expect(try bench.page(4, size: 5).sites.isEmpty)
        #expect(try bench.page(.max).sites.isEmpty)
    }

    @Test("sites are in natural order of their names, and each is found by its name")
    func order() throws {
        let names = [
            "2", "10", "attic", "Attic 2", "attic 02b", "Attic 10", "Hall 0", "Hall 00", "Hall 1/9",
            "Hall 1/10", "Hall 99999999999999999998", "Hall 99999999999999999999", "Hall A", "Home", "Mill",
            "Mill Lane", "Mill Lane 1", "Mill Lane 2", "Ås 9", "Ås 12",
        ]
        var dice = SeededGenerator(seed: 1)
        for name in names.shuffled(using: &dice) where name != "Home" && name != "Mill" {
            _ = try bench.addSite(name)
        }
        #expect(try bench.page().sites.map(\.site.profile.name) == names)
        for name in names {
            #expect(try bench.site(.site(.name(name.uppercased()))).site.profile.name == name)
        }
    }

    @Test("the sites have another revision after each change and after each restart")
    func revisions() throws {
        func revision() throws -> SitesRevision { try bench.page().revision }
        var seen = [try revision()]
        let attic = try bench.addSite("Attic").site.id
        seen.append(try revision())
        _ = try bench.assign([0], to: attic)
        seen.append(try revision())
        let assignment = SiteAssignment(device: Bench.device(0), site: attic)
        let chunk = AssignmentChunk(assignments: [assignment], isLast: true, revision: try revision())
        #expect(try bench.answer(to: SiteRequest.assignments(after: nil)) == .assignments(chunk))
        _ = try bench.assign([0], to: attic)
        #expect(try revision() == seen.last)
        _ = try bench.answer(to: SiteRequest.remove(attic))
        seen.append(try revision())
        try bench.restart()
        seen.append(try revision())
        #expect(Set(seen).count == 5)
    }

    @Test("a retired device is removed from its site")
    func retired() throws {
        bench.passWithPings(.seconds(2))
        let attic = try bench.addSite("Attic").site.id
        _ = try bench.assign([2], to: attic)
        bench.pass(.seconds(5))
        bench.ask(.retire([Bench.device(2)]))
        let removal = try #require(bench.recordChanges.last)
        #expect(removal.service == SiteRequest.service && removal.value == nil)
        #expect(removal.key == SiteRecord.key(of: Bench.device(2)).bytes)
        try bench.restart()
        #expect(try bench.sites().first == "Attic v1 0")
    }

    @Test("sites are not changed while the storage is full")
    func fullDisk() throws {
        bench.step(.storage(isFull: true))
        #expect(
            bench.refusal(to: SiteRequest.add(try SiteProfile(name: "Attic")))
                == .storageFull(retryAfter: Limits.storageRetry))
        #expect(try bench.sites() == ["Home v0 1", "Mill v0 2"])
    }
}
