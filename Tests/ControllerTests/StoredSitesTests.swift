import ControllerCore
import FleetProtocol
import Testing

@testable import controller

@Suite("Stored sites")
struct StoredSitesTests {
    private let stored: StoredAccounts

    init() throws {
        stored = try StoredAccounts()
    }

    private func site(_ name: String, version: UInt64 = 1, of account: AccountID) throws -> Site {
        let profile = try SiteProfile(
            name: name, description: "<p>It's \"here\"</p>\n",
            coordinates: Coordinates(latitude: -33.8, longitude: 151.2), address: ["Gate 3", "Pier O'Hara"],
            city: "Sydney", country: CountryCode("AU"), timeZone: TimeZoneName("Australia/Sydney"))
        return Site(
            id: SiteID(of: name, in: account), version: SiteVersion(version), profile: profile)
    }

    private func bare(_ name: String, of account: AccountID) throws -> Site {
        Site(
            id: SiteID(of: name, in: account), version: SiteVersion(1), profile: try SiteProfile(name: name))
    }

    private func device(_ index: UInt64) -> DeviceID { DeviceID(fleetSeed: 1, index: index) }

    @Test("sites are in the store after it is opened again, unchanged, with their assigned devices")
    func persisted() throws {
        let (quay, shed, theirs) = (
            try site("Quay", of: stored.demo), try bare("Shed", of: stored.demo),
            try bare("Quay", of: stored.other)
        )
        try stored.open().append([
            .site(.written(stored.demo, quay)), .site(.written(stored.demo, shed)),
            .site(.assigned(stored.demo, [device(0), device(1)], quay.id)),
            .site(.written(stored.other, theirs)), .site(.assigned(stored.demo, [device(1)], shed.id)),
        ])
        let assignments = [
            SiteAssignment(device: device(0), site: quay.id),
            SiteAssignment(device: device(1), site: shed.id),
        ].sorted { $0.device.description < $1.device.description }
        #expect(
            try stored.open().sites() == [
                StoredSites(
                    account: stored.demo,
                    sites: [quay, shed].sorted { $0.id.description < $1.id.description },
                    assignments: assignments),
                StoredSites(account: stored.other, sites: [theirs], assignments: []),
            ])
    }

    @Test("sites have their last values, without removed sites and assignments")
    func changed() throws {
        let (quay, shed) = (try site("Quay", of: stored.demo), try bare("Shed", of: stored.demo))
        try stored.open().append([
            .site(.written(stored.demo, quay)), .site(.written(stored.demo, shed)),
            .site(.assigned(stored.demo, [device(0)], quay.id)),
            .site(.assigned(stored.demo, [device(1), device(2)], shed.id)),
        ])
        let newer = Site(id: quay.id, version: SiteVersion(2), profile: try SiteProfile(name: "Pier"))
        try stored.open().append([
            .site(.written(stored.demo, newer)), .site(.assigned(stored.demo, [device(0)], nil)),
            .site(.removed(stored.demo, shed.id, SiteVersion(5))),
        ])
        let removed = SiteVersion(5)
        #expect(
            try stored.open().sites() == [
                StoredSites(account: stored.demo, sites: [newer], removed: removed, assignments: [])
            ])
        try stored.open().append([.site(.removed(stored.demo, newer.id, newer.version))])
        #expect(
            try stored.open().sites() == [
                StoredSites(account: stored.demo, sites: [], removed: removed, assignments: [])
            ])
    }

    @Test("a batch of site entries is not stored if another controller has the store")
    func fenced() throws {
        let old = try stored.open()
        _ = try stored.open()
        #expect(throws: StorageError.self) {
            try old.append([.site(.written(stored.demo, try bare("Shed", of: stored.demo)))])
        }
        #expect(try stored.open().sites().isEmpty)
    }
}
