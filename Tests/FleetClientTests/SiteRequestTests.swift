import FleetProtocol
import TestSupport
import Testing

@testable import FleetClient

@Suite("Site requests", .timeLimit(.minutes(1)))
struct SiteRequestTests {
    private static let revision = SitesRevision(epoch: Epoch(1), changes: 2)

    private func device(_ index: Int) -> DeviceID { DeviceID(fleetSeed: 1, index: UInt64(index)) }

    private func site() throws -> SiteReport {
        let id = SiteID(of: "Mill", in: try #require(AccountID("demo")))
        let site = Site(id: id, version: SiteVersion(1), profile: try SiteProfile(name: "Mill"))
        return SiteReport(site: site, devices: 0, isDescribed: false)
    }

    @Test("a site's devices are read chunk by chunk, including empty chunks")
    func devices() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let id = try site().site.id
            async let found = bench.client.devices(at: id)
            let chunks: [(cursor: UInt32, devices: [Int], next: UInt32, isLast: Bool)] = [
                (0, [1], 10, false), (10, [], 20, false), (20, [2, 3], 25, true),
            ]
            for chunk in chunks {
                let request = try #require(await requests.next())
                #expect(request.request.body == .sites(.devices(id, cursor: chunk.cursor)))
                let devices = chunk.devices.map { SiteDevices.Device(id: device($0), name: "") }
                try await controller.answer(
                    request,
                    .sites(
                        .devices(
                            SiteDevices(devices: devices, nextCursor: chunk.next, isLast: chunk.isLast))))
            }
            #expect(try await found.map(\.id) == [1, 2, 3].map(device))
        }
    }

    @Test("a chunk of devices without progress is an unexpected reply")
    func nowhere() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let id = try site().site.id
            async let found = bench.client.devices(at: id)
            let request = try #require(await requests.next())
            try await controller.answer(
                request, .sites(.devices(SiteDevices(devices: [], nextCursor: 0, isLast: false))))
            do {
                _ = try await found
                Issue.record("it was accepted")
            } catch {
                #expect(error as? FleetError == .unexpectedReply)
            }
        }
    }

    @Test("devices are assigned a thousand at a time")
    func assign() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let devices = (0..<1_500).map(device)
            async let done: Void = bench.client.assign(devices, to: nil)
            for part in [devices.prefix(1_000), devices.dropFirst(1_000)] {
                let request = try #require(await requests.next())
                #expect(request.request.body == .sites(.assign(Array(part), to: nil)))
                try await controller.answer(request, .sites(.assigned(devices: UInt32(part.count))))
            }
            try await done
        }
    }

    @Test("a site is added, changed and removed")
    func change() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let report = try site()
            let (site, profile) = (report.site, report.site.profile)
            async let made = bench.client.addSite(profile)
            var request = try #require(await requests.next())
            #expect(request.request.body == .sites(.add(profile)))
            try await controller.answer(request, .sites(.site(report)))
            #expect(try await made == report)
            async let changed = bench.client.changeSite(site.id, from: site.version, to: profile)
            request = try #require(await requests.next())
            #expect(request.request.body == .sites(.change(site.id, from: site.version, to: profile)))
            try await controller.answer(request, .sites(.site(report)))
            #expect(try await changed == report)
            async let removed = bench.client.removeSite(site.id)
            request = try #require(await requests.next())
            #expect(request.request.body == .sites(.remove(site.id)))
            try await controller.answer(request, .sites(.removed(devices: 3)))
            #expect(try await removed == 3)
        }
    }
}
