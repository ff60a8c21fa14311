import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("Sites")
struct SiteTests {
    private static let groups = ["Home", "Mill"].map {
        DeviceGroup(model: .sky, site: $0, firmware: "", remote: .discrete)
    }

    /// A bench whose node has three devices: one at Home, two at the Mill.
    private func reported() throws -> Bench {
        let bench = try Bench()
        try come(to: bench)
        bench.effects = []
        return bench
    }

    private func come(to bench: Bench) throws {
        let connection = ConnectionID(high: 9, low: 1)
        let hello = NodeHello(
            node: try #require(NodeName("node-1")), account: try #require(AccountID("demo")), devices: 3,
            groups: Self.groups)
        func send(_ body: NodeMessage.Body) {
            bench.step(
                .node(
                    connection,
                    NodeMessage(bootID: BootID(bits: 1), lastNumber: ChangeNumber(3), body: body)))
        }
        send(.hello(hello))
        send(.hello(hello))
        let rows = (0..<3).map { index in
            RowChunk.Row(device: row(index), name: "Room \(index)", group: index == 0 ? 0 : 1)
        }
        send(.rows(bench.chunk(nextCursor: 3, on: connection, rows: rows)))
    }

    private func row(_ index: Int) -> DeviceRow {
        DeviceRow(
            device: device(index), number: ChangeNumber(UInt64(index + 1)),
            reported: DeviceState(
                state: ACState(isOn: false, mode: .cool, targetTemperature: 22, fanLevel: .auto),
                version: Version(1), incarnation: Incarnation(bits: 0xabc)),
            epoch: .zero, lastCommandNumber: .zero, isConnected: true)
    }

    private func device(_ index: Int) -> DeviceID { DeviceID(fleetSeed: 1, index: UInt64(index)) }

    private func answer(
        _ bench: Bench, _ request: SiteRequest, token: TokenDigest? = Bench.token
    ) throws -> SiteReply {
        try bench.serve(request, token: token)
    }

    private func refusal(
        _ bench: Bench, _ request: SiteRequest, token: TokenDigest? = Bench.token
    ) -> Refusal? {
        bench.refusal(of: bench.ask(.sites(request), token: token))
    }

    private func site(_ bench: Bench, _ request: SiteRequest) throws -> SiteReport {
        guard case .site(let report) = try answer(bench, request) else { throw Refused(refusal: nil) }
        return report
    }

    /// Name, version and number of devices of each site on a page.
    private func list(
        _ bench: Bench, page: UInt32 = 1, size: UInt32 = 100, token: TokenDigest? = Bench.token
    ) throws -> [String] {
        guard case .list(let list) = try answer(bench, .list(page: page, size: size), token: token) else {
            return []
        }
        return list.sites.map { "\($0.site.profile.name) v\($0.site.version) \($0.devices)" }
    }

    private func devices(_ bench: Bench, at id: SiteID) throws -> [String] {
        guard case .devices(let devices) = try answer(bench, .devices(id, cursor: 0)) else { return [] }
        #expect(devices.isLast)
        return devices.devices.map(\.name)
    }

    @Test("sites that nodes report exist before a user adds any")
    func undescribed() throws {
        let bench = try reported()
        #expect(try list(bench) == ["Home v0 1", "Mill v0 2"])
        let mill = try site(bench, .site(.name("MILL")))
        #expect(try devices(bench, at: mill.site.id) == ["Room 1", "Room 2"])
        #expect(try site(bench, .site(.id(mill.site.id))) == mill)
        #expect(bench.recordChanges.isEmpty)
    }

    @Test("an added site is stored before the reply, exists once when repeated, and survives a restart")
    func added() throws {
        let bench = try reported()
        let profile = try SiteProfile(
            name: "Attic", description: "<p>Up</p>",
            coordinates: Coordinates(latitude: 59.9, longitude: 10.75), address: ["Storgata 1"], city: "Oslo",
            country: CountryCode("no"), timeZone: TimeZoneName("Europe/Oslo"))
        let made = try site(bench, .add(profile))
        let account = try #require(AccountID("demo"))
        #expect(made.site.profile == profile)
        #expect(bench.recordChanges == [ServiceRecord(SiteRecord.site(made.site), of: account)])
        #expect(try site(bench, .add(profile)) == made)
        #expect(bench.recordChanges.count == 1)
        try bench.restart()
        #expect(try site(bench, .site(.id(made.site.id))) == made)
        #expect(try site(bench, .add(profile)) == made)
    }

    @Test("a site's name is unique in its account, ignoring case")
    func names() throws {
        let bench = try reported()
        let attic = try site(bench, .add(try SiteProfile(name: "Attic")))
        for name in ["ATTIC", "home"] {
            guard case .invalid? = refusal(bench, .add(try SiteProfile(name: name, city: "Oslo"))) else {
                Issue.record("\(name) was accepted")
                continue
            }
        }
        guard
            case .invalid? = refusal(
                bench, .change(attic.site.id, from: attic.site.version, to: try SiteProfile(name: "mill")))
        else {
            Issue.record("it was renamed to another's name")
            return
        }
        #expect(try list(bench) == ["Attic v1 0", "Home v0 1", "Mill v0 2"])
    }

    @Test("a renamed site keeps its ID and the devices that nodes report")
    func renamed() throws {
        let bench = try reported()
        let home = try site(bench, .site(.name("Home"))).site
        let villa = try site(bench, .change(home.id, from: .zero, to: try SiteProfile(name: "Villa")))
        #expect(villa.site.id == home.id)
        #expect(try list(bench) == ["Mill v0 2", "Villa v1 1"])
        let other = try site(bench, .add(try SiteProfile(name: "Home")))
        #expect(other.site.id != home.id)
        #expect(other.devices == 0)
        #expect(try devices(bench, at: home.id) == ["Room 0"])
    }

    @Test("a site is changed from a given version, and a repeated change has the same answer")
    func versions() throws {
        let bench = try reported()
        let made = try site(bench, .add(try SiteProfile(name: "Attic")))
        let request = SiteRequest.change(
            made.site.id, from: made.site.version, to: try SiteProfile(name: "Attic", city: "Oslo"))
        let changed = try site(bench, request)
        #expect(changed.site.version == SiteVersion(2))
        #expect(try site(bench, request) == changed)
        let late = SiteRequest.change(
            made.site.id, from: made.site.version, to: try SiteProfile(name: "Attic", city: "Bergen"))
        guard case .invalid? = refusal(bench, late) else {
            Issue.record("another user's change was lost")
            return
        }
        #expect(try site(bench, .site(.id(made.site.id))) == changed)
    }

    @Test("an assigned device moves to that site, also after a restart")
    func assigned() throws {
        let bench = try reported()
        let attic = try site(bench, .add(try SiteProfile(name: "Attic"))).site.id
        #expect(
            try answer(bench, .assign([device(0), device(1), device(1)], to: attic)) == .assigned(devices: 2))
        #expect(try list(bench) == ["Attic v1 2", "Mill v0 1"])
        #expect(try devices(bench, at: attic) == ["Room 0", "Room 1"])
        try bench.restart()
        try come(to: bench)
        #expect(try list(bench) == ["Attic v1 2", "Mill v0 1"])
        #expect(try answer(bench, .assign([device(0)], to: nil)) == .assigned(devices: 1))
        #expect(try list(bench) == ["Attic v1 1", "Home v0 1", "Mill v0 1"])
    }

    @Test("a site to which devices are assigned is stored with its name")
    func retainedByAssignment() throws {
        let bench = try reported()
        let mill = try site(bench, .site(.name("Mill"))).site.id
        _ = try answer(bench, .assign([device(0)], to: mill))
        #expect(try list(bench) == ["Mill v1 3"])
        try bench.restart()
        #expect(try list(bench) == ["Mill v1 0"])
    }

    @Test("a site that only nodes report is not refused as unknown until they return after a restart")
    func settling() throws {
        let bench = try reported()
        let mill = try site(bench, .site(.name("Mill"))).site.id
        try bench.restart()
        guard case .busy = refusal(bench, .site(.name("Mill"))), case .busy = refusal(bench, .site(.id(mill)))
        else {
            Issue.record("a site that may return was reported as missing")
            return
        }
        try come(to: bench)
        #expect(try site(bench, .site(.id(mill))).devices == 2)
    }

    @Test("an assignment with an unknown or foreign device is not found, and assigns none")
    func foreign() throws {
        let bench = try reported()
        bench.passWithPings(.seconds(2))
        let attic = try site(bench, .add(try SiteProfile(name: "Attic"))).site.id
        #expect(refusal(bench, .assign([device(0), device(77)], to: attic)) == .notFound)
        #expect(try list(bench).first == "Attic v1 0")
        let theirs = SiteRequest.add(try SiteProfile(name: "Theirs"))
        guard case .site(let report) = try answer(bench, theirs, token: Bench.strangerToken) else { return }
        let order = SiteRequest.assign([device(0)], to: report.site.id)
        #expect(refusal(bench, order, token: Bench.strangerToken) == .notFound)
        #expect(refusal(bench, order) == .notFound)
    }

    @Test("devices of a removed site return to the sites that nodes report")
    func removed() throws {
        let bench = try reported()
        let attic = try site(bench, .add(try SiteProfile(name: "Attic"))).site.id
        _ = try answer(bench, .assign([device(0), device(1)], to: attic))
        #expect(try answer(bench, .remove(attic)) == .removed(devices: 2))
        #expect(refusal(bench, .remove(attic)) == .notFound)
        #expect(try list(bench) == ["Home v0 1", "Mill v0 2"])
        let home = try site(bench, .site(.name("Home"))).site.id
        guard case .invalid? = refusal(bench, .remove(home)) else {
            Issue.record("a site that a node reports was removed")
            return
        }
        try bench.restart()
        #expect(try list(bench) == [])
    }

    @Test(
        "a site that is removed and added again has a version that was not used before",
        arguments: [false, true])
    func addedAgain(restarts: Bool) throws {
        let bench = try reported()
        let seen = try site(bench, .add(try SiteProfile(name: "Attic"))).site
        _ = try answer(bench, .remove(seen.id))
        if restarts {
            try bench.restart()
            try come(to: bench)
        }
        let again = SiteRequest.add(try SiteProfile(name: "Attic", city: "Oslo"))
        let made = try site(bench, again).site
        #expect((made.id, made.version) == (seen.id, SiteVersion(2)))
        #expect(try site(bench, again).site == made)
        let late = SiteRequest.change(
            seen.id, from: seen.version, to: try SiteProfile(name: "Attic", city: "Bergen"))
        guard case .invalid? = refusal(bench, late) else {
            Issue.record("another user's change was lost")
            return
        }
        let mill = try site(bench, .site(.name("Mill"))).site
        let first = SiteRequest.change(
            mill.id, from: mill.version, to: try SiteProfile(name: "Mill", city: "Ås"))
        #expect(try site(bench, first).site.version == SiteVersion(2))
        #expect(try site(bench, first).site.version == SiteVersion(2))
    }

    @Test("a list has one page of sites, orders numbers in names by value, and has the total")
    func pages() throws {
        let bench = try Bench.withDevices()
        for number in (1...12).reversed() {
            _ = try site(bench, .add(try SiteProfile(name: "Site \(number)")))
        }
        var seen: [String] = []
        for page in UInt32(1)...3 {
            guard case .list(let list) = try answer(bench, .list(page: page, size: 5)) else { return }
            #expect(list.total == 12)
            seen += list.sites.map(\.site.profile.name)
        }
        #expect(seen == (1...12).map { "Site \($0)" })
        #expect(try list(bench, page: 4, size: 5) == [])
        #expect(try list(bench, page: .max, size: 100) == [])
    }

    @Test("sites are in natural order of their names, and each is found by its name")
    func order() throws {
        let bench = try Bench.withDevices()
        let names = [
            "2", "10", "attic", "Attic 2", "attic 02b", "Attic 10", "Hall 0", "Hall 00", "Hall 1/9",
            "Hall 1/10",
            "Hall 99999999999999999998", "Hall 99999999999999999999", "Hall A", "Mill Lane", "Mill Lane 1",
            "Mill Lane 2", "Ås 9", "Ås 12",
        ]
        var dice = SeededGenerator(seed: 1)
        for name in names.shuffled(using: &dice) {
            _ = try site(bench, .add(try SiteProfile(name: name)))
        }
        guard case .list(let list) = try answer(bench, .list(page: 1, size: 100)) else { return }
        #expect(list.sites.map(\.site.profile.name) == names)
        for name in names {
            guard case .site(let found) = try answer(bench, .site(.name(name.uppercased()))) else { return }
            #expect(found.site.profile.name == name)
        }
    }

    @Test("the sites have another revision after each change and after each restart")
    func revisions() throws {
        let bench = try reported()
        func revision() throws -> SitesRevision? {
            guard case .list(let list) = try answer(bench, .list(page: 1, size: 1)) else { return nil }
            return list.revision
        }
        var seen = [try revision()]
        let attic = try site(bench, .add(try SiteProfile(name: "Attic"))).site.id
        seen.append(try revision())
        _ = try answer(bench, .assign([device(0)], to: attic))
        seen.append(try revision())
        guard case .assignments(let chunk) = try answer(bench, .assignments(after: nil)) else { return }
        #expect(chunk.assignments == [SiteAssignment(device: device(0), site: attic)])
        #expect(chunk.isLast)
        #expect(chunk.revision == seen.last)
        _ = try answer(bench, .assign([device(0)], to: attic))
        #expect(try revision() == seen.last)
        _ = try answer(bench, .remove(attic))
        seen.append(try revision())
        try bench.restart()
        seen.append(try revision())
        #expect(Set(seen).count == 5)
    }

    @Test("a retired device is removed from its site")
    func retired() throws {
        let bench = try reported()
        bench.passWithPings(.seconds(2))
        let attic = try site(bench, .add(try SiteProfile(name: "Attic"))).site.id
        _ = try answer(bench, .assign([device(2)], to: attic))
        bench.pass(.seconds(5))
        bench.ask(.retire([device(2)]))
        let removal = try #require(bench.recordChanges.last)
        #expect(removal.service == SiteRequest.service && removal.value == nil)
        #expect(removal.key == SiteRecord.key(of: device(2)).bytes)
        try bench.restart()
        #expect(try list(bench).first == "Attic v1 0")
    }

    @Test("sites are not changed while the storage is full")
    func fullDisk() throws {
        let bench = try reported()
        bench.step(.storage(isFull: true))
        #expect(
            refusal(bench, .add(try SiteProfile(name: "Attic")))
                == .storageFull(retryAfter: Limits.storageRetry))
        #expect(try list(bench) == ["Home v0 1", "Mill v0 2"])
    }
}
