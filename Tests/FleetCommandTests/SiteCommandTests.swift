import ArgumentParser
import FleetProtocol
import ProcessSupport
import Synchronization
import TestSupport
import Testing

@testable import fleet

@Suite("Site commands", .timeLimit(.minutes(1)))
struct SiteCommandTests {
    private func report(
        _ name: String = "Mill", version: UInt64 = 3, described: String = "<b>x</b>"
    ) throws -> SiteReport {
        let profile = try SiteProfile(
            name: name, description: described,
            coordinates: Coordinates(latitude: 59.9139, longitude: -10.5), address: ["Gate 3"], city: "Oslo",
            country: CountryCode("NO"), timeZone: TimeZoneName("Europe/Oslo"))
        let id = SiteID(of: "Mill", in: .demo)
        return SiteReport(
            site: Site(id: id, version: SiteVersion(version), profile: profile), devices: 2,
            isDescribed: !described.isEmpty)
    }

    @Test("sites are listed by page, with the page number and the total", arguments: ["sites", "site list"])
    func list(arguments: String) async throws {
        let arguments = arguments.split(separator: " ").map(String.init)
        let report = try report()
        let revision = SitesRevision(epoch: Epoch(1), changes: 1)
        let paged = arguments + ["--page", "2", "--page-size", "1"]
        let output = try await ScriptedController.run(paged) { body in
            body == .sites(.list(page: 2, size: 1))
                ? .sites(.list(SitePage(sites: [report], total: 7, revision: revision))) : nil
        }
        #expect(output.results.count == 2)
        #expect(output.results.last?.contains("Gate 3, Oslo, NO") == true)
        #expect(output.results.last?.contains("59.9139,-10.5") == true)
        #expect(output.talk.contains("1 of 7 sites, page 2 of 7"))
        let none = try await ScriptedController.run(arguments) { _ in
            .sites(.list(SitePage(sites: [], total: 0, revision: revision)))
        }
        #expect(none.results.isEmpty)
        #expect(none.talk.contains("fleet site add NAME"))
    }

    @Test("a site is shown by its name with its devices, without the word show", arguments: [true, false])
    func show(isJSON: Bool) async throws {
        let report = try report()
        let device = SiteDevices.Device(id: DeviceID(fleetSeed: 1, index: 0), name: "Hall\u{1b}[2J")
        let line = ["site", "mill"] + (isJSON ? ["--json"] : [])
        let output = try await ScriptedController.run(line) { body in
            switch body {
            case .sites(.site(.name("mill"))): .sites(.site(report))
            case .sites(.devices(report.site.id, cursor: 0)):
                .sites(.devices(SiteDevices(devices: [device], nextCursor: 3, isLast: true)))
            default: nil
            }
        }
        #expect(!output.results.joined().contains("\u{1b}"))
        if isJSON {
            #expect(output.results.count == 2)
            #expect(output.results[0].contains(#""latitude":59.9139,"longitude":-10.5"#))
            #expect(output.results[1].contains(#""name":"Hall\u001b[2J""#))
        } else {
            #expect(output.results.first == "Mill (\(report.site.id))")
            #expect(output.results.contains("coordinates 59.9139,-10.5"))
            #expect(output.results.last == "  Hall\u{FFFD}[2J (\(device.id))")
        }
    }

    @Test("a site is found by its ID, and a missing site is reported with advice")
    func byID() async throws {
        let report = try report()
        let id = report.site.id
        try await ScriptedController.run(["site", "show", id.description]) { body in
            switch body.decoded {
            case .sites(.site(.id(id))): .sites(.site(report))
            case .sites(.devices): .sites(.devices(SiteDevices(devices: [], nextCursor: 0, isLast: true)))
            default: .refusal(.notFound)
            }
        }
        let missing = ["site", "Nowhere"]
        let output = try await ScriptedController.run(missing, status: .notPermitted) { _ in
            .refusal(.notFound)
        }
        #expect(output.talk.contains("no site 'Nowhere' in this account (notFound)"))
        #expect(output.talk.contains("fleet site add NAME"))
    }

    @Test("a site change sets the given values, clears empty ones and keeps the rest")
    func set() async throws {
        let report = try report()
        let sent = Mutex<SiteRequest?>(nil)
        let line = ["site", "set", "Mill", "--city", "", "--coordinates", "-33.8,151.2", "--country", "au"]
        try await ScriptedController.run(line) { body in
            guard case .sites(let request)? = body.decoded else { return nil }
            if case .change = request { sent.withLock { $0 = request } }
            return .sites(.site(report))
        }
        let known = report.site.profile
        let wanted = try SiteProfile(
            name: "Mill", description: known.description,
            coordinates: Coordinates(latitude: -33.8, longitude: 151.2), address: known.address, city: "",
            country: CountryCode("AU"), timeZone: known.timeZone)
        #expect(sent.withLock { $0 } == .change(report.site.id, from: report.site.version, to: wanted))
    }

    @Test("a site name that is too long is refused")
    func longName() async throws {
        let line = ["site", "add", String(repeating: "x", count: 65)]
        let output = try await ScriptedController.run(line, status: .usage) { _ in nil }
        #expect(output.talk.contains("name: at most 64 bytes of UTF-8 are allowed"))
    }

    @Test("removing a site prints how many devices were assigned to it")
    func remove() async throws {
        let report = try report()
        let output = try await ScriptedController.run(["site", "remove", "Mill"]) { body in
            body == .sites(.remove(report.site.id)) ? .sites(.removed(devices: 4)) : .sites(.site(report))
        }
        #expect(output.results == ["Mill removed; 4 devices had been assigned to it"])
    }
}
